/* mlmilterctl explain: which list a message belongs to, why, and what would be done with it. */
#include "ctl/command.h"
#include "ctl/decision.h"
#include "ctl/report.h"
#include "plan/plan_print.h"

#include <sysexits.h>

#define DRY_RUN_NOTE "dry_run is set: nothing of this is done"

static int write_explanation(const struct decision *d, const struct transaction *transaction)
{
    struct strbuf out = STRBUF_INIT;
    int status;

    if (transaction->json) {
        plan_print_json(&out, &d->facts, &d->selection, &d->plan);
        if (d->facts.settings->dry_run) {
            strbuf_add_str(&out,
                           "{\"op\":\"note\",\"error\":false,\"text\":\"" DRY_RUN_NOTE "\"}\n");
        }
    } else {
        plan_print_text(&out, &d->facts, &d->selection, &d->plan);
        if (d->facts.settings->dry_run)
            strbuf_add_str(&out, "  note: " DRY_RUN_NOTE "\n");
    }
    status = strbuf_failed(&out) ? report_no_memory() : write_output(strbuf_span(&out));
    strbuf_free(&out);
    return status;
}

int command_explain(struct invocation *invocation, int argc, char **argv)
{
    return decision_command("explain", true, invocation, argc, argv, write_explanation);
}

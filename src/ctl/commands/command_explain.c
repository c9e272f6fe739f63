/* mlmilterctl explain: which list a message belongs to, why, and what would be done with it. */
#include "ctl/commands/commands.h"
#include "ctl/decision.h"
#include "ctl/report.h"
#include "plan/plan_print.h"
#include "text/json.h"

#include <sysexits.h>

#define DRY_RUN_NOTE "dry_run is set: nothing of this is done"

static void add_note(struct strbuf *out, bool json, const char *text)
{
    if (!json) {
        strbuf_addf(out, "  note: %s\n", text);
        return;
    }
    strbuf_add_str(out, "{\"op\":\"note\",\"error\":false,\"text\":");
    json_add_string(out, span_cstr(text));
    strbuf_add_str(out, "}\n");
}

static int write_explanation(const struct decision *d, const struct transaction *transaction)
{
    struct strbuf out = STRBUF_INIT;
    int status;
    if (transaction->json)
        plan_print_json(&out, &d->facts, &d->made.selection, &d->made.plan);
    else
        plan_print_text(&out, &d->facts, &d->made.selection, &d->made.plan);
    for (size_t i = 0; i < d->note_count; i++)
        add_note(&out, transaction->json, d->notes[i]);
    if (d->facts.settings->dry_run)
        add_note(&out, transaction->json, DRY_RUN_NOTE);
    status = strbuf_failed(&out) ? report_no_memory() : write_output(strbuf_span(&out));
    strbuf_free(&out);
    return status;
}

static int run_explain(struct invocation *invocation, int argc, char **argv)
{
    static const struct decision_kind explain = {
        .takes_json = true,
        .look_only = true,
        .keys = KEYS_IF_READABLE,
        .writer = write_explanation,
    };
    return decision_command(&explain, invocation, argc, argv);
}

const struct command command_explain = {
    "explain", run_explain,
    "  explain [--json] " TRANSACTION_USAGE "\n"
    "          which list, why, and what would be done with the message\n"};

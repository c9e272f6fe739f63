/* mlmilterctl filter: prints the message with the edits. */
#include "ctl/apply_stream.h"
#include "ctl/commands/commands.h"
#include "ctl/decide_message.h"
#include "ctl/output.h"
#include "plan/plan_print.h"

#include <sysexits.h>

static int report_refusal(const struct plan *plan)
{
    struct strbuf reply = STRBUF_INIT;
    plan_print_reply(&reply, plan);
    fprintf(stderr, "%s\n", strbuf_str(&reply));
    strbuf_free(&reply);
    return plan->action == ACTION_REJECT ? EX_DATAERR : EX_UNAVAILABLE;
}

static int print_result(struct decision *d, bool diff)
{
    static const struct plan nothing = {.action = ACTION_ACCEPT};
    const struct plan *plan = &d->made.plan;
    struct strbuf out = STRBUF_INIT;
    if (d->settings->dry_run) { /* RULINGS 72: decided, but nothing changed or refused */
        report_error(
            "dry_run is set: the message is not changed (explain shows what would be done)");
        plan = &nothing;
    }
    if (plan->action != ACTION_ACCEPT)
        return report_refusal(plan);
    (diff ? apply_stream_marked : apply_stream)(&d->message, plan, &out);
    return diff ? print_marked_and_free(&out) : print_and_free(&out, EX_OK);
}

int run_filter(const struct options *o)
{
    struct decision d;
    int status = decide_message(&d, o, false, KEYS_NEEDED);
    if (status == EX_OK)
        status = print_result(&d, o->diff);
    decision_free(&d);
    return status;
}

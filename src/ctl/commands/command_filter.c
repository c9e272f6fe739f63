/* mlmilterctl filter: the message on standard input, with the edits made, on standard output. */
#include "ctl/apply_stream.h"
#include "ctl/colour.h"
#include "ctl/commands/commands.h"
#include "ctl/decision.h"
#include "ctl/header_diff.h"
#include "ctl/report.h"
#include "plan/plan_print.h"

#include <stdio.h>
#include <sysexits.h>
#include <unistd.h>

static int say_refusal(const struct plan *plan)
{
    struct strbuf reply = STRBUF_INIT;
    plan_print_reply(&reply, plan);
    fprintf(stderr, "%s\n", strbuf_str(&reply));
    strbuf_free(&reply);
    return plan->action == ACTION_REJECT ? EX_DATAERR : EX_UNAVAILABLE;
}

static int write_difference(const struct decision *d, struct span after)
{
    struct strbuf lines = STRBUF_INIT, shown = STRBUF_INIT;
    int status;
    header_diff_add(&lines, strbuf_span(&d->text), after);
    colour_add_marked(&shown, colour_wanted(STDOUT_FILENO), strbuf_span(&lines));
    status = write_output(strbuf_span(&shown));
    strbuf_free(&lines);
    strbuf_free(&shown);
    return status;
}

static int write_result(const struct decision *d, const struct transaction *transaction)
{
    struct strbuf out = STRBUF_INIT;
    int status;
    if (d->facts.settings->dry_run) { /* RULINGS 72: decided, but nothing changed or refused */
        report_error(
            "dry_run is set: the message is not changed (explain shows what would be done)");
        return transaction->diff ? write_difference(d, strbuf_span(&d->text))
                                 : write_output(strbuf_span(&d->text));
    }
    if (d->made.plan.action != ACTION_ACCEPT)
        return say_refusal(&d->made.plan);
    apply_stream(&d->message, &d->made.plan, &out);
    status = transaction->diff ? write_difference(d, strbuf_span(&out))
                               : write_output(strbuf_span(&out));
    strbuf_free(&out);
    return status;
}

static int run_filter(struct invocation *invocation, int argc, char **argv)
{
    static const struct decision_kind filter = {
        .own_option = "diff",
        .keys = KEYS_NEEDED,
        .writer = write_result,
    };
    return decision_command(&filter, invocation, argc, argv);
}

const struct command command_filter = {
    "filter", run_filter,
    "  filter [--diff] " TRANSACTION_USAGE "\n"
    "          the message, with the edits made, on standard output; with --diff its header\n"
    "          before and after\n"};

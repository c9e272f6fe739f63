/* mlmilterctl filter: the message on standard input, with the edits made, on standard output. */
#include "ctl/apply_stream.h"
#include "ctl/colour.h"
#include "ctl/commands/commands.h"
#include "ctl/decision.h"
#include "ctl/report.h"
#include "mail/message.h"
#include "plan/plan_print.h"
#include "text/visible.h"

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

/* ---- the header before and after ---- */

static void add_lines(struct strbuf *out, const char *mark, struct span lines)
{
    while (lines.n > 0) {
        struct span line = span_sub(lines, 0, span_find(lines, '\n'));
        lines = span_sub(lines, line.n + 1, lines.n);
        if (line.n > 0 && line.p[line.n - 1] == '\r')
            line.n--;
        strbuf_add_str(out, mark);
        for (size_t tab; (tab = span_find(line, '\t')) < line.n;) {
            visible_add(out, span_sub(line, 0, tab));
            strbuf_add_char(out, ' ');
            line = span_sub(line, tab + 1, line.n);
        }
        visible_add(out, line);
        strbuf_add_char(out, '\n');
    }
}

/* True if the message has the field, at place `from` or later. */
static bool has_field(const struct message *m, size_t from, struct span lines)
{
    for (size_t i = from; i < m->field_count; i++)
        if (span_eq(m->fields[i].lines, lines))
            return true;
    return false;
}

/* Edits delete and insert fields and move none, so the common fields have one order. */
static void add_fields(struct strbuf *out, const struct message *old, const struct message *new)
{
    size_t i = 0, k = 0;
    while (i < old->field_count || k < new->field_count) {
        struct span before = i < old->field_count ? old->fields[i].lines : span_of(NULL, 0);
        struct span after = k < new->field_count ? new->fields[k].lines : span_of(NULL, 0);
        if (before.n > 0 && after.n > 0 && span_eq(before, after)) {
            add_lines(out, "  ", before);
            i++;
            k++;
        } else if (after.n > 0 && (before.n == 0 || has_field(new, k, before))) {
            add_lines(out, "+ ", after);
            k++;
        } else {
            add_lines(out, "- ", before);
            i++;
        }
    }
}

/* Writes the fields of both headers, with a mark before each line: "+ " for a new field, "- " for a
 * deleted one, "  " for the rest. A character that is not visible (text/visible.h) becomes "?". */
static int write_difference(const struct decision *d, struct span result)
{
    struct strbuf lines = STRBUF_INIT, shown = STRBUF_INIT;
    struct message after;
    message_init(&after);
    message_split(&after, result);
    add_fields(&lines, &d->message, &after);
    message_free(&after);
    colour_add_marked(&shown, colour_wanted(STDOUT_FILENO), strbuf_span(&lines));
    strbuf_free(&lines);
    return write_and_free(&shown);
}

/* ---- the command ---- */

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

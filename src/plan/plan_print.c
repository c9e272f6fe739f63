/* plan_print - a plan as JSON lines, as text for a person, and as a log line */
#include "plan/plan_print.h"

#include "text/json.h"
#include "text/visible.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *action_name(enum plan_action action)
{
    switch (action) {
    case ACTION_REJECT:
        return "reject";
    case ACTION_TEMPFAIL:
        return "tempfail";
    case ACTION_ACCEPT:
        break;
    }
    return "accept";
}

void plan_print_reply(struct strbuf *out, const struct plan *plan)
{
    if (plan->action != ACTION_ACCEPT)
        strbuf_addf(out, "%s %s %s", plan->reply_code, plan->reply_status, plan->reply_text);
}

/* ---- JSON ----------------------------------------------------------------------------------- */

static void json_member(struct strbuf *out, const char *name, struct span value)
{
    strbuf_addf(out, "\"%s\":", name);
    json_add_string(out, value);
}

static void json_decision(struct strbuf *out, const struct selection *selection,
                          const struct plan *plan)
{
    struct strbuf reply = STRBUF_INIT;
    strbuf_add_str(out, "{\"op\":\"decision\",\"list\":");
    if (selection->list != NULL)
        json_add_string(out, selection->list->id);
    else
        strbuf_add_str(out, "null");
    strbuf_addf(out, ",\"role\":\"%s\",\"action\":\"%s\",\"reply\":", role_name(selection->role),
                action_name(plan->action));
    plan_print_reply(&reply, plan);
    if (reply.len > 0)
        json_add_string(out, strbuf_span(&reply));
    else
        strbuf_add_str(out, "null");
    strbuf_free(&reply);
    strbuf_add_char(out, ',');
    json_member(out, "reason", span_cstr(selection_reason(selection)));
    strbuf_add_str(out, "}\n");
}

void plan_print_json(struct strbuf *out, const struct facts *facts,
                     const struct selection *selection, const struct plan *plan)
{
    json_decision(out, selection, plan);
    for (size_t i = 0; i < plan->edit_count; i++) {
        const struct edit *edit = &plan->edits[i];
        strbuf_addf(out, "{\"op\":\"%s\",", edit->op == EDIT_DELETE ? "delete" : "insert");
        json_member(out, "name", span_cstr(field_name_text(edit->name)));
        strbuf_addf(out, ",\"index\":%u,", edit->index);
        json_member(out, "value", edit->value);
        strbuf_add_char(out, ',');
        json_member(out, "clause", span_cstr(edit->clause));
        strbuf_add_str(out, "}\n");
    }
    for (size_t i = 0; i < facts->deferred_count; i++) {
        strbuf_add_str(out, "{\"op\":\"defer\",");
        json_member(out, "recipient", facts->deferred[i]);
        strbuf_add_str(out, "}\n");
    }
    for (size_t i = 0; i < plan->note_count; i++) {
        strbuf_addf(out, "{\"op\":\"note\",\"error\":%s,",
                    plan->notes[i].is_error ? "true" : "false");
        json_member(out, "text", span_cstr(plan->notes[i].text));
        strbuf_add_str(out, "}\n");
    }
}

/* ---- text ----------------------------------------------------------------------------------- */

/* A value as a terminal may show it: on one line, "?" for what is not visible. */
static void add_shown(struct strbuf *out, struct span value)
{
    struct span character;
    while (value.n > 0)
        if (visible_next(&value, &character))
            strbuf_add_span(out, character);
        else if (character.p[0] == '\t')
            strbuf_add_char(out, ' ');
        else if (character.p[0] != '\n') /* a fold: the blank behind it is shown */
            strbuf_add_char(out, '?');
}

/* Are the values one text, wherever the new one is folded? */
static bool same_text(struct span a, struct span b)
{
    size_t i = 0, k = 0;
    for (; i < a.n || k < b.n; i++, k++) {
        while (i < a.n && a.p[i] == '\n')
            i++;
        while (k < b.n && b.p[k] == '\n')
            k++;
        if (i == a.n || k == b.n || a.p[i] != b.p[k])
            return i == a.n && k == b.n;
    }
    return true;
}

/* Is there an edit of the other kind that makes this one a mere replacement by the same? Of several
 * equal ones each has its own. */
static bool is_undone(const struct plan *plan, size_t place)
{
    const struct edit *edit = &plan->edits[place];
    size_t before = 0, others = 0;
    for (size_t i = 0; i < plan->edit_count; i++) {
        const struct edit *other = &plan->edits[i];
        if (other->name != edit->name || !same_text(other->value, edit->value))
            continue;
        if (other->op != edit->op)
            others++;
        else if (i < place)
            before++;
    }
    return before < others;
}

static void text_decision(struct strbuf *out, const struct selection *selection,
                          const struct plan *plan, size_t same)
{
    strbuf_add_str(out, "list:   ");
    if (selection->list != NULL)
        strbuf_add_span(out, selection->list->id);
    else
        strbuf_add_str(out, "none");
    strbuf_addf(out, "\nrole:   %s%s\nwhy:    %s\n", role_name(selection->role),
                selection->command_response ? " (command response)" : "",
                selection_reason(selection));
    strbuf_addf(out, "action: %s", action_name(plan->action));
    if (plan->action != ACTION_ACCEPT) {
        strbuf_add_str(out, ", ");
        plan_print_reply(out, plan);
    } else {
        strbuf_addf(out, ", %zu removed, %zu added", plan->removed - same, plan->added - same);
        if (same > 0)
            strbuf_addf(out, ", %zu replaced by the same", same);
    }
    strbuf_add_char(out, '\n');
}

/* "  + List-Help:       <mailto:...>  [LH-01]" */
static void text_edit(struct strbuf *out, const struct edit *edit, bool same, size_t width)
{
    char mark = same ? '=' : edit->op == EDIT_DELETE ? '-' : '+';
    size_t begin = out->len;
    strbuf_addf(out, "  %c %s", mark, field_name_text(edit->name));
    if (edit->op == EDIT_DELETE && edit->index > 1)
        strbuf_addf(out, " (number %u)", edit->index);
    strbuf_add_char(out, ':');
    for (size_t at = out->len - begin; at + 1 < width; at++)
        strbuf_add_char(out, ' ');
    strbuf_add_char(out, ' ');
    add_shown(out, edit->value);
    strbuf_addf(out, "  [%s]\n", edit->clause);
}

/* The column in which values begin: behind the longest name. */
static size_t value_column(const struct plan *plan)
{
    size_t longest = 0;
    for (size_t i = 0; i < plan->edit_count; i++) {
        size_t length = strlen(field_name_text(plan->edits[i].name));
        longest = length > longest ? length : longest;
    }
    return longest + sizeof "  + : " - 1;
}

static void text_edits(struct strbuf *out, const struct plan *plan)
{
    size_t width = value_column(plan);
    for (size_t i = 0; i < plan->edit_count; i++) {
        const struct edit *edit = &plan->edits[i];
        bool same = is_undone(plan, i);
        if (same && edit->op == EDIT_DELETE)
            continue; /* shown where it is inserted */
        text_edit(out, edit, same, width);
    }
}

void plan_print_text(struct strbuf *out, const struct facts *facts,
                     const struct selection *selection, const struct plan *plan)
{
    size_t same = 0;
    for (size_t i = 0; i < plan->edit_count; i++)
        same += plan->edits[i].op == EDIT_INSERT && is_undone(plan, i);
    text_decision(out, selection, plan, same);
    text_edits(out, plan);
    for (size_t i = 0; i < facts->deferred_count; i++) {
        strbuf_add_str(out, "  deferred to a transaction of its own: ");
        add_shown(out, facts->deferred[i]);
        strbuf_add_char(out, '\n');
    }
    for (size_t i = 0; i < plan->note_count; i++) {
        strbuf_addf(out, "  %s: ", plan->notes[i].is_error ? "error" : "note");
        add_shown(out, span_cstr(plan->notes[i].text));
        strbuf_add_char(out, '\n');
    }
}

/* ---- log ------------------------------------------------------------------------------------ */

/* As many octets of a value as a line of a message may have (RFC 5322 2.1.1), so that what a poster
 * wrote cannot make a line of the log longer than a syslog daemon takes. */
#define LOGGED_OCTETS 998

/* Nothing that could end a value, quoted or not, or begin a line. */
static void add_logged(struct strbuf *out, struct span value, bool with_blanks)
{
    size_t n = value.n <= LOGGED_OCTETS ? value.n : LOGGED_OCTETS;
    size_t start = 0;
    for (size_t i = 0; i < n; i++) {
        char c = value.p[i];
        if ((c > ' ' && c <= '~' && c != '%' && c != '"') || (c == ' ' && with_blanks))
            continue;
        strbuf_add_span(out, span_sub(value, start, i - start));
        strbuf_addf(out, "%%%02X", (unsigned)(unsigned char)c);
        start = i + 1;
    }
    strbuf_add_span(out, span_sub(value, start, n - start));
    if (n < value.n)
        strbuf_add_str(out, "...");
}

void plan_print_word(struct strbuf *out, struct span value)
{
    add_logged(out, value, false);
}

/* SP name "=" 1*word-char */
static void log_member(struct strbuf *out, const char *name, struct span value)
{
    if (value.n == 0)
        return;
    strbuf_addf(out, " %s=", name);
    add_logged(out, value, false);
}

/* SP name "=" DQUOTE *( word-char / SP ) DQUOTE */
static void log_note(struct strbuf *out, const struct plan_note *note)
{
    strbuf_add_str(out, note->is_error ? " error=\"" : " note=\"");
    add_logged(out, span_cstr(note->text), true);
    strbuf_add_char(out, '"');
}

void plan_print_log(struct strbuf *out, const struct selection *selection, const struct plan *plan,
                    bool dry_run)
{
    strbuf_add_str(out, "list=");
    add_logged(out, selection->list->id, false);
    strbuf_addf(out, " role=%s", role_name(selection->role));
    log_member(out, "message-id", plan->message_id);
    log_member(out, "hash", plan->message_id_hash);
    log_member(out, "archived-at", plan->archived_at);
    strbuf_addf(out, " removed=%zu added=%zu", plan->removed, plan->added);
    if (plan->number > 0)
        strbuf_addf(out, " sequence=%" PRIu64, plan->number);
    strbuf_addf(out, " action=%s", action_name(plan->action));
    if (plan->action != ACTION_ACCEPT)
        log_member(out, "reply", span_cstr(plan->reply_text));
    if (dry_run)
        strbuf_add_str(out, " dry-run=yes");
    for (size_t i = 0; i < plan->note_count; i++) {
        size_t end = out->len;
        log_note(out, &plan->notes[i]);
        if (out->len > PLAN_LOG_OCTETS) {
            strbuf_truncate(out, end);
            return;
        }
    }
}

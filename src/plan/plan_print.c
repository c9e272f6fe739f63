/* plan_print - see plan_print.h */
#include "plan/plan_print.h"

#include "text/json.h"
#include "text/memory.h"
#include "text/visible.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *const action_names[] = {
    [ACTION_ACCEPT] = "accept", [ACTION_REJECT] = "reject", [ACTION_TEMPFAIL] = "tempfail"};

void plan_print_reply(struct strbuf *out, const struct plan *plan)
{
    if (plan->action != ACTION_ACCEPT)
        strbuf_addf(out, "%s %s %s", plan->reply_code, plan->reply_status, plan->reply_text);
}

/* Appends a member whose value is null if the text is empty. */
static void add_text_or_null(struct strbuf *out, const char *name, struct span text)
{
    json_add_name(out, name);
    if (text.n > 0)
        json_add_string(out, text);
    else
        strbuf_add_str(out, "null");
}

void plan_print_json(struct strbuf *out, const struct facts *facts,
                     const struct selection *selection, const struct plan *plan)
{
    struct strbuf reply = STRBUF_INIT;
    plan_print_reply(&reply, plan);
    strbuf_add_str(out, "{\"op\":\"decision\"");
    add_text_or_null(out, "list", selection->list != NULL ? selection->list->id : span_of(NULL, 0));
    json_add_text(out, "role", span_cstr(role_name(selection->role)));
    json_add_text(out, "action", span_cstr(action_names[plan->action]));
    add_text_or_null(out, "reply", strbuf_span(&reply));
    json_add_text(out, "reason", span_cstr(selection_reason(selection)));
    strbuf_add_str(out, "}\n");
    strbuf_free(&reply);
    for (size_t i = 0; i < plan->edit_count; i++) {
        const struct edit *edit = &plan->edits[i];
        strbuf_addf(out, "{\"op\":\"%s\"", edit->op == EDIT_DELETE ? "delete" : "insert");
        json_add_text(out, "name", span_cstr(field_name_text(edit->name)));
        json_add_number(out, "index", edit->index);
        json_add_text(out, "value", edit->value);
        json_add_text(out, "clause", span_cstr(edit->clause));
        strbuf_add_str(out, "}\n");
    }
    for (size_t i = 0; i < facts->deferred_count; i++) {
        strbuf_add_str(out, "{\"op\":\"defer\"");
        json_add_text(out, "recipient", facts->deferred[i]);
        strbuf_add_str(out, "}\n");
    }
    for (size_t i = 0; i < plan->note_count; i++) {
        strbuf_addf(out, "{\"op\":\"note\",\"error\":%s",
                    plan->notes[i].is_error ? "true" : "false");
        json_add_text(out, "text", span_cstr(plan->notes[i].text));
        strbuf_add_str(out, "}\n");
    }
}

/* Appends a value as a terminal may show it: on one line, "?" for an invisible character. */
static void add_shown(struct strbuf *out, struct span value)
{
    struct span character;
    while (value.n > 0)
        if (visible_next(&value, &character))
            strbuf_add_span(out, character);
        else if (character.p[0] == '\t')
            strbuf_add_char(out, ' ');
        else if (character.p[0] != '\n') /* a fold is shown as its blank */
            strbuf_add_char(out, '?');
}

/* Compares texts, however they are folded. */
static int compare_texts(struct span a, struct span b)
{
    for (size_t i = 0, k = 0;; i++, k++) {
        while (i < a.n && a.p[i] == '\n')
            i++;
        while (k < b.n && b.p[k] == '\n')
            k++;
        if (i == a.n || k == b.n)
            return (i < a.n) - (k < b.n);
        if (a.p[i] != b.p[k])
            return (unsigned char)a.p[i] < (unsigned char)b.p[k] ? -1 : 1;
    }
}

/* Compares edits by name and text. */
static int compare_edits(const struct edit *a, const struct edit *b)
{
    return a->name != b->name ? (a->name > b->name) - (a->name < b->name)
                              : compare_texts(a->value, b->value);
}

/* Equal edits stay in their order: deletions come first. */
static int by_name_and_text(const void *a, const void *b)
{
    const struct edit *const *first = a, *const *second = b;
    int order = compare_edits(*first, *second);
    return order != 0 ? order : (*first > *second) - (*first < *second);
}

/* Returns for each edit whether one of the other kind has the same name and text: together they
 * change nothing. Each of several equal edits needs one of its own. The caller frees the result. */
static bool *find_undone(const struct plan *plan)
{
    const struct edit **sorted = memory_new(plan->edit_count, sizeof(struct edit *));
    bool *undone = memory_new(plan->edit_count, sizeof *undone);
    for (size_t i = 0; i < plan->edit_count; i++)
        sorted[i] = &plan->edits[i];
    if (plan->edit_count > 0)
        qsort(sorted, plan->edit_count, sizeof(struct edit *), by_name_and_text);
    for (size_t begin = 0, insertion, end; begin < plan->edit_count; begin = end) {
        for (end = insertion = begin;
             end < plan->edit_count && compare_edits(sorted[begin], sorted[end]) == 0; end++)
            insertion += sorted[end]->op == EDIT_DELETE ? 1 : 0;
        for (size_t i = 0; begin + i < insertion && insertion + i < end; i++)
            undone[sorted[begin + i] - plan->edits] = undone[sorted[insertion + i] - plan->edits] =
                true;
    }
    free(sorted);
    return undone;
}

static void text_decision(struct strbuf *out, const struct selection *selection,
                          const struct plan *plan, size_t undone)
{
    strbuf_add_str(out, "list:   ");
    strbuf_add_span(out, selection->list != NULL ? selection->list->id : span_cstr("none"));
    strbuf_addf(out, "\nrole:   %s%s\nwhy:    %s\naction: %s", role_name(selection->role),
                selection->command_response ? " (command response)" : "",
                selection_reason(selection), action_names[plan->action]);
    if (plan->action != ACTION_ACCEPT) {
        strbuf_add_str(out, ", ");
        plan_print_reply(out, plan);
    } else {
        strbuf_addf(out, ", %zu removed, %zu added", plan->removed - undone, plan->added - undone);
        if (undone > 0)
            strbuf_addf(out, ", %zu replaced by the same", undone);
    }
    strbuf_add_char(out, '\n');
}

/* Appends "  + List-Help:       <mailto:...>  [LH-01]". */
static void text_edit(struct strbuf *out, const struct edit *edit, bool undone, size_t width)
{
    char sign = edit->op == EDIT_DELETE ? '-' : '+';
    size_t begin = out->len;
    strbuf_addf(out, "  %c %s", undone ? '=' : sign, field_name_text(edit->name));
    if (edit->op == EDIT_DELETE && edit->index > 1)
        strbuf_addf(out, " (number %u)", edit->index);
    strbuf_add_char(out, ':');
    strbuf_addf(out, "%*s", begin + width > out->len ? (int)(begin + width - out->len) : 1, "");
    add_shown(out, edit->value);
    strbuf_addf(out, "  [%s]\n", edit->clause);
}

void plan_print_text(struct strbuf *out, const struct facts *facts,
                     const struct selection *selection, const struct plan *plan)
{
    bool *is_undone = find_undone(plan);
    size_t undone = 0, longest = 0;
    for (size_t i = 0; i < plan->edit_count; i++) {
        size_t length = strlen(field_name_text(plan->edits[i].name));
        longest = length > longest ? length : longest;
        undone += plan->edits[i].op == EDIT_INSERT && is_undone[i] ? 1 : 0;
    }
    text_decision(out, selection, plan, undone);
    for (size_t i = 0; i < plan->edit_count; i++) {
        if (!is_undone[i] || plan->edits[i].op == EDIT_INSERT) /* of two, the insertion is shown */
            text_edit(out, &plan->edits[i], is_undone[i], longest + sizeof "  + : " - 1);
    }
    free(is_undone);
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

/* The bytes shown of a value: a line of a message may have as many (RFC 5322 2.1.1). */
#define LOGGED_OCTETS 998

/* Appends bytes that can neither end a value, quoted or not, nor begin a line. */
static void add_logged(struct strbuf *out, struct span value, bool with_blanks)
{
    for (size_t i = 0; i < value.n && i < LOGGED_OCTETS; i++) {
        char c = value.p[i];
        if ((c > ' ' && c <= '~' && c != '%' && c != '"') || (c == ' ' && with_blanks))
            strbuf_add_char(out, c);
        else
            strbuf_addf(out, "%%%02X", (unsigned)(unsigned char)c);
    }
    strbuf_add_str(out, value.n > LOGGED_OCTETS ? "..." : "");
}

void plan_print_word(struct strbuf *out, struct span value)
{
    add_logged(out, value, false);
}

/* Appends " name=value" unless the value is empty. */
static void log_member(struct strbuf *out, const char *name, struct span value)
{
    if (value.n == 0)
        return;
    strbuf_addf(out, " %s=", name);
    add_logged(out, value, false);
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
    strbuf_addf(out, " action=%s", action_names[plan->action]);
    log_member(out, "reply", span_cstr(plan->reply_text));
    strbuf_add_str(out, dry_run ? " dry-run=yes" : "");
    for (size_t i = 0; i < plan->note_count; i++) {
        size_t end = out->len;
        strbuf_add_str(out, plan->notes[i].is_error ? " error=\"" : " note=\"");
        add_logged(out, span_cstr(plan->notes[i].text), true);
        strbuf_add_char(out, '"');
        if (out->len > PLAN_LOG_OCTETS) {
            strbuf_truncate(out, end);
            return;
        }
    }
}

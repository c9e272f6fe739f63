/* plan_print - see plan_print.h */
#include "plan/plan_print.h"

#include "text/json.h"
#include "text/visible.h"

#include <inttypes.h>
#include <string.h>

static const char *const action_names[] = {
    [ACTION_ACCEPT] = "accept", [ACTION_REJECT] = "reject", [ACTION_TEMPFAIL] = "tempfail"};

const char *role_name(enum role role)
{
    static const char *const names[] = {
        [ROLE_NONE] = "none", [ROLE_FEED] = "feed", [ROLE_DISTRIBUTION] = "distribution"};
    return names[role];
}

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
    json_add_text(out, "reason", span_cstr(selection->reason));
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
        else if (character.p[0] != '\n') /* a fold of a new field is shown as its blank */
            strbuf_add_char(out, character.p[0] == '\t' ? ' ' : '?');
}

/* Appends "  + List-Help:       <mailto:...>  [LH-01]". */
static void text_edit(struct strbuf *out, const struct edit *edit, size_t width)
{
    size_t begin = out->len;
    strbuf_addf(out, "  %c %s", edit->op == EDIT_DELETE ? '-' : '+', field_name_text(edit->name));
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
    size_t longest = 0;
    for (size_t i = 0; i < plan->edit_count; i++) {
        size_t length = strlen(field_name_text(plan->edits[i].name));
        longest = length > longest ? length : longest;
    }
    strbuf_add_str(out, "list:   ");
    strbuf_add_span(out, selection->list != NULL ? selection->list->id : span_cstr("none"));
    strbuf_addf(out, "\nrole:   %s%s\nwhy:    %s\naction: %s", role_name(selection->role),
                selection->command_response ? " (command response)" : "", selection->reason,
                action_names[plan->action]);
    if (plan->action == ACTION_ACCEPT)
        strbuf_addf(out, ", %zu removed, %zu added", plan->removed, plan->added);
    else
        strbuf_add_str(out, ", ");
    plan_print_reply(out, plan);
    strbuf_add_char(out, '\n');
    for (size_t i = 0; i < plan->edit_count; i++)
        text_edit(out, &plan->edits[i], longest + sizeof "  + : " - 1);
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
    plan_print_word(out, value);
}

void plan_print_log(struct strbuf *out, const struct selection *selection, const struct plan *plan,
                    bool dry_run)
{
    strbuf_add_str(out, "list=");
    plan_print_word(out, selection->list->id);
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

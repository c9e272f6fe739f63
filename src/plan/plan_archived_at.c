/* plan_archived_at - the stable URLs of a post (AT-01 to AT-06, SU-09, SU-17) */
#include "plan/plan_archived_at.h"

#include "mail/field_check.h"
#include "plan/message_values.h"
#include "plan/plan_field.h"
#include "spec/archived_at.h"
#include "spec/message_id.h"
#include "spec/owned_fields.h"
#include "spec/uri.h"

/* The values that the templates of the list need. */
static int template_values(struct builder *b, struct variable_values *values)
{
    const struct settings *settings = b->facts->settings;
    const struct message_source source = {
        .header = b->facts->header,
        .id_text = b->post->id_text,
        .date_text = b->date_text,
        .hash = b->post->hash,
        .number = b->plan->number,
        .list = b->list,
        .tokens = settings->tokens,
        .token_count = settings->token_names.count,
    };
    uint64_t needs = 0;
    for (size_t i = 0; i < b->texts.archived_at_count; i++)
        needs |= b->texts.archived_at[i].needs;
    return message_values(&source, needs, b->arena, values);
}

/* Is the URI, with its brackets, in a field that was inserted before or that stays? */
static int is_archived_at(const struct builder *b, struct span bracketed, bool *there)
{
    const struct header *header = b->facts->header;
    struct span wanted = span_of(bracketed.p + 1, bracketed.n - 2);
    *there = true;
    for (size_t i = 0; i < b->insertion_count; i++) {
        if (b->insertions[i].name == FIELD_ARCHIVED_AT &&
            span_eq(b->insertions[i].value, bracketed))
            return 0;
    }
    for (size_t i = header_find(header, FIELD_ARCHIVED_AT, 0); i < header_count(header);
         i = header_find(header, FIELD_ARCHIVED_AT, i + 1)) {
        if (!b->deleted[i] &&
            span_eq(archived_at_uri(header_field(header, i).value, b->arena), wanted))
            return 0;
    }
    *there = false;
    return 0;
}

/* "<URI>" of a template. 0; 1 and 2 as template_expand; -1. */
static int expand(struct builder *b, const struct template *template,
                  const struct variable_values *values, struct span *value, enum variable *lacking)
{
    struct strbuf text = STRBUF_INIT;
    int result;
    strbuf_add_char(&text, '<');
    result = template_expand(template, TEMPLATE_URI, values, &text, lacking);
    strbuf_add_char(&text, '>');
    if (result == 0) {
        *value = strbuf_failed(&text) ? span_of(NULL, 0) : arena_dup(b->arena, strbuf_span(&text));
        result = value->p == NULL ? -1 : 0;
    }
    strbuf_free(&text);
    return result;
}

/* A token by its own name. */
static struct span name_of(const struct builder *b, enum variable missing)
{
    if (missing >= VAR_FIRST_TOKEN)
        return b->facts->settings->token_names.names[missing - VAR_FIRST_TOKEN];
    return span_cstr(variable_name(missing));
}

/* Why it is missing, in parentheses, where that is not plain; NULL: memory. */
static const char *missing_reason(struct builder *b, enum variable missing)
{
    const uint64_t of_id =
        VAR_BIT(VAR_MESSAGE_ID) | VAR_BIT(VAR_MESSAGE_ID_HASH) | VAR_BIT(VAR_LIST_ID_HASH);
    const char *fault = NULL;
    if (missing >= VAR_FIRST_TOKEN)
        fault = b->facts->settings->tokens[missing - VAR_FIRST_TOKEN].key_fault; /* RULINGS 82 */
    if (fault != NULL)
        return builder_text(b, " (its key file was not read: %s)", fault);
    if (post_id_is_empty(b->post) && ((of_id | VARS_TOKENS) & VAR_BIT(missing)) != 0)
        return " (the Message-ID is empty)"; /* RULINGS 6 */
    return "";
}

/* Says why the template gives no URI: `lack` is what template_expand returned. 0 or -1. */
static int note_lack(struct builder *b, size_t number, int lack, enum variable variable)
{
    struct span name = name_of(b, variable);
    const char *reason = missing_reason(b, variable);
    if (reason == NULL)
        return -1;
    if (lack == 2)
        return builder_note(b, false,
                            "Archived-At by template %zu left out: with this {%.*s} "
                            "its path would have a segment \".\", \"..\" or nothing",
                            number + 1, (int)name.n, name.p);
    return builder_note(b, false, "Archived-At by template %zu left out: no value for {%.*s}%s",
                        number + 1, (int)name.n, name.p, reason);
}

static int stamp_template(struct builder *b, size_t number, const struct variable_values *values)
{
    const char *nested = b->selection->has_parent ? plan_nested_clause(FIELD_ARCHIVED_AT) : NULL;
    const char *usual = owned_field_find(FIELD_ARCHIVED_AT)->insertion_clause;
    enum variable lacking = VAR_COUNT;
    size_t count = b->insertion_count;
    struct span value;
    const char *fault;
    bool there;
    int result;
    if (builder_is_too_long(&b->texts.archived_at[number], values))
        return builder_note(b, true, "Archived-At by template %zu left out: it %s", number + 1,
                            field_fault_text(FIELD_LINE_TOO_LONG));
    result = expand(b, &b->texts.archived_at[number], values, &value, &lacking);
    if (result < 0)
        return -1;
    if (result > 0)
        return note_lack(b, number, result, lacking);
    /* The configuration was tried with samples: another value may make no URI of the same text. */
    fault = uri_fault(span_sub(value, 1, value.n - 2));
    if (fault != NULL)
        return builder_note(b, true, "Archived-At by template %zu left out: its URI %s", number + 1,
                            fault);
    if (is_archived_at(b, value, &there) != 0)
        return -1;
    if (!there && builder_insert(b, FIELD_ARCHIVED_AT, value, nested != NULL ? nested : usual) != 0)
        return -1;
    if (b->plan->archived_at.n == 0 && (there || b->insertion_count > count))
        b->plan->archived_at = span_of(value.p + 1, value.n - 2);
    return 0;
}

/* Why the post gets none; NULL: it does (AT-04, AT-06, SU-23, RULINGS 11, 65). 0 or -1. */
static int not_archived(struct builder *b, const char **why)
{
    enum content_kind kind = b->post->kind;
    enum field_name wish = FIELD_OTHER;
    struct span id = b->post->id_text;
    *why = b->no_archive;
    if (b->list->honor_no_archive)
        wish = archived_at_wish(b->facts->header, b->arena);
    if (b->selection->command_response)
        *why = "a command response";
    else if (kind == CONTENT_DIGEST)
        *why = "a digest";
    else if (kind == CONTENT_FRAGMENT)
        *why = "a fragment (message/partial)";
    else if (wish != FIELD_OTHER)
        *why = builder_text(b, "%s asks for it", field_name_text(wish));
    else if (b->list->archived_at_requires == ARCHIVED_AT_WELL_FORMED &&
             (id.p == NULL || !message_id_is_well_formed(id)))
        *why = "its Message-ID is not well-formed (archived_at_requires)";
    return wish != FIELD_OTHER && *why == NULL ? -1 : 0;
}

int plan_stamp_archived_at(struct builder *b)
{
    struct variable_values values = {0};
    const char *why;
    if (b->texts.archived_at_count == 0)
        return 0;
    if (not_archived(b, &why) != 0)
        return -1;
    if (why != NULL)
        return builder_note(b, false, "no Archived-At: %s", why);
    if (template_values(b, &values) != 0)
        return -1;
    for (size_t i = 0; i < b->texts.archived_at_count; i++) {
        if (stamp_template(b, i, &values) != 0)
            return -1;
    }
    return 0;
}

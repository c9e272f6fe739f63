/* plan_stamp - the fields that a distribution gets from its list (RULINGS 2) */
#include "plan/message_values.h"
#include "plan/plan_builder.h"
#include "spec/list_fields.h"
#include "spec/owned_fields.h"

bool plan_keeps(const struct builder *b, enum field_name name)
{
    return b->selection->role == ROLE_DISTRIBUTION && (b->list->keep & FIELD_BIT(name)) != 0 &&
           header_count_of(b->facts->header, name) > 0;
}

static const char *insertion_clause(enum field_name name)
{
    return owned_field_find(name)->insertion_clause;
}

static int stamp_message_id_hash(struct builder *b)
{
    /* With a delimiter missing nothing was taken off: another clause. */
    const char *clause = b->id.n < b->id_text.n ? insertion_clause(FIELD_MESSAGE_ID_HASH) : "SU-03";

    if (!b->list->message_id_hash || b->hash == NULL || plan_keeps(b, FIELD_MESSAGE_ID_HASH))
        return 0;
    return builder_insert(b, FIELD_MESSAGE_ID_HASH, span_cstr(b->hash), clause);
}

/* ---- Archived-At ---------------------------------------------------------------------------- */

/* The values that the templates of the list need. */
static int template_values(struct builder *b, struct variable_values *values)
{
    struct span date_text;
    uint64_t needs = 0;

    for (size_t i = 0; i < b->list->archived_at_count; i++)
        needs |= b->list->archived_at[i].needs;
    if (facts_first(b->facts, FIELD_DATE, b->arena, &date_text) != 0)
        return -1;
    return message_values(b->id_text, date_text, needs, b->facts->settings->sha1, b->arena, values);
}

/* The URI of an Archived-At value: white space deleted, brackets off (AT-03, RULINGS 29). */
static int archived_uri(struct span value, struct arena *arena, struct span *uri)
{
    char *copy = arena_alloc(arena, value.n);
    size_t n = 0;

    if (copy == NULL)
        return -1;
    for (size_t i = 0; i < value.n; i++) {
        if (span_trim(span_of(value.p + i, 1)).n > 0)
            copy[n++] = value.p[i];
    }
    *uri = span_of(copy, n);
    if (n >= 2 && copy[0] == '<' && copy[n - 1] == '>')
        *uri = span_of(copy + 1, n - 2);
    return 0;
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
        struct span uri;

        if (b->deleted[i])
            continue;
        if (archived_uri(header_field(header, i).value, b->arena, &uri) != 0)
            return -1;
        if (span_eq(uri, wanted))
            return 0;
    }
    *there = false;
    return 0;
}

static int stamp_template(struct builder *b, size_t number, const struct variable_values *values)
{
    struct strbuf text = STRBUF_INIT;
    enum variable missing = VAR_COUNT;
    struct span value = span_of(NULL, 0);
    size_t count;
    bool there;
    int result;

    strbuf_add_char(&text, '<');
    result = template_expand(&b->list->archived_at[number], TEMPLATE_URI, values, &text, &missing);
    strbuf_add_char(&text, '>');
    if (!strbuf_failed(&text) && result == 0)
        value = arena_dup(b->arena, strbuf_span(&text));
    if (strbuf_failed(&text) || (result == 0 && value.p == NULL))
        result = -1;
    strbuf_free(&text);
    if (result < 0)
        return -1;
    if (result > 0)
        return builder_note(b, false, "Archived-At by template %zu left out: no value for {%s}",
                            number + 1, variable_name(missing));
    if (is_archived_at(b, value, &there) != 0)
        return -1;
    count = b->insertion_count;
    if (!there &&
        builder_insert(b, FIELD_ARCHIVED_AT, value, insertion_clause(FIELD_ARCHIVED_AT)) != 0)
        return -1;
    if (b->plan->archived_at.n == 0 && (there || b->insertion_count > count))
        b->plan->archived_at = span_of(value.p + 1, value.n - 2);
    return 0;
}

/* Why the post is not in the archive; NULL when it is (AT-04, AT-06, RULINGS 11). 0 or -1. */
static int not_archived(struct builder *b, const char **why)
{
    enum content_kind kind;
    enum field_name wish = FIELD_OTHER;

    *why = NULL;
    if (facts_content_kind(b->facts, b->arena, &kind) != 0)
        return -1;
    if (b->list->honor_no_archive && facts_no_archive(b->facts, b->arena, &wish) != 0)
        return -1;
    if (b->selection->command_response)
        *why = "a command response";
    else if (kind == CONTENT_DIGEST)
        *why = "a digest";
    else if (kind == CONTENT_FRAGMENT)
        *why = "a fragment (message/partial)";
    else if (wish != FIELD_OTHER)
        *why = builder_text(b, "%s asks for it", field_name_text(wish));
    return wish != FIELD_OTHER && *why == NULL ? -1 : 0;
}

static int stamp_archived_at(struct builder *b)
{
    struct variable_values values = {0};
    const char *why;

    if (b->list->archived_at_count == 0)
        return 0;
    if (not_archived(b, &why) != 0)
        return -1;
    if (why != NULL)
        return builder_note(b, false, "no Archived-At: %s", why);
    if (template_values(b, &values) != 0)
        return -1;
    for (size_t i = 0; i < b->list->archived_at_count; i++) {
        if (stamp_template(b, i, &values) != 0)
            return -1;
    }
    return 0;
}

/* ---- List-* --------------------------------------------------------------------------------- */

/* The item's URI for this transaction. 0; 1: it needs the recipient, and there is none or several
 * (RULINGS 16); -1: out of memory. */
static int unsubscribe_uri(struct builder *b, const struct item_template *item, struct span *uri)
{
    const struct envelope *envelope = b->facts->envelope;
    struct variable_values values = {0};
    struct strbuf text = STRBUF_INIT;
    int result;

    if (envelope->first_recipient.n > 0 && !envelope->several_recipients) {
        values.text[VAR_RECIPIENT] = envelope->first_recipient;
        values.set = VAR_BIT(VAR_RECIPIENT);
    }
    result = template_expand(&item->uri, TEMPLATE_URI, &values, &text, NULL);
    *uri = arena_dup(b->arena, strbuf_span(&text));
    if (strbuf_failed(&text) || uri->p == NULL)
        result = -1;
    strbuf_free(&text);
    return result;
}

/* List-Unsubscribe with the items that this transaction can have; empty when there are none. */
static int unsubscribe_value(struct builder *b, struct span *value)
{
    struct list_item *items = arena_calloc(b->arena, b->list->unsubscribe_count, sizeof *items);
    struct strbuf text = STRBUF_INIT;
    size_t count = 0;

    if (items == NULL)
        return -1;
    for (size_t i = 0; i < b->list->unsubscribe_count; i++) {
        const struct item_template *item = &b->list->unsubscribe[i];
        int result = unsubscribe_uri(b, item, &items[count].uri);

        if (result < 0)
            return -1;
        if (result == 0)
            items[count++].comment = item->comment;
    }
    if (count > 0)
        list_field_render(&text, span_cstr(field_name_text(FIELD_LIST_UNSUBSCRIBE)), items, count);
    *value = strbuf_failed(&text) ? span_of(NULL, 0) : arena_dup(b->arena, strbuf_span(&text));
    strbuf_free(&text);
    return value->p == NULL ? -1 : 0;
}

static int stamp_list_fields(struct builder *b)
{
    for (int i = LIST_FIRST_FIELD; i <= LIST_LAST_FIELD; i++) {
        enum field_name name = (enum field_name)i;
        struct span value = list_field(b->list, name);

        if (plan_keeps(b, name))
            continue;
        if (name == FIELD_LIST_UNSUBSCRIBE && b->list->unsubscribe_count > 0 &&
            unsubscribe_value(b, &value) != 0)
            return -1;
        if (value.n > 0 && builder_insert(b, name, value, insertion_clause(name)) != 0)
            return -1;
    }
    return 0;
}

int plan_stamp(struct builder *b)
{
    if (stamp_message_id_hash(b) != 0 || stamp_archived_at(b) != 0)
        return -1;
    return stamp_list_fields(b);
}

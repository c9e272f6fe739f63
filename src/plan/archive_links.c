/* archive_links - see edits.h: Archived-At (AT-01 to AT-06, SU-09, SU-17) */
#include "plan/edits.h"

#include "mail/field_check.h"
#include "plan/message_values.h"
#include "spec/archived_at.h"
#include "spec/message_id.h"
#include "spec/uri.h"

bool stamp_is_too_long(const struct template *t, const struct variable_values *values)
{
    size_t octets = 0;
    for (size_t i = 0; i < t->count && octets <= FIELD_LINE_MAX; i++) {
        const struct template_part *part = &t->parts[i];
        size_t n = part->variable == VAR_COUNT ? part->length : values->text[part->variable].n;
        octets += part->width > 0 && n > part->width ? part->width : n;
    }
    return octets > FIELD_LINE_MAX;
}

const char *stamp_make_item(const struct build *b, const struct list_text *text,
                            const struct variable_values *values, struct list_item *item,
                            enum variable *missing)
{
    const uint64_t of_id = VAR_BIT(VAR_MESSAGE_ID) | VAR_BIT(VAR_MESSAGE_ID_HASH) |
                           VAR_BIT(VAR_LIST_ID_HASH) | VARS_TOKENS;
    *missing = VAR_COUNT;
    if (stamp_is_too_long(&text->text, values))
        return build_text(b, "it %s", field_fault_text(FIELD_LINE_TOO_LONG));
    *missing = list_item_make(text, values, b->arena, item);
    if (*missing != VAR_COUNT) {
        struct span name = variable_text(*missing, &b->facts->settings->token_names);
        bool is_unusable = (values->set & VAR_BIT(*missing)) != 0;
        bool lacks_id = post_id_is_empty(b->post) && (of_id & VAR_BIT(*missing)) != 0;
        return build_text(b, "no %svalue for {%.*s}%s", is_unusable ? "usable " : "", (int)name.n,
                          name.p, lacks_id && !is_unusable ? " (the Message-ID is empty)" : "");
    }
    /* The configuration was checked with samples; another value may make no URI of the text. */
    const char *fault = uri_fault(item->uri);
    return fault == NULL ? NULL : build_text(b, "its URI %s", fault);
}

/* True if an Archived-At that was inserted or that stays has the URI. */
static bool has_archived_at(const struct build *b, struct span uri)
{
    const struct header *header = b->facts->header;
    const struct edit *inserted = b->plan->edits + b->plan->removed;
    bool found = false;
    for (size_t i = 0; i < b->plan->added; i++)
        found |= inserted[i].name == FIELD_ARCHIVED_AT &&
                 span_eq(archived_at_uri(inserted[i].value, b->arena), uri);
    for (size_t i = 0; i < header_count(header); i++)
        found |= header_field(header, i).id == FIELD_ARCHIVED_AT && !b->deleted[i] &&
                 span_eq(archived_at_uri(header_field(header, i).value, b->arena), uri);
    return found;
}

static void stamp_template(struct build *b, size_t place, const struct variable_values *values)
{
    const struct list_text *text = &b->list->texts->archived_at.items[place];
    struct list_item item;
    enum variable missing;
    if (list_leaves_out(b->list, text))
        return;
    const char *why = stamp_make_item(b, text, values, &item, &missing);
    if (why != NULL) {
        notes_add(b, missing == VAR_COUNT, "Archived-At by template %zu left out: %s", place + 1,
                  why);
        return;
    }
    const char *value = build_text(b, "<%s>", item.uri.p);
    bool is_present = has_archived_at(b, item.uri) ||
                      edits_insert_owned(b, owned_field_find(FIELD_ARCHIVED_AT), value);
    if (is_present && b->plan->archived_at.n == 0)
        b->plan->archived_at = item.uri;
}

/* Returns the reason for no Archived-At, or NULL (AT-04, AT-06, SU-23, RULINGS 11, 65). */
static const char *not_archived(const struct build *b)
{
    enum field_name wish =
        b->list->honor_no_archive ? archived_at_wish(b->facts->header, b->arena) : FIELD_OTHER;
    struct span id = b->post->id_text;
    if (b->selection->command_response)
        return "a command response";
    if (b->post->kind == CONTENT_DIGEST)
        return "a digest";
    if (b->post->kind == CONTENT_FRAGMENT || b->post->kind == CONTENT_FIRST_FRAGMENT)
        return "a fragment (message/partial)";
    if (wish != FIELD_OTHER)
        return build_text(b, "the message has %s", field_name_text(wish));
    if (b->list->archived_at_requires == ARCHIVED_AT_WELL_FORMED &&
        (id.p == NULL || !message_id_is_well_formed(id)))
        return "its Message-ID is not well-formed (archived_at_requires)";
    return b->no_archive;
}

void stamp_archived_at(struct build *b, struct variable_values values)
{
    const struct settings *settings = b->facts->settings;
    const struct list_text_array *templates = &b->list->texts->archived_at;
    struct message_source source = message_source_of(b->facts->header, b->arena);
    source.id_text = b->post->id_text;
    source.date_text = b->date;
    source.hash = b->post->hash;
    source.number = b->plan->number;
    source.list = b->list;
    source.tokens = settings->tokens;
    source.token_count = settings->token_names.count;
    uint64_t needs = 0;
    const char *why = b->list->archived_at ? not_archived(b) : NULL;
    if (why != NULL)
        notes_add(b, false, "no Archived-At: %s", why);
    if (!b->list->archived_at || why != NULL)
        return;
    for (size_t i = 0; i < templates->count; i++)
        needs |= templates->items[i].text.needs;
    list_set_archive(b->list, b->arena, &values);
    message_values(&source, needs, b->arena, &values);
    for (size_t i = 0; i < templates->count; i++)
        stamp_template(b, i, &values);
}

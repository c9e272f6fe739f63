/* context - see context.h */
#include "lint/context.h"

#include "mail/fold.h"
#include "spec/list_id.h"

struct span lint_text(const struct lint_context *c, size_t place)
{
    return fold_text(header_field(&c->message->header, place).value, c->arena);
}

size_t lint_place_of(const struct lint_context *c, enum field_name name)
{
    const struct header *header = &c->message->header;
    size_t place = header_find(header, name, 0);
    return place < header_whole_count(header) ? place : LINT_NO_PLACE;
}

struct span lint_first(const struct lint_context *c, enum field_name name)
{
    size_t place = lint_place_of(c, name);
    return place == LINT_NO_PLACE ? span_of(NULL, 0) : lint_text(c, place);
}

bool lint_is_list_mail(const struct lint_context *c)
{
    for (size_t i = 0; i < owned_field_count; i++)
        if (header_count_of(&c->message->header, owned_fields[i].name) > 0)
            return true;
    return c->domain.n > 0;
}

int lint_quoted(struct span text)
{
    return (int)(text.n < LINT_QUOTED ? text.n : LINT_QUOTED);
}

/* Where a field may hold one: few archives have kept them, and each takes half a microsecond. */
static void fill_hashes(struct lint_context *c)
{
    const struct header *header = &c->message->header;
    bool has_link = header_count_of(header, FIELD_ARCHIVED_AT) > 0;
    struct span date;
    c->hash[0] = c->list_hash[0] = '\0';
    c->named_hash = lint_first(c, FIELD_MESSAGE_ID_HASH);
    c->named_list_hash = lint_first(c, FIELD_X_LIST_ID_HASH);
    if (c->id.p == NULL)
        return;
    if (has_link || c->named_hash.p != NULL)
        message_id_hash(message_id_bare(c->id), c->hash);
    if (!has_link && c->named_list_hash.p == NULL)
        return;
    date = lint_first(c, FIELD_DATE);
    if (date.p != NULL)
        message_id_list_hash(c->id, date, c->list_hash);
}

void lint_context_fill(struct lint_context *c)
{
    struct span list_id = lint_first(c, FIELD_LIST_ID);
    c->id = lint_first(c, FIELD_MESSAGE_ID);
    c->list_id = span_of("", 0);
    c->is_international = -1;
    if (list_id.p != NULL)
        list_id_read(list_id, c->arena, &c->list_id);
    if (list_id_fault(c->list_id) != NULL)
        c->list_id = span_of("", 0); /* then it names no domain, either */
    fill_hashes(c);
}

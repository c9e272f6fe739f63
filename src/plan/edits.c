/* edits - see edits.h: the only writer of the edits of a plan */
#include "plan/edits.h"

#include "mail/field_check.h"
#include "mail/fold.h"
#include "spec/list_fields.h"
#include "spec/uri.h"

size_t edits_first_readable(const struct build *b, enum field_name name)
{
    const struct header *header = b->facts->header;
    const struct owned_field *owned = owned_field_find(name);
    size_t place = header_find(header, name, 0);
    while (place < header_count(header) &&
           !owned_field_is_readable(owned, header_field(header, place).value, b->arena))
        place = header_find(header, name, place + 1);
    return place;
}

/* True if the List-Unsubscribe at this place has an https URI. */
static bool has_https(const struct build *b, size_t place)
{
    struct cursor c = cursor_of(header_text(b->facts->header, place, b->arena));
    struct span uri;
    bool first = true, found = false;
    while (list_field_next_uri(&c, &first, b->arena, &uri))
        found |= uri_has_scheme(uri, "https");
    return found;
}

bool edits_keep(const struct build *b, enum field_name name)
{
    size_t count = header_count(b->facts->header);
    if (b->selection->role != ROLE_DISTRIBUTION || (b->list->keep & FIELD_BIT(name)) == 0)
        return false;
    if (name == FIELD_LIST_UNSUBSCRIBE_POST &&
        !(edits_keep(b, FIELD_LIST_UNSUBSCRIBE) &&
          has_https(b, edits_first_readable(b, FIELD_LIST_UNSUBSCRIBE))))
        return false;
    return edits_first_readable(b, name) < count;
}

bool edits_are_parents(const struct build *b, enum field_name name)
{
    bool is_feed = b->selection->role == ROLE_FEED;
    if (!b->selection->has_parent)
        return false;
    switch (name) {
    case FIELD_LIST_ID:
    case FIELD_ARCHIVED_AT:
        return true;
    case FIELD_LIST_POST:
        return is_feed || !b->list->replace_post;
    case FIELD_LIST_ARCHIVE:
        return is_feed || list_items(b->list, FIELD_LIST_ARCHIVE)->count == 0;
    default:
        return false;
    }
}

bool edits_insert(struct build *b, enum field_name name, const char *value, const char *clause)
{
    const char *name_text = field_name_text(name);
    struct span text = span_cstr(value);
    struct plan *plan = b->plan;
    if (((b->forbidden | b->withheld) & FIELD_BIT(name)) != 0) {
        b->left_out |= FIELD_BIT(name);
        return false;
    }
    enum field_fault fault = field_check(span_cstr(name_text), text);
    if (fault != FIELD_FINE) {
        notes_add(b, true, "%s left out: it %s", name_text, field_fault_text(fault));
        return false;
    }
    unsigned index = (unsigned)++plan->added;
    plan->edits[plan->removed + index - 1] =
        (struct edit){EDIT_INSERT, name, index, text, value, clause};
    return true;
}

bool edits_insert_owned(struct build *b, const struct owned_field *owned, const char *value)
{
    bool is_nested = b->selection->has_parent && owned->nested_clause != NULL;
    if (*value == '\0')
        return false;
    if (owned->name != FIELD_ARCHIVED_AT && /* there may be several */
        (edits_keep(b, owned->name) || edits_are_parents(b, owned->name)))
        return false;
    return edits_insert(b, owned->name, value,
                        is_nested ? owned->nested_clause : owned->insertion_clause);
}

void edits_delete(struct build *b, size_t place, size_t number, const char *clause)
{
    const struct header *header = b->facts->header;
    b->deleted[place] = true;
    b->plan->edits[b->plan->removed++] =
        (struct edit){.op = EDIT_DELETE,
                      .name = header_field(header, place).id,
                      .index = (unsigned)number,
                      .value = header_text(header, place, b->arena),
                      .clause = clause};
}

bool edits_change_nothing(const struct build *b)
{
    const struct plan *plan = b->plan;
    unsigned numbers[FIELD_NAME_COUNT] = {0};
    if (plan->removed != plan->added)
        return false;
    for (size_t i = plan->removed; i < plan->edit_count; i++) {
        const struct edit *insertion = &plan->edits[i], *deletion = plan->edits;
        const struct edit *end = plan->edits + plan->removed;
        unsigned number = ++numbers[insertion->name];
        while (deletion < end && (deletion->name != insertion->name || deletion->index != number))
            deletion++;
        if (deletion == end || !span_eq(deletion->value, fold_text(insertion->value, b->arena)))
            return false;
    }
    return true;
}

/* removal - see edits.h: which received fields go (RULINGS 26, 27, 70, 128) */
#include "plan/edits.h"

#include "config/lists/list.h"
#include "mail/fold.h"
#include "spec/list_id.h"

/* Traits of a message, or of one of its fields. */
enum {
    SPARES_PRIVATE = 1 << 0, /* a private recipient of a feed gets the copy, too */
    HAS_PARENT = 1 << 1,     /* it is a parent's post */
    IS_KEPT = 1 << 2,        /* a name that `keep` leaves */
    IS_PARENTS = 1 << 3,     /* a name that a parent's post brings */
    IS_LIST_ID = 1 << 4,
    IS_ARCHIVED_AT = 1 << 5,
    IS_PARENTS_ID = 1 << 6, /* the List-Id of the parent */
    IS_FIRST = 1 << 7,      /* of those of its name that a program can read */
    IS_READABLE = 1 << 8,
    IS_HARMFUL = 1 << 9 /* for the list manager's copies; see is_harmful() */
};

/* The clause of a deletion. */
enum removal { STAYS, REMOVED, REMOVED_AS_SECOND, REMOVED_AS_NESTED };

/* The first row counts of which all is true. */
static const struct row {
    unsigned all;
    enum removal removal;
} rows[] = {
    {IS_PARENTS_ID, STAYS},                 /* RULINGS 27 */
    {SPARES_PRIVATE | IS_HARMFUL, REMOVED}, /* RULINGS 70 */
    {SPARES_PRIVATE, STAYS},
    {HAS_PARENT | IS_LIST_ID, REMOVED_AS_NESTED},
    {IS_KEPT | IS_ARCHIVED_AT | IS_READABLE, STAYS}, /* RULINGS 26 */
    {IS_KEPT | IS_FIRST, STAYS},
    {IS_KEPT, REMOVED},
    {IS_PARENTS | IS_ARCHIVED_AT | IS_READABLE, STAYS}, /* RULINGS 29 */
    {IS_PARENTS | IS_FIRST, STAYS},                     /* RULINGS 28 */
    {IS_PARENTS | IS_READABLE, REMOVED_AS_SECOND},
    {HAS_PARENT, REMOVED_AS_NESTED},
    {0, REMOVED},
};

/* True if the id is that of a configured list, or of a parent of a recipient list. */
static bool is_own_id(const struct build *b, struct span id)
{
    const struct envelope_list *at = b->facts->envelope->lists;
    if (list_get(&b->facts->settings->index, LIST_BY_ID, id) != NULL)
        return true;
    while (at != NULL && !list_names_parent(at->list, id))
        at = at->next;
    return at != NULL;
}

/* True for a field that must not reach a list manager, although a private recipient gets this copy,
 * too: a later distribution would believe it (RULINGS 70, 79), or it has a CR inside (116). */
static bool is_harmful(const struct build *b, const struct owned_field *owned, struct span value)
{
    struct span id;
    if ((b->kept_later & FIELD_BIT(owned->name)) != 0 || fold_has_stray_cr(value))
        return true;
    if (owned->name == FIELD_LIST_ID)
        return list_id_read(value, b->arena, &id) && is_own_id(b, id);
    return owned->removed_with_private_recipients;
}

/* Returns what is true of the message and of all fields of the name. */
static unsigned traits_of_name(const struct build *b, enum field_name name)
{
    return (b->selection->spares_private ? SPARES_PRIVATE : 0u) |
           (b->selection->has_parent ? HAS_PARENT : 0u) | (edits_keep(b, name) ? IS_KEPT : 0u) |
           (edits_are_parents(b, name) ? IS_PARENTS : 0u) |
           (name == FIELD_LIST_ID ? IS_LIST_ID : 0u) |
           (name == FIELD_ARCHIVED_AT ? IS_ARCHIVED_AT : 0u);
}

/* Returns the clause by which a field is deleted, or NULL if it stays. */
static const char *clause_of(const struct build *b, const struct owned_field *owned,
                             struct span value, unsigned traits)
{
    const struct row *row = rows;
    struct span id;
    while ((row->all & traits) != row->all)
        row++;
    if (row->removal == STAYS)
        return NULL;
    if (row->removal == REMOVED_AS_SECOND)
        return "LH-02";
    if (row->removal == REMOVED || (traits & IS_LIST_ID) == 0)
        return row->removal == REMOVED || owned->nested_clause == NULL ? owned->removal_clause
                                                                       : owned->nested_clause;
    return list_id_read(value, b->arena, &id) && span_eq_nocase(id, b->list->id) ? "LI-11"
                                                                                 : "LI-05";
}

/* Deletes the fields of an owned name that must go. Begins with the lowest, so that the numbers of
 * the fields above stay. */
static void delete_owned(struct build *b, const struct owned_field *owned)
{
    const struct header *header = b->facts->header;
    size_t number = header_count_of(header, owned->name);
    if (number == 0)
        return;
    const unsigned of_name = traits_of_name(b, owned->name);
    bool may_stay = (of_name & (IS_KEPT | IS_PARENTS)) != 0;
    size_t first = may_stay ? edits_first_readable(b, owned->name) : header_count(header);
    for (size_t place = header_count(header); number > 0 && place-- > 0;) {
        struct field field = header_field(header, place);
        if (field.id != owned->name)
            continue;
        bool is_parents_id = (of_name & HAS_PARENT) != 0 && place == b->selection->parent_field;
        unsigned traits =
            of_name | (place == first ? IS_FIRST : 0u) | (is_parents_id ? IS_PARENTS_ID : 0u) |
            (may_stay && owned_field_is_readable(owned, field.value, b->arena) ? IS_READABLE : 0u) |
            ((of_name & SPARES_PRIVATE) != 0 && is_harmful(b, owned, field.value) ? IS_HARMFUL
                                                                                  : 0u);
        const char *clause = clause_of(b, owned, field.value, traits);
        if (clause != NULL)
            edits_delete(b, place, number, clause);
        number--;
    }
}

/* Deletes the Message-ID fields after the first (SU-05), the lowest first. */
static void delete_further_ids(struct build *b)
{
    const struct header *header = b->facts->header;
    size_t number = header_count_of(header, FIELD_MESSAGE_ID);
    for (size_t place = header_count(header); number > 1 && place-- > 0;)
        if (header_field(header, place).id == FIELD_MESSAGE_ID)
            edits_delete(b, place, number--, "SU-05");
}

void removal_delete(struct build *b)
{
    if (b->list->duplicate_message_id == DUPLICATE_DELETE)
        delete_further_ids(b);
    for (size_t i = 0; i < owned_field_count; i++)
        delete_owned(b, &owned_fields[i]);
}

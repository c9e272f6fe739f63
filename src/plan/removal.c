/* removal - see edits.h: which received fields go (RULINGS 26, 27, 70, 128) */
#include "plan/edits.h"

#include "mail/fold.h"
#include "spec/list_id.h"

/* Traits of a message, of all its fields of a name, and of one field. */
enum {
    SPARES_PRIVATE = 1 << 0, /* a private recipient of a feed gets the copy, too */
    HAS_PARENT = 1 << 1,     /* it is a parent's post */
    IS_LIST_ID = 1 << 2,
    IS_KEPT = 1 << 3,       /* a name that `keep` leaves */
    IS_PARENTS = 1 << 4,    /* a name that a parent's post brings */
    IS_PARENTS_ID = 1 << 5, /* the List-Id of the parent */
    IS_HARMFUL = 1 << 6,    /* for a list manager's copies; see is_harmful() */
    IS_READABLE = 1 << 7,   /* a program can read a field that is kept or the parent's */
    IS_CHOSEN = 1 << 8      /* and it is the first of its name, or an Archived-At */
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
    {IS_CHOSEN, STAYS}, /* RULINGS 26, 28, 29 */
    {IS_KEPT, REMOVED},
    {IS_PARENTS | IS_READABLE, REMOVED_AS_SECOND},
    {HAS_PARENT, REMOVED_AS_NESTED},
    {0, REMOVED},
};

/* True if the id is that of a configured list, or of a parent of a list of the transaction. */
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
    return owned->removed_with_private_recipients &&
           (owned->name != FIELD_LIST_ID ||
            (list_id_read(value, b->arena, &id) && is_own_id(b, id)));
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
    if (row->removal == REMOVED_AS_NESTED && owned->name == FIELD_LIST_ID)
        return list_id_read(value, b->arena, &id) && span_eq_nocase(id, b->list->id) ? "LI-11"
                                                                                     : "LI-05";
    return row->removal == REMOVED_AS_NESTED && owned->nested_clause != NULL
               ? owned->nested_clause
               : owned->removal_clause;
}

static unsigned trait(bool is_true, unsigned bit)
{
    return is_true ? bit : 0;
}

/* Deletes the fields of an owned name that must go. Begins with the lowest, so that the numbers of
 * the fields above stay. */
static void delete_owned(struct build *b, const struct owned_field *owned)
{
    const struct header *header = b->facts->header;
    const struct selection *s = b->selection;
    enum field_name name = owned->name;
    size_t number = header_count_of(header, name);
    if (number == 0)
        return;
    const unsigned of_name =
        trait(s->spares_private, SPARES_PRIVATE) | trait(s->has_parent, HAS_PARENT) |
        trait(edits_keep(b, name), IS_KEPT) | trait(edits_are_parents(b, name), IS_PARENTS) |
        trait(name == FIELD_LIST_ID, IS_LIST_ID);
    bool may_stay = (of_name & (IS_KEPT | IS_PARENTS)) != 0;
    size_t first = may_stay ? edits_first_readable(b, name) : header_count(header);
    for (size_t place = header_count(header); number > 0 && place-- > 0;) {
        struct field field = header_field(header, place);
        if (field.id != name)
            continue;
        bool is_readable = may_stay && owned_field_is_readable(owned, field.value, b->arena);
        bool is_chosen = name == FIELD_ARCHIVED_AT ? is_readable : place == first;
        unsigned traits = of_name | trait(is_readable, IS_READABLE) | trait(is_chosen, IS_CHOSEN) |
                          trait(s->has_parent && place == s->parent_field, IS_PARENTS_ID) |
                          trait(s->spares_private && is_harmful(b, owned, field.value), IS_HARMFUL);
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
    for (size_t place = header_count(header); number > 1;)
        if (header_field(header, --place).id == FIELD_MESSAGE_ID)
            edits_delete(b, place, number--, "SU-05");
}

void removal_delete(struct build *b)
{
    if (b->list->duplicate_message_id == DUPLICATE_DELETE)
        delete_further_ids(b);
    for (size_t i = 0; i < owned_field_count; i++)
        delete_owned(b, &owned_fields[i]);
}

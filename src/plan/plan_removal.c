/* plan_removal - which of the message's fields go, and for which clause */
#include "plan/plan_removal.h"

#include "plan/plan_field.h"
#include "plan/selection_list_id.h"
#include "spec/list_fields.h"
#include "spec/list_id.h"
#include "spec/owned_fields.h"
#include "spec/uri.h"

/* 0 or -1. */
static int find_https_unsubscribe(struct builder *b)
{
    struct span text, uri;
    bool first = true;
    text = facts_first(b->facts, FIELD_LIST_UNSUBSCRIBE, b->arena);
    struct cursor c = cursor_of(text);
    while (list_field_next_uri(&c, &first, b->arena, &uri))
        b->has_https_unsubscribe |= uri_has_scheme(uri, "https");
    return 0;
}

/* Beside the parent's List-Id none stays (RULINGS 27): the list's own because the parent's is left
 * as it is, any other because there may be only one. */
static int list_id_beside_parent(const struct builder *b, const struct received *field,
                                 const char **clause)
{
    struct span id;
    bool found = list_id_read(field->value, b->arena, &id);
    *clause = found && span_eq_nocase(id, b->list->id) ? "LI-11" : "LI-05";
    if (field->place == b->selection->parent_field)
        *clause = NULL;
    return 0;
}

/* What of the parent's other fields goes (RULINGS 27 to 29). */
static const char *removal_beside_parent(const struct builder *b, const struct received *field)
{
    const char *clause = plan_nested_clause(field->name);
    if (field->name == FIELD_ARCHIVED_AT)
        return NULL;
    if (plan_leaves_to_parent(b, field->name))
        return field->number > 1 ? "LH-02" : NULL;
    return clause != NULL ? clause : owned_field_find(field->name)->removal_clause;
}

/* Is the id that of a parent of a list whose feed this is? */
static bool is_parent_of_recipient(const struct envelope *envelope, struct span id)
{
    for (size_t i = 0; i < envelope->list_count; i++) {
        if (list_id_names_parent(envelope->lists[i].list, id))
            return true;
    }
    return false;
}

/* What private recipients of a feed have a right to stays: a List-Id of a list of others, unless a
 * list manager's copy with it would be taken for a parent's post, and that of a parent that is
 * believed (RULINGS 70, 79). */
static int list_id_beside_private(const struct builder *b, const struct received *field,
                                  const char **clause)
{
    struct span id;
    bool found = list_id_read(field->value, b->arena, &id);
    if (field->place == header_count(b->facts->header))
        return 0; /* nobody knows whose it is */
    if ((!found || (list_by_id(&b->facts->settings->index, id) == NULL &&
                    !is_parent_of_recipient(b->facts->envelope, id))) &&
        (b->kept_later & FIELD_BIT(FIELD_LIST_ID)) == 0)
        *clause = NULL;
    if (b->selection->has_parent && field->place == b->selection->parent_field)
        *clause = NULL;
    return 0;
}

/* Every owned field goes, but for `keep` (RULINGS 26), a parent's and those of private
 * recipients. */
static int removal(const struct builder *b, const struct received *field, const char **clause)
{
    const struct owned_field *owned = owned_field_find(field->name);
    *clause = owned->removal_clause;
    if (b->selection->private_recipients) {
        bool kept_later = (b->kept_later & FIELD_BIT(field->name)) != 0;
        if (field->name == FIELD_LIST_ID)
            return list_id_beside_private(b, field, clause);
        if (!owned->removed_beside_private_recipients && !kept_later)
            *clause = NULL;
    } else if (b->selection->has_parent && field->name == FIELD_LIST_ID) {
        return list_id_beside_parent(b, field, clause);
    } else if (plan_keeps(b, field->name)) {
        if (owned->keep_all_copies || field->number == 1)
            *clause = NULL;
    } else if (b->selection->has_parent) {
        *clause = removal_beside_parent(b, field);
    }
    return 0;
}

int plan_remove(struct builder *b)
{
    if (find_https_unsubscribe(b) != 0)
        return -1;
    for (size_t i = 0; i < owned_field_count; i++) {
        if (builder_delete(b, owned_fields[i].name, removal) != 0)
            return -1;
    }
    return 0;
}

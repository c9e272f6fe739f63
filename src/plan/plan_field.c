/* plan_field - what the list and its parent say of one owned field */
#include "plan/plan_field.h"

#include "spec/owned_fields.h"

bool plan_keeps(const struct builder *b, enum field_name name)
{
    if (name == FIELD_LIST_UNSUBSCRIBE_POST &&
        !(b->has_https_unsubscribe && plan_keeps(b, FIELD_LIST_UNSUBSCRIBE)))
        return false;
    return b->selection->role == ROLE_DISTRIBUTION && (b->list->keep & FIELD_BIT(name)) != 0 &&
           header_count_of(b->facts->header, name) > 0;
}

const char *plan_nested_clause(enum field_name name)
{
    switch (name) {
    case FIELD_ARCHIVED_AT:
        return "AT-05";
    case FIELD_LIST_HELP:
    case FIELD_LIST_SUBSCRIBE:
    case FIELD_LIST_UNSUBSCRIBE:
    case FIELD_LIST_OWNER:
        return "LH-10";
    case FIELD_LIST_ARCHIVE:
        return "LH-11";
    case FIELD_LIST_POST:
        return "LH-12";
    default:
        return NULL;
    }
}

bool plan_leaves_to_parent(const struct builder *b, enum field_name name)
{
    if (!b->selection->has_parent)
        return false;
    switch (name) {
    case FIELD_LIST_ID:
    case FIELD_ARCHIVED_AT:
        return true;
    case FIELD_LIST_POST:
        return b->selection->role == ROLE_FEED || !b->list->replace_post;
    case FIELD_LIST_ARCHIVE:
        return b->selection->role == ROLE_FEED ||
               list_texts_field(&b->texts, FIELD_LIST_ARCHIVE).n == 0;
    default:
        return false;
    }
}

int plan_stamp_field(struct builder *b, enum field_name name, struct span value)
{
    const char *clause = b->selection->has_parent ? plan_nested_clause(name) : NULL;
    if (value.n == 0 || plan_keeps(b, name) || plan_leaves_to_parent(b, name))
        return 0;
    if (clause == NULL)
        clause = owned_field_find(name)->insertion_clause;
    return builder_insert(b, name, value, clause);
}

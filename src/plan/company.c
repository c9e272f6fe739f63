/* company - see company.h */
#include "plan/company.h"

#include "config/lists/list.h"

/* Returns the count of lists of that kind. */
static size_t *count_of(struct envelope_counts *counts, const struct list *list,
                        enum recipient_kind kind)
{
    bool is_contact = kind == RECIPIENT_CONTACT;
    if (list->select == SELECT_RECIPIENT)
        return is_contact ? &counts->alias_list_contacts : &counts->alias_lists;
    return is_contact ? &counts->managed_contacts : &counts->managed;
}

/* Returns how the recipients so far lead to the list, or NULL. */
static struct envelope_list *present_list(const struct envelope *e, const struct list *list)
{
    struct envelope_list *at = e->lists;
    while (at != NULL && at->list != list)
        at = at->next;
    return at;
}

enum company company_find(const struct envelope *e, const struct list *list,
                          enum recipient_kind kind)
{
    const struct envelope_list *present = present_list(e, list);
    struct envelope_counts others = e->counts;
    bool is_alias = list->select == SELECT_RECIPIENT, is_contact = kind == RECIPIENT_CONTACT;
    if (present != NULL && present->kind >= kind)
        return COMPANY_NONE;
    if (present != NULL)
        --*count_of(&others, list, present->kind);
    size_t aliases = others.alias_lists + (is_contact ? 0 : others.alias_list_contacts);
    size_t managed = others.managed + (is_contact ? 0 : others.managed_contacts);
    if (is_alias ? managed > 0 : aliases > 0)
        return COMPANY_DEFERRED;
    if (aliases == 0)
        return COMPANY_NONE;
    bool is_allowed = e->alias_lists_share && list->crosspost == CROSSPOST_FIRST &&
                      list_has_same_owner(list, e->alias_list);
    return is_allowed ? COMPANY_ALLOWED : COMPANY_DEFERRED;
}

void company_add(struct envelope *e, const struct list *list, enum recipient_kind kind)
{
    struct envelope_list *present = present_list(e, list);
    if (present != NULL && present->kind >= kind)
        return;
    if (present != NULL) {
        --*count_of(&e->counts, list, present->kind);
    } else {
        present = arena_calloc(&e->arena, 1, sizeof *present);
        present->list = list;
        *(e->last_list != NULL ? &e->last_list->next : &e->lists) = present;
        e->last_list = present;
    }
    present->kind = kind;
    ++*count_of(&e->counts, list, kind);
    if (list->select != SELECT_RECIPIENT)
        return;
    e->alias_lists_share = e->alias_lists_share && list->crosspost == CROSSPOST_FIRST &&
                           (e->alias_list == NULL || list_has_same_owner(list, e->alias_list));
    e->alias_list = list;
}

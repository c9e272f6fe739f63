/* list_delegated - what a list of somebody else's file may not be (LI-03, RULINGS 14, 59). */
#include "config/lists/draft.h"
#include "spec/list_id.h"

#include <string.h>

void list_builder_trial(struct list_builder *trial, const struct list_builder *in_force,
                        struct settings *settings, struct diagnostics *diagnostics)
{
    *trial = *in_force;
    trial->settings = settings;
    trial->diagnostics = diagnostics;
    trial->in_force = in_force;
    trial->origins = NULL;
    trial->origin_capacity = 0;
    trial->finished = 0;
    /* What has been told once for all lists is to be told for these too. */
    trial->default_nesting = NULL;
    trial->default_nesting_wrong = false;
    trial->refused = 0;
    arena_init(&trial->scratch, 0);
    arena_init(&trial->kept, 0);
    hint_groups_init(&trial->hints);
}

int draft_in_domains(struct list_draft *draft, struct span domain)
{
    struct list_builder *b = draft->builder;
    return b->delegate == NULL ? 1 : delegate_covers(b->delegate, domain, &b->scratch);
}

int draft_check_id(struct list_draft *draft)
{
    const struct raw_section *raw = draft->raw;
    int inside = draft_in_domains(draft, list_id_namespace(raw->title));
    if (inside < 0)
        return -1;
    if (inside == 1)
        return 0;
    say(draft->builder->diagnostics, SEVERITY_ERROR, place_of(raw->file, raw->line, "list"),
        raw->title, "%s", draft->builder->delegate->outside);
    draft->wrong = true;
    return 1;
}

/* RULINGS 14, of parents that the file itself names: those of the defaults are the administrator's
 * word. An id that is no list of ours now may become one: see list_builder_drop_parents. */
int draft_check_parents(struct list_draft *draft)
{
    const struct list_builder *b = draft->builder;
    const struct raw_value *parents = &draft->raw->values[KEY_PARENTS];
    if (b->delegate == NULL || b->in_force == NULL || !parents->set)
        return 0;
    for (size_t i = 0; i < parents->count; i++) {
        const struct raw_item *item = &parents->items[i];
        int inside = draft_in_domains(draft, list_id_namespace(item->text));
        if (inside < 0)
            return -1;
        if (inside == 0 && list_by_id(&b->in_force->settings->index, item->text) != NULL)
            draft_item_wrong(draft, KEY_PARENTS, item, b->delegate->outside);
    }
    return 0;
}

/* The parents of the list that are not lists of ours outside of the domains. 0 or -1. */
static int filter_parents(struct list_builder *b, const struct delegate *delegate,
                          struct nesting *left, struct span *dropped)
{
    struct span *parents = arena_calloc(&b->settings->arena, left->parent_count, sizeof *parents);
    if (parents == NULL)
        return -1;
    size_t count = 0;
    for (size_t i = 0; i < left->parent_count; i++) {
        struct span id = left->parents[i];
        int inside = delegate_covers(delegate, list_id_namespace(id), &b->scratch);
        if (inside < 0)
            return -1;
        if (inside == 1 || list_by_id(&b->settings->index, id) == NULL)
            parents[count++] = id;
        else if (dropped->n == 0)
            *dropped = id;
    }
    left->parents = parents;
    left->parent_count = count;
    return 0;
}

int list_builder_drop_parents(struct list_builder *b, const struct delegate *delegate, size_t at,
                              struct span *dropped)
{
    struct list *list = b->settings->index.lists[at];
    bool any = false;
    *dropped = span_of(NULL, 0);
    if (b->origins[at].parents_line == 0)
        return 0;
    for (size_t i = 0; list->nesting != NULL && i < list->nesting->parent_count; i++)
        any = any || list_by_id(&b->settings->index, list->nesting->parents[i]) != NULL;
    if (!any)
        return 0;
    struct nesting *left = arena_alloc(&b->settings->arena, sizeof *left);
    if (left == NULL)
        return -1;
    *left = *list->nesting; /* lists may share one */
    if (filter_parents(b, delegate, left, dropped) != 0)
        return -1;
    if (dropped->n > 0)
        list->nesting = left->parent_count > 0 ? left : NULL;
    return 0;
}

/* parents - see parents.h */
#include "config/lists/parents.h"

#include "config/lists/nesting.h"
#include "spec/list_id.h"

/* True if a list with that origin may name the list `id` (RULINGS 14). */
static bool may_name(struct list_builder *b, const struct list_origin *origin, struct span id)
{
    return origin->bounds == NULL || origin->parents_line == 0 ||
           list_by_id(b->index, id) == NULL ||
           domains_cover(origin->bounds, list_id_namespace(id), &b->scratch);
}

/* Leaves out the parents that the list may not name. Returns the first of them, or an empty span.
 */
static struct span drop_parents(struct list_builder *b, const struct list_origin *origin,
                                struct list *list)
{
    const struct nesting *all = list->nesting;
    struct nesting *left = NULL;
    struct span dropped = span_of(NULL, 0);
    if (all == NULL || origin->bounds == NULL || origin->parents_line == 0)
        return dropped;
    for (size_t i = 0; i < all->parent_count; i++) {
        bool may = may_name(b, origin, all->parents[i]);
        if (may && left != NULL) {
            nesting_add(left, all->parents[i]);
        } else if (!may && left == NULL) {
            dropped = all->parents[i];
            left = nesting_copy(all, b->given.arena);
            for (size_t k = 0; k < i; k++)
                nesting_add(left, all->parents[k]);
        }
    }
    if (left != NULL)
        list->nesting = left->parent_count > 0 ? left : NULL;
    return dropped;
}

void list_builder_drop_parents(struct list_builder *b)
{
    const struct domains *bounds = NULL;
    size_t told = 0;
    for (size_t i = 0; i < b->index->count; i++) {
        const struct list_origin *origin = &b->origins[i];
        arena_reset(&b->scratch);
        struct span dropped = drop_parents(b, origin, b->index->lists[i]);
        told = origin->bounds == bounds ? told : 0;
        bounds = origin->bounds;
        if (dropped.n == 0 || told++ >= BOUND_FILE_TOLD)
            continue;
        b->diagnostics->delegate = bounds->owner;
        say(b->diagnostics, SEVERITY_DELEGATED,
            place_of(origin->file, origin->parents_line, schema[KEY_PARENTS].name), dropped,
            "%s; it is left out, the list stays in force", bounds->outside);
        b->diagnostics->delegate = NULL;
    }
}

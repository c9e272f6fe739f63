/* parents - looks at each list with parents. */
#include "config/lists/parents.h"

#include "config/lists/nesting.h"
#include "spec/list_id.h"
#include "text/edit_distance.h"

#include <stdio.h>
#include <string.h>

/* In more lists than this nobody is looked for whose id is nearly that of a parent. */
#define LISTS_SEARCHED 1000

/* A list with more parents than this is not looked at: each is held against all others. */
#define PARENTS_SEARCHED 16

struct look {
    struct list_builder *b;
    const struct list *list;
    const struct list_origin *origin;
    const char *told_file; /* of a delegate: hints were told about it, as many as `told` */
    size_t told;
    bool told_defaults; /* a hint about the parents of the defaults */
};

static bool names(const struct list *list, struct span id)
{
    for (size_t i = 0; i < list->nesting->parent_count; i++)
        if (span_eq_nocase(list->nesting->parents[i], id))
            return true;
    return span_eq_nocase(list->id, id);
}

/* True if a list with that origin may name the list `id` (RULINGS 14). */
static bool may_name(struct list_builder *b, const struct list_origin *origin, struct span id)
{
    return origin->bounds == NULL || origin->parents_line == 0 ||
           list_by_id(b->index, id) == NULL ||
           domains_cover(origin->bounds, list_id_namespace(id), &b->scratch);
}

/* A file of a delegate gets a few only, so that it hides no hint about others. */
static bool is_enough(struct look *look)
{
    if (look->origin->bounds == NULL)
        return false;
    if (look->told_file == NULL || strcmp(look->told_file, look->origin->file) != 0)
        look->told = 0;
    look->told_file = look->origin->file;
    return look->told++ >= BOUND_FILE_TOLD;
}

static void hint(struct look *look, struct span parent, const char *what)
{
    struct list_builder *b = look->b;
    struct place place =
        place_of(look->origin->file, look->origin->parents_line, schema[KEY_PARENTS].name);
    if (place.line == 0) { /* told once for all lists that take it from there */
        const struct raw_value *value = &b->defaults.values[KEY_PARENTS];
        if (look->told_defaults)
            return;
        look->told_defaults = true;
        place.file = b->defaults.file;
        place.line = value->count > 0 ? value->items[0].line : 0;
        place.list = look->list->id;
    }
    if (!is_enough(look))
        say(b->diagnostics, SEVERITY_HINT, place, parent, "%s", what);
}

/* RULINGS 27: of a post that the upper list has from one further up only that one's List-Id is
 * left. */
static void look_at_chain(struct look *look, struct span id, const struct list *parent)
{
    if (parent->nesting == NULL || parent->nesting->parent_count > PARENTS_SEARCHED)
        return;
    for (size_t i = 0; i < parent->nesting->parent_count; i++) {
        struct span upper = parent->nesting->parents[i];
        struct shown shown;
        char what[240];
        if (names(look->list, upper) || !may_name(look->b, look->origin, upper))
            continue;
        snprintf(what, sizeof what,
                 "is itself nested in \"%s\", whose List-Id its posts carry (expected that id here "
                 "too)",
                 shown_text(upper, &shown));
        hint(look, id, what);
    }
}

/* Two octets of a long id, one of a shorter one: of "a.b" any other list is one off. */
static unsigned typing_errors(struct span id)
{
    return id.n >= 16 ? 2 : id.n >= 8 ? 1 : 0;
}

static void look_for_meant(struct look *look, struct span id)
{
    const struct list_index *index = look->b->index;
    for (size_t i = 0; i < index->count; i++) {
        struct span other = index->lists[i]->id;
        struct shown shown;
        char what[200];
        if (!edit_is_within(id, other, typing_errors(id)) || names(look->list, other) ||
            !may_name(look->b, look->origin, other))
            continue;
        snprintf(what, sizeof what, "is no list of ours (did you mean \"%s\"?)",
                 shown_text(other, &shown));
        hint(look, id, what);
        return;
    }
}

static void look_at_list(struct look *look, bool is_whole)
{
    const struct list_index *index = look->b->index;
    const struct nesting *nesting = look->list->nesting;
    if (nesting == NULL || nesting->parent_count > PARENTS_SEARCHED)
        return;
    for (size_t i = 0; i < nesting->parent_count; i++) {
        struct span id = nesting->parents[i];
        const struct list *parent = list_by_id(index, id);
        if (parent != NULL)
            look_at_chain(look, id, parent);
        else if (is_whole && index->count < LISTS_SEARCHED)
            look_for_meant(look, id);
    }
}

void list_builder_parent_hints(struct list_builder *b, bool is_whole)
{
    struct look look = {.b = b};
    for (size_t i = 0; i < b->index->count; i++) {
        look.list = b->index->lists[i];
        look.origin = &b->origins[i];
        arena_reset(&b->scratch);
        look_at_list(&look, is_whole);
    }
}

/* ---- what a file with bounds may not name ---- */

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
            place_of(origin->file, origin->line, schema[KEY_PARENTS].name), dropped,
            "%s; it is left out, the list stays in force", bounds->outside);
        b->diagnostics->delegate = NULL;
    }
}

/* nesting - builds them; what all lists have from the defaults, they share. */
#include "config/lists/nesting.h"

#include "spec/list_id.h"

/* Each List-Id of a post is held against each parent, and a post may have thousands: with 40,000
 * that took 0.75 s. */
#define PARENTS_MAX 1000

struct nesting *nesting_copy(const struct nesting *all, struct arena *arena)
{
    struct nesting *left = arena_alloc(arena, sizeof *left);
    struct span *parents = arena_calloc(arena, all->parent_count, sizeof *parents);
    *left = *all;
    left->parents = parents;
    left->parent_count = 0;
    return left;
}

void nesting_add(struct nesting *left, struct span parent)
{
    left->parents[left->parent_count++] = parent;
}

/* Sets the parents, which need not be lists of ours. Returns false if one is wrong. */
static bool build_parents(struct list_draft *draft, const struct raw_value *value,
                          struct nesting *nesting)
{
    struct arena *arena = draft->builder->given.arena;
    if (value->count > PARENTS_MAX) {
        say(draft->builder->diagnostics, SEVERITY_ERROR, draft_key_place(draft, KEY_PARENTS),
            NO_VALUE, "has %zu ids (expected at most 1,000)", value->count);
        draft->wrong = true;
        return false;
    }
    bool is_right = true;
    nesting->parents = arena_calloc(arena, value->count, sizeof *nesting->parents);
    for (size_t i = 0; i < value->count; i++) {
        const char *fault = list_id_fault(value->items[i].text);
        if (fault != NULL) {
            draft_item_wrong(draft, KEY_PARENTS, &value->items[i], fault);
            is_right = false;
        }
        nesting_add(nesting, arena_dup(arena, value->items[i].text));
    }
    return is_right;
}

/* RULINGS 27 */
static bool build_sources(struct list_draft *draft, const struct raw_value *value,
                          struct nesting *nesting)
{
    struct list_builder *b = draft->builder;
    struct span *rules = arena_calloc(&b->scratch, value->count, sizeof *rules);
    bool is_right = true;
    for (size_t i = 0; i < value->count; i++) {
        rules[i] = span_trim(value->items[i].text);
        const char *fault = trust_fault(rules[i]);
        if (fault == NULL)
            continue;
        draft_item_wrong(draft, KEY_PARENT_SOURCES, &value->items[i], fault);
        is_right = false;
    }
    if (!is_right)
        return false;
    nesting->has_sources = true;
    nesting->sources = trust_compile(rules, value->count, b->given.arena);
    return true;
}

static bool build(struct list_draft *draft, const struct raw_value *parents,
                  const struct nesting **out)
{
    const struct raw_value *sources = draft_value(draft, KEY_PARENT_SOURCES);
    struct nesting *nesting = arena_calloc(draft->builder->given.arena, 1, sizeof *nesting);
    bool is_right = build_parents(draft, parents, nesting);
    if (sources != NULL && sources->count > 0)
        is_right = build_sources(draft, sources, nesting) && is_right;
    *out = nesting;
    return is_right;
}

/* Leaves the list out of the parents that the defaults name for all lists (RULINGS 14). */
static void leave_out_self(struct list_draft *draft)
{
    const struct nesting *all = draft->list->nesting;
    size_t at = 0;
    while (at < all->parent_count && !span_eq_nocase(all->parents[at], draft->list->id))
        at++;
    if (at == all->parent_count)
        return;
    struct nesting *left = nesting_copy(all, draft->builder->given.arena);
    for (size_t i = 0; i < all->parent_count; i++)
        if (!span_eq_nocase(all->parents[i], draft->list->id))
            nesting_add(left, all->parents[i]);
    draft->list->nesting = left->parent_count > 0 ? left : NULL;
}

/* The parents that the list itself names: not itself; in a file with bounds no list of ours outside
 * of them (RULINGS 14; what is no list of ours now may become one: see parents.h). */
static void check_own_parents(struct list_draft *draft, const struct raw_value *parents)
{
    const struct list_builder *b = draft->builder;
    for (size_t i = 0; i < parents->count; i++)
        if (span_eq_nocase(parents->items[i].text, draft->list->id))
            draft_item_wrong(draft, KEY_PARENTS, &parents->items[i],
                             "is this list itself (expected the ids of lists above it)");
    for (size_t i = 0; b->bounds != NULL && i < parents->count; i++) {
        const struct raw_item *item = &parents->items[i];
        if (!draft_in_bounds(draft, list_id_namespace(item->text)) &&
            list_by_id(b->index, item->text) != NULL)
            draft_item_wrong(draft, KEY_PARENTS, item, b->bounds->outside);
    }
}

/* Checks sources that have no effect, so that a mistake in them is reported. */
static void check_sources_alone(struct list_draft *draft)
{
    const struct raw_value *sources = &draft->raw->values[KEY_PARENT_SOURCES];
    struct nesting unused = {NULL, 0, {NULL, 0}, false};
    if (sources->set && !sources->wrong && sources->count > 0)
        build_sources(draft, sources, &unused);
}

static void take_nesting(struct list_draft *draft, const struct raw_value *parents)
{
    struct list_shared *shared = &draft->builder->shared;
    bool is_shared = !draft_is_own(draft, KEY_PARENTS) && !draft_is_own(draft, KEY_PARENT_SOURCES);
    if (is_shared && shared->nesting != NULL) {
        draft->list->nesting = shared->nesting;
        draft->wrong = draft->wrong || shared->nesting_wrong;
        return;
    }
    bool is_right = build(draft, parents, &draft->list->nesting);
    if (is_shared) {
        shared->nesting = draft->list->nesting;
        shared->nesting_wrong = !is_right;
    }
}

void draft_nesting(struct list_draft *draft)
{
    const struct raw_value *parents = draft_value(draft, KEY_PARENTS);
    bool own = draft_is_own(draft, KEY_PARENTS);
    if (parents == NULL || parents->count == 0) {
        check_sources_alone(draft);
        return;
    }
    if (own)
        check_own_parents(draft, parents);
    take_nesting(draft, parents);
    if (!own)
        leave_out_self(draft);
}

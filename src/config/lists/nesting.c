/* nesting - the lists above a nested list, and who may bring their posts (AT-05, LI-11). */
#include "config/lists/draft.h"
#include "spec/list_id.h"

#include <stdio.h>

/* Each List-Id of a post is held against each parent, and a post may have thousands: with 40,000
 * that took 0.75 s. */
#define PARENTS_MAX 1000

/* The ids, which need not be lists of ours. 0, 1: one is wrong, -1. */
static int build_parents(struct list_draft *draft, const struct raw_value *value,
                         struct nesting *nesting)
{
    struct arena *arena = &draft->builder->settings->arena;
    struct span *parents = arena_calloc(arena, value->count, sizeof *parents);
    bool wrong = false;
    if (parents == NULL)
        return -1;
    if (value->count > PARENTS_MAX) {
        char fault[80];
        snprintf(fault, sizeof fault, "has %zu ids (expected at most 1,000)", value->count);
        draft_key_wrong(draft, KEY_PARENTS, fault);
        return 1;
    }
    for (size_t i = 0; i < value->count; i++) {
        const char *fault = list_id_fault(value->items[i].text);
        if (fault != NULL)
            draft_item_wrong(draft, KEY_PARENTS, &value->items[i], fault);
        wrong = wrong || fault != NULL;
        parents[i] = arena_dup(arena, value->items[i].text);
        if (parents[i].p == NULL)
            return -1;
    }
    nesting->parents = parents;
    nesting->parent_count = value->count;
    return wrong ? 1 : 0;
}

/* RULINGS 27. 0, 1: a rule is wrong, -1. */
static int build_sources(struct list_draft *draft, const struct raw_value *value,
                         struct nesting *nesting)
{
    struct list_builder *b = draft->builder;
    struct span *rules = arena_calloc(&b->scratch, value->count, sizeof *rules);
    bool wrong = false;
    if (rules == NULL)
        return -1;
    for (size_t i = 0; i < value->count; i++) {
        rules[i] = span_trim(value->items[i].text);
        const char *fault = trust_fault(rules[i]);
        if (fault != NULL)
            draft_item_wrong(draft, KEY_PARENT_SOURCES, &value->items[i], fault);
        wrong = wrong || fault != NULL;
    }
    if (wrong)
        return 1;
    size_t first_wrong; /* there is none */
    const char *its_fault;
    nesting->has_sources = true;
    return trust_compile(rules, value->count, &b->settings->arena, &nesting->sources, &first_wrong,
                         &its_fault);
}

/* 0, 1: something is wrong with it, -1. */
static int build(struct list_draft *draft, const struct raw_value *parents,
                 const struct nesting **result)
{
    struct list_builder *b = draft->builder;
    const struct raw_value *sources = raw_value_find(draft->raw, &b->defaults, KEY_PARENT_SOURCES);
    struct nesting *nesting = arena_calloc(&b->settings->arena, 1, sizeof *nesting);
    if (nesting == NULL)
        return -1;
    int wrong_parents = build_parents(draft, parents, nesting);
    int wrong_sources = 0;
    if (wrong_parents >= 0 && sources != NULL && sources->count > 0)
        wrong_sources = build_sources(draft, sources, nesting);
    if (wrong_parents < 0 || wrong_sources < 0)
        return -1;
    *result = nesting;
    return wrong_parents != 0 || wrong_sources != 0;
}

static void check_self(struct list_draft *draft, const struct raw_value *parents)
{
    if (!draft_is_own(draft, KEY_PARENTS))
        return;
    for (size_t i = 0; i < parents->count; i++)
        if (span_eq_nocase(parents->items[i].text, draft->list->id))
            draft_item_wrong(draft, KEY_PARENTS, &parents->items[i],
                             "is this list itself (expected the ids of lists above it)");
}

/* What the defaults name for all lists names no list itself (RULINGS 14). 0 or -1. */
static int leave_out_self(struct list_draft *draft)
{
    struct arena *arena = &draft->builder->settings->arena;
    const struct nesting *all = draft->list->nesting;
    size_t at = 0;
    while (at < all->parent_count && !span_eq_nocase(all->parents[at], draft->list->id))
        at++;
    if (at == all->parent_count)
        return 0;
    struct nesting *left = arena_alloc(arena, sizeof *left);
    struct span *parents = arena_calloc(arena, all->parent_count, sizeof *parents);
    if (left == NULL || parents == NULL)
        return -1;
    *left = *all; /* lists may share one */
    left->parents = parents;
    left->parent_count = 0;
    for (size_t i = 0; i < all->parent_count; i++)
        if (!span_eq_nocase(all->parents[i], draft->list->id))
            parents[left->parent_count++] = all->parents[i];
    draft->list->nesting = left->parent_count > 0 ? left : NULL;
    return 0;
}

/* Checks sources that have no effect, so that a mistake in them is told. */
static int check_sources_alone(struct list_draft *draft)
{
    const struct raw_value *sources = &draft->raw->values[KEY_PARENT_SOURCES];
    struct nesting unused = {NULL, 0, {NULL, 0}, false};
    if (!sources->set || sources->wrong || sources->count == 0)
        return 0;
    return build_sources(draft, sources, &unused) < 0 ? -1 : 0;
}

/* 0 or -1. */
static int take_nesting(struct list_draft *draft, const struct raw_value *parents)
{
    struct list_builder *b = draft->builder;

    /* What all lists have from the defaults, they have in common. */
    bool shared = !draft_is_own(draft, KEY_PARENTS) && !draft_is_own(draft, KEY_PARENT_SOURCES);
    if (shared && b->default_nesting != NULL) {
        draft->list->nesting = b->default_nesting;
        draft->wrong = draft->wrong || b->default_nesting_wrong;
        return 0;
    }
    int result = build(draft, parents, &draft->list->nesting);
    if (shared && result >= 0) {
        b->default_nesting = draft->list->nesting;
        b->default_nesting_wrong = result == 1;
    }
    return result < 0 ? -1 : 0;
}

int draft_nesting(struct list_draft *draft)
{
    const struct list_builder *b = draft->builder;
    const struct raw_value *parents = raw_value_find(draft->raw, &b->defaults, KEY_PARENTS);
    if (parents == NULL || parents->count == 0)
        return check_sources_alone(draft);
    check_self(draft, parents);
    if (take_nesting(draft, parents) != 0)
        return -1;
    return draft_is_own(draft, KEY_PARENTS) ? 0 : leave_out_self(draft);
}

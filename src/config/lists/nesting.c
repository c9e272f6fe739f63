/* nesting - the lists above a nested list, and who may bring their posts (AT-05, LI-11) */
#include "config/lists/build.h"
#include "config/read/faults.h"
#include "spec/list_id.h"
#include "text/memory.h"

/* Sets the parents, which need not be lists of ours. Returns false after an error. */
static bool set_parents(struct new_list *n, const struct value *value, struct nesting *nesting)
{
    struct arena *arena = n->b->given.arena;
    bool is_right = true;
    nesting->parents = arena_calloc(arena, value->count, sizeof *nesting->parents);
    for (size_t i = 0; i < value->count; i++) {
        const struct entry *entry = &value->entries[i];
        if (value->source == FROM_SECTION && span_eq_nocase(entry->text, n->list->id))
            is_right =
                report_wrong(n, entry, "is this list itself (expected the ids of lists above it)");
        nesting->parents[nesting->parent_count++] = arena_dup(arena, entry->text);
    }
    return is_right;
}

/* RULINGS 27 */
static void set_sources(struct new_list *n, const struct value *value, struct nesting *nesting)
{
    struct trust_rule *rules = arena_calloc(n->b->given.arena, value->count, sizeof *rules);
    for (size_t i = 0; i < value->count; i++) {
        const struct entry *entry = &value->entries[i];
        struct span text = arena_dup(n->b->given.arena, span_trim(entry->text));
        (void)trust_rule_read(text, &rules[i]);
        if (trust_hint(&rules[i]) != HINT_NONE)
            hint_entry(n, trust_hint(&rules[i]), entry);
    }
    nesting->has_sources = value->count > 0;
    nesting->sources = (struct trust_rules){rules, value->count};
}

void build_nesting(struct new_list *n)
{
    struct list_builder *b = n->b;
    struct value parents = value_of(&n->from, KEY_PARENTS);
    struct value sources = value_of(&n->from, KEY_PARENT_SOURCES);
    bool is_shared = parents.source == FROM_DEFAULTS && sources.source != FROM_SECTION;
    if (parents.count == 0 || parents.is_wrong || sources.is_wrong)
        return;
    if (is_shared && b->shared_nesting != NULL) {
        n->list->nesting = b->shared_nesting;
        return;
    }
    struct nesting *nesting = arena_calloc(b->given.arena, 1, sizeof *nesting);
    if (!set_parents(n, &parents, nesting))
        return;
    set_sources(n, &sources, nesting);
    n->list->nesting = nesting;
    if (is_shared)
        b->shared_nesting = nesting;
    if (parents.source != FROM_SECTION || b->bounds == NULL)
        return;
    int *lines = arena_calloc(b->given.arena, parents.count, sizeof *lines);
    for (size_t i = 0; i < parents.count; i++)
        lines[i] = parents.entries[i].line;
    b->parents = array_grow(b->parents, b->parents_count, &b->parents_capacity, sizeof *b->parents);
    b->parents[b->parents_count++] = (struct bound_parents){n->list, nesting, lines, b->bounds};
}

/* Removes the parents of one list that it may not name. Returns the first of them, and its line, or
 * an empty span. */
static struct span drop_parents(struct list_builder *b, const struct bound_parents *bound,
                                int *line)
{
    struct nesting *nesting = bound->nesting;
    struct span dropped = span_of(NULL, 0);
    size_t kept = 0;
    for (size_t i = 0; i < nesting->parent_count; i++) {
        struct span parent = nesting->parents[i];
        if (list_by(b->index, LIST_BY_ID, parent) == NULL ||
            domains_cover(bound->bounds, list_id_namespace(parent), &b->scratch)) {
            nesting->parents[kept++] = parent;
        } else if (dropped.n == 0) {
            dropped = parent;
            *line = bound->lines[i];
        }
    }
    nesting->parent_count = kept;
    if (kept == 0)
        bound->list->nesting = NULL;
    return dropped;
}

/* More of them are not reported about one delegate. */
#define DROPS_REPORTED 5

void list_builder_drop_parents(struct list_builder *b)
{
    const struct domains *bounds = NULL;
    size_t reported = 0;
    for (size_t i = 0; i < b->parents_count; i++) {
        const struct bound_parents *bound = &b->parents[i];
        arena_reset(&b->scratch);
        int line = 0;
        struct span dropped = drop_parents(b, bound, &line);
        reported = bound->bounds == bounds ? reported : 0;
        bounds = bound->bounds;
        if (dropped.n == 0 || reported++ >= DROPS_REPORTED)
            continue;
        b->diagnostics->delegate = bounds->owner;
        say(b->diagnostics, SEVERITY_DELEGATED,
            place_of(bound->list->file, line, schema[KEY_PARENTS].name), dropped,
            "%s; it is left out, the list stays in force", bounds->outside);
        b->diagnostics->delegate = NULL;
    }
}

/* nesting - the lists above a nested list, and who may bring their posts (AT-05, LI-11) */
#include "config/lists/new_list.h"
#include "spec/list_id.h"

#include <stdlib.h>
#include <strings.h>

static int by_id(const void *a, const void *b)
{
    const struct parent *first = a, *second = b;
    if (first->id.n != second->id.n)
        return first->id.n < second->id.n ? -1 : 1;
    return strncasecmp(first->id.p, second->id.p, first->id.n);
}

bool list_names_parent(const struct list *list, struct span id)
{
    const struct nesting *nesting = list->nesting;
    const struct parent wanted = {.id = id};
    return nesting != NULL && id.n > 0 && !span_eq_nocase(id, list->id) &&
           bsearch(&wanted, nesting->parents, nesting->parent_count, sizeof wanted, by_id) != NULL;
}

/* Sets the parents, which need not be lists of ours. */
static void set_parents(struct new_list *n, const struct value *value, struct nesting *nesting)
{
    struct arena *arena = n->b->arena;
    bool is_own = value->source == FROM_SECTION;
    nesting->parents = arena_calloc(arena, value->count, sizeof *nesting->parents);
    nesting->parent_count = value->count;
    for (size_t i = 0; i < value->count; i++) {
        const struct entry *entry = &value->entries[i];
        nesting->parents[i] =
            (struct parent){arena_dup(arena, entry->text), is_own ? entry->line : 0};
        if (is_own && span_eq_nocase(entry->text, n->list->id))
            report_wrong(n, entry, ERROR_PARENT_IS_SELF, NULL);
    }
    qsort(nesting->parents, value->count, sizeof *nesting->parents, by_id);
}

struct trust_rules trust_rules_of(const struct value *value, struct arena *arena)
{
    struct trust_rule *rules = arena_calloc(arena, value->count, sizeof *rules);
    for (size_t i = 0; i < value->count && !value->is_wrong; i++)
        (void)trust_rule_read(arena_dup(arena, span_trim(value->entries[i].text)), &rules[i]);
    return (struct trust_rules){rules, value->count};
}

struct nesting *make_nesting(struct new_list *n)
{
    struct value parents = value_of(&n->from, KEY_PARENTS);
    struct value sources = value_of(&n->from, KEY_PARENT_SOURCES);
    if (parents.count == 0 || parents.is_wrong || sources.is_wrong)
        return NULL;
    if (n->list != NULL && parents.source == FROM_DEFAULTS && sources.source != FROM_SECTION)
        return n->b->shared_nesting;
    struct nesting *nesting = arena_calloc(n->b->arena, 1, sizeof *nesting);
    nesting->has_sources = sources.count > 0;
    nesting->sources = trust_rules_of(&sources, n->b->arena); /* RULINGS 27 */
    set_parents(n, &parents, nesting);
    return nesting;
}

/* Removes the parents of a list that it may not name. Returns the first, or one without an id. */
static struct parent drop_parents(struct list_builder *b, struct list *list)
{
    struct nesting *nesting = list->nesting;
    struct parent dropped = {.id = NO_TEXT};
    size_t kept = 0;
    arena_reset(&b->scratch);
    for (size_t i = 0; i < nesting->parent_count; i++) {
        struct parent parent = nesting->parents[i];
        if (list_get(b->index, LIST_BY_ID, parent.id) == NULL ||
            domains_cover(list->bounds, list_id_namespace(parent.id), &b->scratch))
            nesting->parents[kept++] = parent;
        else if (dropped.id.n == 0)
            dropped = parent;
    }
    nesting->parent_count = kept;
    list->nesting = kept > 0 ? nesting : NULL;
    return dropped;
}

/* Dropped parents that are reported for each delegate. */
#define DROPS_REPORTED 5

void list_builder_drop_parents(struct list_builder *b)
{
    const struct domains *bounds = NULL;
    size_t reported = 0;
    for (size_t i = 0; i < b->index->count; i++) {
        struct list *list = b->index->lists[i];
        if (list->bounds == NULL || list->nesting == NULL || list->nesting->parents->line == 0)
            continue;
        reported = list->bounds == bounds ? reported : 0;
        bounds = list->bounds;
        struct parent dropped = drop_parents(b, list);
        if (dropped.id.n == 0 || reported++ >= DROPS_REPORTED)
            continue;
        b->diagnostics->delegate = bounds->owner;
        say(b->diagnostics, SEVERITY_DELEGATED,
            place_of(list->file, dropped.line, schema[KEY_PARENTS].name), dropped.id,
            ERROR_PARENT_OUTSIDE, WITH(bounds->owner));
        b->diagnostics->delegate = NULL;
    }
}

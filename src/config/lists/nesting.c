/* nesting - the lists above a nested list, and who may bring their posts (AT-05, LI-11) */
#include "config/lists/new_list.h"
#include "spec/list_id.h"
#include "text/ascii.h"

#include <stdlib.h>

/* The order of parents: by their length, then by their bytes in lower case. */
static int compare(struct span a, struct span b)
{
    if (a.n != b.n)
        return a.n < b.n ? -1 : 1;
    for (size_t i = 0; i < a.n; i++) {
        int difference = (unsigned char)ascii_lower(a.p[i]) - (unsigned char)ascii_lower(b.p[i]);
        if (difference != 0)
            return difference;
    }
    return 0;
}

static int by_parent(const void *a, const void *b)
{
    const struct entry *const *first = a, *const *second = b;
    return compare((*first)->text, (*second)->text);
}

/* Returns the entries in the order of parents, for one list. */
static const struct entry **sorted(struct new_list *n, const struct value *value)
{
    const struct entry **entries = arena_calloc(&n->b->scratch, value->count, sizeof *entries);
    for (size_t i = 0; i < value->count; i++)
        entries[i] = &value->entries[i];
    qsort(entries, value->count, sizeof *entries, by_parent);
    return entries;
}

bool list_names_parent(const struct list *list, struct span id)
{
    size_t from = 0, to = list->nesting != NULL ? list->nesting->parent_count : 0;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        int order = compare(id, list->nesting->parents[middle]);
        if (order == 0)
            return !span_eq_nocase(id, list->id);
        if (order < 0)
            to = middle;
        else
            from = middle + 1;
    }
    return false;
}

/* Sets the parents, which need not be lists of ours. Returns false after an error. */
static bool set_parents(struct new_list *n, const struct value *value, struct nesting *nesting)
{
    struct arena *arena = n->b->given.arena;
    const struct entry **entries = sorted(n, value);
    bool is_right = true;
    nesting->parents = arena_calloc(arena, value->count, sizeof *nesting->parents);
    if (value->source == FROM_SECTION)
        nesting->lines = arena_calloc(arena, value->count, sizeof *nesting->lines);
    for (size_t i = 0; i < value->count; i++) {
        const struct entry *entry = entries[i];
        if (nesting->lines != NULL)
            nesting->lines[i] = entry->line;
        if (nesting->lines != NULL && span_eq_nocase(entry->text, n->list->id))
            is_right = report_wrong(n, entry, ERROR_PARENT_IS_SELF, NULL);
        nesting->parents[nesting->parent_count++] = arena_dup(arena, entry->text);
    }
    return is_right;
}

/* RULINGS 27 */
static struct trust_rules sources_of(const struct new_list *n, const struct value *value)
{
    struct trust_rule *rules = arena_calloc(n->b->given.arena, value->count, sizeof *rules);
    for (size_t i = 0; i < value->count; i++)
        (void)trust_rule_read(arena_dup(n->b->given.arena, span_trim(value->entries[i].text)),
                              &rules[i]);
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
    struct nesting *nesting = arena_calloc(n->b->given.arena, 1, sizeof *nesting);
    nesting->has_sources = sources.count > 0;
    nesting->sources = sources_of(n, &sources);
    return set_parents(n, &parents, nesting) ? nesting : NULL;
}

/* Removes the parents of a list that it may not name. Returns the first of them, and its line, or
 * an empty span. */
static struct span drop_parents(struct list_builder *b, struct list *list, int *line)
{
    struct nesting *nesting = list->nesting;
    struct span dropped = span_of(NULL, 0);
    size_t kept = 0;
    arena_reset(&b->scratch);
    for (size_t i = 0; i < nesting->parent_count; i++) {
        struct span parent = nesting->parents[i];
        if (list_get(b->index, LIST_BY_ID, parent) == NULL ||
            domains_cover(list->bounds, list_id_namespace(parent), &b->scratch)) {
            nesting->parents[kept++] = parent;
        } else if (dropped.n == 0) {
            dropped = parent;
            *line = nesting->lines[i];
        }
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
    struct shown owner;
    size_t reported = 0;
    int line = 0;
    for (size_t i = 0; i < b->index->count; i++) {
        struct list *list = b->index->lists[i];
        if (list->bounds == NULL || list->nesting == NULL || list->nesting->lines == NULL)
            continue;
        reported = list->bounds == bounds ? reported : 0;
        bounds = list->bounds;
        struct span dropped = drop_parents(b, list, &line);
        if (dropped.n == 0 || reported++ >= DROPS_REPORTED)
            continue;
        b->diagnostics->delegate = bounds->owner;
        say(b->diagnostics, SEVERITY_DELEGATED,
            place_of(list->file, line, schema[KEY_PARENTS].name), dropped, ERROR_PARENT_OUTSIDE,
            WITH(shown_text(span_cstr(bounds->owner), &owner)));
        b->diagnostics->delegate = NULL;
    }
}

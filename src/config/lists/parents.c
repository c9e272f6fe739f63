/* parents - hints about the lists above a list, when all lists are known (AT-05, LI-11). */
#include "config/delegation/delegate_report.h"
#include "config/lists/draft.h"
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
    const char *told_file; /* of a delegate: so many hints were given about it */
    size_t told;
};

static bool names(const struct list *list, struct span id)
{
    for (size_t i = 0; i < list->nesting->parent_count; i++)
        if (span_eq_nocase(list->nesting->parents[i], id))
            return true;
    return span_eq_nocase(list->id, id);
}

/* May the list name that one of ours (RULINGS 14)? 1, 0 or -1 (memory). */
static int may_name(const struct look *look, struct span id)
{
    const struct delegate *delegate = look->origin->delegate;
    if (delegate == NULL || look->origin->parents_line == 0 ||
        list_by_id(&look->b->settings->index, id) == NULL)
        return 1;
    return delegate_covers(delegate, list_id_namespace(id), &look->b->scratch);
}

/* A file of a delegate gets a few only, so that it hides no hint about others. */
static bool is_enough(struct look *look)
{
    if (look->origin->delegate == NULL)
        return false;
    if (look->told_file == NULL || strcmp(look->told_file, look->origin->file) != 0)
        look->told = 0;
    look->told_file = look->origin->file;
    return look->told++ >= DELEGATE_FILE_ERRORS_TOLD;
}

static void hint(struct look *look, struct span parent, const char *what)
{
    struct list_builder *b = look->b;
    struct place place =
        place_of(look->origin->file, look->origin->parents_line, schema[KEY_PARENTS].name);
    if (place.line == 0) { /* told once for all lists that take it from there */
        const struct raw_value *value = &b->defaults.values[KEY_PARENTS];
        if (b->told_parents)
            return;
        b->told_parents = true;
        place.file = b->defaults.file;
        place.line = value->count > 0 ? value->items[0].line : 0;
        place.list = look->list->id;
    }
    if (!is_enough(look))
        say(b->diagnostics, SEVERITY_HINT, place, parent, "%s", what);
}

/* RULINGS 27: of a post that the upper list has from one further up only that one's List-Id is
 * left. 0 or -1. */
static int look_at_chain(struct look *look, struct span id, const struct list *parent)
{
    if (parent->nesting == NULL || parent->nesting->parent_count > PARENTS_SEARCHED)
        return 0;
    for (size_t i = 0; i < parent->nesting->parent_count; i++) {
        struct span upper = parent->nesting->parents[i];
        struct shown shown;
        char what[240];
        int may = names(look->list, upper) ? 0 : may_name(look, upper);
        if (may < 0)
            return -1;
        if (may == 0)
            continue;
        snprintf(what, sizeof what,
                 "is itself nested in \"%s\", whose List-Id its posts carry (expected that id here "
                 "too)",
                 shown_text(upper, &shown));
        hint(look, id, what);
    }
    return 0;
}

/* Two octets of a long id, one of a shorter one: of "a.b" any other list is one off. */
static unsigned typing_errors(struct span id)
{
    return id.n >= 16 ? 2 : id.n >= 8 ? 1 : 0;
}

/* 0 or -1. */
static int look_for_meant(struct look *look, struct span id)
{
    const struct list_index *index = &look->b->settings->index;
    for (size_t i = 0; i < index->count; i++) {
        struct span other = index->lists[i]->id;
        struct shown shown;
        char what[200];
        if (!edit_is_within(id, other, typing_errors(id)) || names(look->list, other))
            continue;
        int may = may_name(look, other);
        if (may < 0)
            return -1;
        if (may == 0)
            continue;
        snprintf(what, sizeof what, "is no list of ours (did you mean \"%s\"?)",
                 shown_text(other, &shown));
        hint(look, id, what);
        return 0;
    }
    return 0;
}

static int look_at_list(struct look *look, bool is_whole)
{
    const struct list_index *index = &look->b->settings->index;
    const struct nesting *nesting = look->list->nesting;
    int result = 0;
    if (nesting == NULL || nesting->parent_count > PARENTS_SEARCHED)
        return 0;
    for (size_t i = 0; i < nesting->parent_count && result == 0; i++) {
        struct span id = nesting->parents[i];
        const struct list *parent = list_by_id(index, id);
        if (parent != NULL)
            result = look_at_chain(look, id, parent);
        else if (is_whole && index->count < LISTS_SEARCHED)
            result = look_for_meant(look, id);
    }
    return result;
}

int list_builder_parent_hints(struct list_builder *b, bool is_whole)
{
    struct look look = {.b = b};
    for (size_t i = 0; i < b->settings->index.count; i++) {
        look.list = b->settings->index.lists[i];
        look.origin = &b->origins[i];
        arena_reset(&b->scratch);
        if (look_at_list(&look, is_whole) != 0)
            return -1;
    }
    return 0;
}

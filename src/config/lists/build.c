/* build - see build.h. Builds one list after the other. */
#include "config/lists/build.h"

#include "config/lists/new_list.h"
#include "spec/list_id.h"
#include "text/memory.h"

#include <stdlib.h>

/* Makes the texts that `defaults` and each manager give a list. */
static void build_shared(struct list_builder *b, const struct section *defaults)
{
    const struct section none = {.count = 0};
    struct arena *arena = b->given.arena;
    b->defaults =
        section_compile(defaults != NULL ? defaults : &none, &b->given, arena, b->diagnostics);
    for (size_t i = 0; i < b->defaults.count; i++)
        b->defaults_are_wrong |= b->defaults.entries[i].is_wrong;
    for (int i = 0; i <= MANAGER_COUNT; i++) {
        struct new_list n = {.b = b, .from.sections[FROM_DEFAULTS] = &b->defaults};
        if (i < MANAGER_COUNT) {
            b->managers[i] = section_compile(&managers[i], &b->given, arena, b->diagnostics);
            n.from.sections[FROM_MANAGER] = &b->managers[i];
        }
        b->shared[i] = make_list_texts(&n);
        if (i == MANAGER_COUNT)
            b->shared_nesting = make_nesting(&n);
    }
}

void list_builder_init(struct list_builder *b, const struct list_context *given,
                       struct list_index *index, const struct section *defaults,
                       struct diagnostics *diagnostics)
{
    *b = (struct list_builder){
        .given = *given, .index = index, .diagnostics = diagnostics, .hints = diagnostics};
    arena_init(&b->scratch, 16384);
    build_shared(b, defaults);
}

void list_builder_free(struct list_builder *b)
{
    arena_free(&b->scratch);
    strbuf_free(&b->text);
}

/* Fills *meant with the id that was probably meant by an address or an id in brackets. Returns
 * false if the title is neither. */
static bool find_meant(struct span title, struct shown *meant)
{
    size_t open = span_find(title, '<');
    if (title.n > 2 && title.p[title.n - 1] == '>')
        title = span_sub(title, open + 1, title.n - open - 2);
    size_t at = span_find(title, '@');
    shown_text(title, meant);
    if (title.n >= sizeof meant->text)
        return false;
    if (at < title.n)
        meant->text[at] = '.';
    return list_id_fault(span_cstr(meant->text)) == NULL;
}

/* Reports an id that is none, or is not for this file (LI-03). */
static bool check_id(struct new_list *n)
{
    struct span title = n->own.title;
    const char *fault = list_id_fault(title);
    struct shown meant;
    if (fault != NULL && find_meant(title, &meant))
        report_list(n, KEY_LIST, title, ERROR_LIST_ID_MEANT, WITH(meant.text));
    else if (fault != NULL)
        report_list(n, KEY_LIST, title, ERROR_LIST_ID, WITH(fault));
    else if (!in_bounds(n, list_id_namespace(title)))
        report_list(n, KEY_LIST, title, ERROR_OUTSIDE,
                    WITH(shown_text(span_cstr(n->b->bounds->owner), &meant)));
    return !n->is_wrong;
}

/* Checks the number of values of each key (RULINGS 87). A list file must not use all memory, nor
 * all time: a reload takes time for each value. The defaults have no limit. */
static bool check_counts(struct new_list *n)
{
    struct shown shown;
    size_t count = 0;
    for (size_t i = 0; i < n->own.count; i++) {
        enum key key = n->own.entries[i].key;
        size_t most = key == KEY_ARCHIVED_AT ? 32 : key == KEY_PARENTS ? 1000 : 100;
        count = i > 0 && n->own.entries[i - 1].key == key ? count + 1 : 1;
        if (count == most + 1)
            report_list(n, key, NO_TEXT, ERROR_TOO_MANY, WITH(shown_number(most, &shown)));
    }
    return !n->is_wrong;
}

/* Sets the manager, and the texts that it shares. */
static void build_manager(struct new_list *n)
{
    n->list->manager = manager_of(&n->from);
    n->list->texts = n->b->shared[n->list->manager];
    if (n->list->manager != MANAGER_COUNT && n->list->select == SELECT_RECIPIENT)
        report_wrong(n, value_of(&n->from, KEY_MANAGER).entries, ERROR_MANAGER_OF_ALIAS, NULL);
}

/* Adds the list to the index by its id. */
static bool add_id(struct new_list *n)
{
    const struct list *other = list_index_add(n->b->index, n->list);
    struct shown line;
    if (other != NULL)
        report_list(n, KEY_LIST, n->own.title, ERROR_LIST_TWICE,
                    WITH(other->file, shown_number((size_t)other->line, &line)));
    return other == NULL;
}

void list_builder_add(struct list_builder *b, const struct section *section)
{
    struct new_list n = {.b = b, .own = *section};
    arena_reset(&b->scratch);
    if (!check_id(&n) || !check_counts(&n))
        return;
    struct list *list = arena_calloc(b->given.arena, 1, sizeof *list);
    list->file = section->file;
    list->line = section->line;
    list->bounds = b->bounds;
    list->id = arena_dup(b->given.arena, section->title);
    new_list_init(&n, b, section, list, b->given.arena);
    build_policies(&n);
    build_manager(&n);
    build_address(&n);
    if (!add_id(&n))
        return;
    build_fields(&n);
    list->nesting = make_nesting(&n);
    build_ways(&n);
    build_keep(&n);
    build_store(&n);
    if (n.is_wrong || b->defaults_are_wrong)
        return; /* a key that seems missing may be the wrong one */
    check_select(&n);
    if (!n.is_wrong && b->hints->with_hints)
        report_hints(&n);
}

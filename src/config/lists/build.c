/* build - see build.h. Builds one list after the other. */
#include "config/lists/build.h"

#include "config/lists/new_list.h"
#include "spec/list_id.h"

/* Makes the texts that `defaults` and each manager give a list. */
static void build_shared(struct list_builder *b, const struct section *defaults)
{
    const struct section none = {.count = 0};
    b->defaults = section_compile(defaults != NULL ? defaults : &none, b->token_names, b->arena,
                                  b->arena, b->diagnostics);
    for (size_t i = 0; i < b->defaults.count; i++)
        b->defaults_are_wrong |= b->defaults.entries[i].is_wrong;
    for (int i = 0; i <= MANAGER_COUNT; i++) {
        struct new_list n = {.b = b, .from.sections[FROM_DEFAULTS] = &b->defaults};
        if (i < MANAGER_COUNT) {
            b->managers[i] =
                section_compile(&managers[i], b->token_names, b->arena, b->arena, b->diagnostics);
            n.from.sections[FROM_MANAGER] = &b->managers[i];
        }
        b->shared[i] = make_list_texts(&n);
        if (i == MANAGER_COUNT)
            b->shared_nesting = make_nesting(&n);
    }
}

void list_builder_init(struct list_builder *b, const struct section *defaults)
{
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
static void check_id(struct new_list *n)
{
    struct span title = n->own.title;
    const char *fault = list_id_fault(title);
    struct shown meant;
    if (fault != NULL && find_meant(title, &meant))
        report_list(n, KEY_LIST, title, ERROR_LIST_ID_MEANT, WITH(meant.text));
    else if (fault != NULL)
        report_list(n, KEY_LIST, title, ERROR_LIST_ID, WITH(fault));
    else if (!in_bounds(n, list_id_namespace(title)))
        report_list(n, KEY_LIST, title, ERROR_OUTSIDE, WITH(n->b->bounds->owner));
}

/* Checks the number of values of each key (RULINGS 87). A list file must not use all memory, nor
 * all time: a reload takes time for each value. The defaults have no limit. */
static void check_counts(struct new_list *n)
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
}

void list_builder_add(struct list_builder *b, const struct section *section)
{
    struct new_list n = {.b = b, .own = *section};
    struct shown line;
    arena_reset(&b->scratch);
    check_id(&n);
    if (!n.is_wrong)
        check_counts(&n);
    if (n.is_wrong)
        return;
    struct list *list = arena_calloc(b->arena, 1, sizeof *list);
    *list = (struct list){.file = section->file,
                          .line = section->line,
                          .bounds = b->bounds,
                          .id = arena_dup(b->arena, section->title)};
    new_list_init(&n, b, section, list);
    build_policies(&n);
    list->texts = b->shared[list->manager];
    build_address(&n);
    const struct list *other = list_index_add(b->index, list);
    if (other != NULL) {
        report_list(&n, KEY_LIST, n.own.title, ERROR_LIST_TWICE,
                    WITH(other->file, shown_number((size_t)other->line, &line)));
        return;
    }
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

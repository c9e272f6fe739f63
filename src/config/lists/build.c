/* build - builds one list after the other from its values and those of the defaults. */
#include "config/lists/build.h"

#include "config/lists/addresses.h"
#include "config/lists/archived_at.h"
#include "config/lists/draft.h"
#include "config/lists/enter.h"
#include "config/lists/fields.h"
#include "config/lists/hints.h"
#include "config/lists/nesting.h"
#include "config/lists/policies.h"
#include "config/lists/store_wants.h"
#include "config/lists/unsubscribe.h"
#include "spec/list_id.h"

#include <stdlib.h>
#include <string.h>

#define TEMPLATES_MAX 32  /* of archived_at */
#define ITEMS_MAX     100 /* of any other value of a list */

_Static_assert(KEY_COUNT <= 64, "list_shared.refused has a bit for each key");

void list_builder_init(struct list_builder *b, struct list_index *index,
                       struct diagnostics *diagnostics, struct hint_groups *hints)
{
    memset(b, 0, sizeof *b);
    b->index = index;
    b->diagnostics = diagnostics;
    b->hints = hints;
    arena_init(&b->scratch, 16384);
    arena_init(&b->kept, 0);
}

void list_builder_free(struct list_builder *b)
{
    arena_free(&b->scratch);
    arena_free(&b->kept);
    free(b->origins);
    b->origins = NULL;
}

/* Compiles all texts of a section. */
static void compile_texts(const struct list_builder *b, const struct raw_section *raw,
                          bool is_defaults, struct arena *arena, struct config_texts texts[])
{
    const struct text_compiler compiler = {raw->file,      is_defaults,          arena,
                                           b->given.arena, b->given.token_names, b->diagnostics};
    for (int key = 0; key < KEY_COUNT; key++)
        if (config_text_key((enum key)key) && (is_defaults || raw->values[key].set))
            config_texts_compile(&compiler, (enum key)key, &raw->values[key], &texts[key]);
}

void list_builder_defaults(struct list_builder *b, const struct raw_section *raw)
{
    b->defaults = *raw;
    compile_texts(b, &b->defaults, true, &b->kept, b->default_texts);
}

/* ---- what makes a list impossible ---- */

/* An address, or an id in brackets: what was probably meant, in *meant. false: it is neither. */
static bool find_meant(struct span title, struct shown *meant)
{
    if (title.n > 2 && title.p[0] == '<' && title.p[title.n - 1] == '>')
        title = span_sub(title, 1, title.n - 2);
    size_t at = span_find(title, '@');
    shown_text(title, meant);
    if (title.n >= sizeof meant->text)
        return false;
    if (at < title.n)
        meant->text[at] = '.';
    return list_id_fault(span_cstr(meant->text)) == NULL;
}

static void complain_id(const struct list_builder *b, const struct raw_section *raw)
{
    struct place place = place_of(raw->file, raw->line, schema[KEY_LIST].name);
    struct shown meant;
    if (find_meant(raw->title, &meant))
        say(b->diagnostics, SEVERITY_ERROR, place, raw->title,
            "is no list id (did you mean \"%s\"?)", meant.text);
    else
        say(b->diagnostics, SEVERITY_ERROR, place, raw->title, "%s", list_id_fault(raw->title));
}

/* LI-03 */
static bool check_bounds(struct list_draft *draft)
{
    const struct list_builder *b = draft->builder;
    const struct raw_section *raw = draft->raw;
    bool is_inside = draft_in_bounds(draft, list_id_namespace(raw->title));
    if (!is_inside)
        say(b->diagnostics, SEVERITY_ERROR, place_of(raw->file, raw->line, schema[KEY_LIST].name),
            raw->title, "%s", b->bounds->outside);
    return is_inside;
}

/* RULINGS 87: whoever writes a list file must not take all memory; the defaults are the
 * administrator's. `parents` has a limit of its own, in nesting.c. */
static bool check_counts(struct list_draft *draft)
{
    bool is_right = true;
    for (int key = 0; draft->has_own && key < KEY_COUNT; key++) {
        size_t count = draft->raw->values[key].count;
        if (key == KEY_PARENTS || count <= (key == KEY_ARCHIVED_AT ? TEMPLATES_MAX : ITEMS_MAX))
            continue;
        draft_key_wrong(draft, (enum key)key,
                        key == KEY_ARCHIVED_AT ? "has too many templates (expected at most 32)"
                                               : "has too many values (expected at most 100)");
        is_right = false;
    }
    return is_right;
}

/* ---- lists ---- */

static bool has_own_value(const struct raw_section *raw)
{
    for (int key = 0; key < KEY_COUNT; key++)
        if (raw->values[key].set || raw->values[key].wrong)
            return true;
    return false;
}

static bool has_wrong_value(const struct list_draft *draft)
{
    for (int key = 0; draft->has_own && key < KEY_COUNT; key++)
        if (draft->raw->values[key].wrong || draft->own[key].wrong)
            return true;
    return false;
}

static void build_parts(struct list_draft *draft)
{
    draft_fields(draft);
    draft_archived_at(draft);
    draft_nesting(draft);
    draft_enter_addresses(draft);
    draft_keep(draft);
    draft_store_wants(draft);
    draft_one_click(draft);
    draft_check_select(draft);
    if (!draft->wrong)
        draft_hints(draft);
}

static void build(struct list_draft *draft)
{
    struct list_builder *b = draft->builder;
    if (draft->has_own)
        compile_texts(b, draft->raw, false, &b->scratch, draft->own);
    draft->wrong = has_wrong_value(draft);
    draft_manager(draft);
    draft_policies(draft);
    draft_address(draft);
    if (!draft_enter_id(draft))
        return;
    build_parts(draft);
    if (b->observer != NULL && b->observer->draft != NULL && !draft->wrong)
        b->observer->draft(b->observer->context, draft);
}

void list_builder_add(struct list_builder *b, const struct raw_section *raw)
{
    if (list_id_fault(raw->title) != NULL) {
        complain_id(b, raw);
        return;
    }
    arena_reset(&b->scratch);
    struct list_draft draft = {.builder = b, .raw = raw, .has_own = has_own_value(raw)};
    draft.list = arena_calloc(b->given.arena, 1, sizeof *draft.list);
    draft.list->id = arena_dup(b->given.arena, raw->title);
    list_variables(draft.list, &draft.values);
    if (check_bounds(&draft) && check_counts(&draft))
        build(&draft);
}

void list_builder_show(const struct list_builder *b)
{
    const struct list_observer *observer = b->observer;
    if (observer == NULL || observer->list == NULL)
        return;
    for (size_t i = 0; i < b->index->count; i++)
        observer->list(observer->context, b->index->lists[i], &b->origins[i]);
}

/* ---- all lists ---- */

static void report_clash(struct list_builder *b, const struct list_origin *origin, enum key key,
                         int line, struct span value, const struct list *other, const char *fault,
                         const char *expected)
{
    struct list_origin at = list_builder_origin(b, other);
    struct shown id;
    say(b->diagnostics, SEVERITY_ERROR, place_of(origin->file, line, schema[key].name), value,
        "%s list \"%s\" already (%s:%d%s)", fault, shown_text(other->id, &id), at.file, at.line,
        expected);
}

/* Reports command addresses of a list that are addresses of a list. */
static void check_commands(struct list_builder *b, const struct list *list,
                           const struct list_origin *origin)
{
    for (size_t i = 0; i < list->command_address_count; i++) {
        const struct list *other = list_by_address(b->index, list->command_addresses[i]);
        if (other != NULL)
            report_clash(b, origin, KEY_COMMAND_ADDRESSES, origin->commands_line,
                         list->command_addresses[i], other, "is the address of",
                         "; expected the address that answers of the list manager come from");
    }
}

/* Reports an address of a list with bounds that is a command address of a list in force. */
static void check_address(struct list_builder *b, const struct list_origin *origin, enum key key,
                          int line, struct span mailbox)
{
    const struct list *other = list_index_present(b->index, LIST_BY_COMMAND, mailbox);
    if (other != NULL)
        report_clash(b, origin, key, line, mailbox, other, "is a command address of", "");
}

void list_builder_finish(struct list_builder *b)
{
    for (; b->finished < b->index->count; b->finished++) {
        const struct list_origin *origin = &b->origins[b->finished];
        const struct list *list = b->index->lists[b->finished];
        check_commands(b, list, origin);
        if (origin->bounds == NULL)
            continue; /* all command addresses of such lists are checked, too */
        if (list->mailbox.n > 0)
            check_address(b, origin, KEY_ADDRESS, origin->address_line, list->mailbox);
        for (size_t i = 0; i < list->alias_count; i++)
            check_address(b, origin, KEY_ALIASES, origin->aliases_line, list->aliases[i]);
    }
}

/* ---- a way back ---- */

void list_builder_mark(struct list_builder *b, struct list_builder_mark *mark)
{
    mark->index = list_index_mark(b->index);
    mark->hints = *b->hints;
    mark->shared = b->shared;
    mark->arena = *b->given.arena;
    mark->finished = b->finished;
}

void list_builder_rewind(struct list_builder *b, const struct list_builder_mark *mark)
{
    list_index_rewind(b->index, &mark->index);
    hint_groups_rewind(b->hints, &mark->hints);
    b->shared = mark->shared;
    b->origin_count = mark->index.count;
    b->finished = mark->finished;
    arena_rewind(b->given.arena, &mark->arena);
}

/* load - which files are read, in which order, and what is built of their sections. */
#include "config/load.h"

#include "config/delegation/delegated.h"
#include "config/files/file_walk.h"
#include "config/files/read_file.h"
#include "config/lists/parents.h"
#include "config/main_keys.h"
#include "config/report/say.h"
#include "config/store_kinds.h"
#include "config/syntax/parse.h"
#include "config/tokens.h"
#include "text/memory.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct load {
    struct settings *settings;
    struct diagnostics *diagnostics;
    size_t first_diagnostic; /* of this load */
    struct list_builder builder;
    struct hint_groups hints;
    enum key_reading keys;
    struct token_sections tokens;
    struct delegates delegates;
    struct file_walk walk;
    struct arena kept;                      /* for the values of the main file */
    struct arena scratch;                   /* for the values of one list file */
    struct raw_section main;                /* the main file's keys */
    bool main_is_read;                      /* its lists aside, up to the end */
    bool with_lists;                        /* of the main file */
    const struct settings_request *request; /* NULL: there is none */
};

/* ---- sections ---- */

static void tell_builder(struct load *load)
{
    struct settings *s = load->settings;
    load->builder.given = (struct list_surroundings){
        .arena = &s->arena,
        .token_names = &s->token_names,
        .tokens = s->tokens,
        .store_missing = s->store != NULL ? store_key_missing(span_cstr(s->store)) : NULL,
        .has_recipient_key = s->recipient_key_count > 0 || s->recipient_keys_unread,
        .delimiter = s->recipient_delimiter};
}

static void add_lists(struct load *load, const struct parsed *parsed)
{
    struct raw_section raw;
    for (size_t i = 0; i < parsed->count; i++)
        if (parsed->sections[i].kind == KEY_LIST) {
            raw_section_read(&raw, &parsed->sections[i], load->diagnostics);
            list_builder_add(&load->builder, &raw);
        }
}

static void add_main_sections(struct load *load, const struct parsed *parsed)
{
    struct section none = {.kind = KEY_DEFAULTS, .file = parsed->top.file, .line = 1};
    const struct section *defaults = &none;
    struct raw_section raw;
    for (size_t i = 0; i < parsed->count; i++) {
        const struct section *section = &parsed->sections[i];
        if (section->kind == KEY_DEFAULTS)
            defaults = section;
        if (section->kind != KEY_TOKEN && section->kind != KEY_DELEGATE)
            continue;
        raw_section_read(&raw, section, load->diagnostics);
        if (section->kind == KEY_TOKEN)
            token_sections_add(&load->tokens, &raw);
        else
            delegates_add(&load->delegates, &raw, load->diagnostics);
    }
    raw_section_read(&load->main, &parsed->top, load->diagnostics);
    main_keys_apply(&load->main, load->keys,
                    load->request != NULL ? load->request->store_fault : NULL, load->settings,
                    load->diagnostics);
    tell_builder(load);
    if (load->builder.observer != NULL && load->builder.observer->main != NULL)
        load->builder.observer->main(load->builder.observer->context, &load->main, load->settings);
    raw_section_read(&raw, defaults, load->diagnostics);
    list_builder_defaults(&load->builder, &raw);
}

/* ---- files ---- */

/* Reads a main file, whose text is changed. Its lists need all else in it. The builder borrows path
 * as long as the load lasts. */
static void visit_main_file(void *context, const char *path, char *text, size_t length)
{
    struct load *load = context;
    struct parsed parsed = parse(path, true, text, length, &load->kept, load->diagnostics);
    load->main_is_read = parsed.lacks_lists_only;
    add_main_sections(load, &parsed);
    if (load->main_is_read && load->with_lists)
        add_lists(load, &parsed);
}

static void visit_list_file(void *context, const char *path, char *text, size_t length)
{
    struct load *load = context;
    arena_reset(&load->scratch);
    struct parsed parsed = parse(path, false, text, length, &load->scratch, load->diagnostics);
    if (load->main_is_read)
        add_lists(load, &parsed);
}

static void read_main_file(struct load *load, const char *path)
{
    struct settings *settings = load->settings;
    load->walk.fingerprint = &settings->fingerprint;
    watched_add_file(&settings->watched, &settings->arena, NULL, span_cstr(path));
    file_walk_one(&load->walk, path, visit_main_file, load);
}

/* One that is checked alone; those of a delegate must keep to their domains there too. */
static void read_list_file(struct load *load, const char *path)
{
    const struct delegate *delegate = delegates_match(&load->delegates, path);
    load->builder.bounds = delegate != NULL ? &delegate->domains : NULL;
    file_walk_one(&load->walk, path, visit_list_file, load);
    load->builder.bounds = NULL;
}

/* The list files that the main file names. */
static void read_pattern_files(struct load *load, const char *main_file)
{
    struct settings *settings = load->settings;
    struct raw_item room[BUILT_IN_VALUES];
    if (!load->main_is_read)
        return; /* what it has after the error is not known */
    struct raw_value patterns = main_key_value(&load->main, KEY_LISTS, room);
    for (size_t i = 0; i < patterns.count; i++) {
        watched_add_pattern(&settings->watched, &settings->arena, main_file,
                            patterns.items[i].text);
        file_walk_pattern(&load->walk, main_file, &patterns.items[i], visit_list_file, load);
    }
}

/* The list files of delegates. Not when there is an error: then these settings never come into
 * force, and what is said about the files would not be true. */
static void read_delegated_files(struct load *load, const struct settings *previous)
{
    struct delegated delegated = {.delegates = &load->delegates,
                                  .builder = &load->builder,
                                  .names = &load->kept,
                                  .watched = &load->settings->watched,
                                  .fingerprint = load->walk.fingerprint,
                                  .diagnostics = load->diagnostics,
                                  .previous = previous != NULL ? previous->delegated : NULL};
    list_builder_finish(&load->builder);
    if (!diagnostics_has_errors(load->diagnostics))
        delegated_read(&delegated);
    load->settings->delegated = delegated.kept;
    load->settings->delegated_wrong = delegated.wrong;
}

/* The text of a main file that is not one; it is not changed. */
static void read_main_text(struct load *load, const char *name, struct span text)
{
    char *copy = memory_new(text.n + 1, 1);
    if (text.n > 0)
        memcpy(copy, text.p, text.n);
    visit_main_file(load, name, copy, text.n);
    free(copy);
}

/* ---- the whole ---- */

/* So that nobody can choose list ids or addresses that fall on one place of the maps. */
static uint64_t random_seed(const void *somewhere)
{
    uint64_t seed;
    if (getentropy(&seed, sizeof seed) != 0)
        seed = (uint64_t)(uintptr_t)somewhere * UINT64_C(0x9E3779B97F4A7C15);
    return seed;
}

static void load_begin(struct load *load, enum key_reading keys, struct diagnostics *diagnostics)
{
    uint64_t seed = random_seed(load);
    *load = (struct load){
        .diagnostics = diagnostics, .first_diagnostic = diagnostics->count, .with_lists = true};
    load->settings = settings_new(seed);
    load->keys = keys;
    load->tokens = (struct token_sections){.settings = load->settings, .diagnostics = diagnostics};
    arena_init(&load->kept, 0);
    arena_init(&load->scratch, 16384);
    delegates_init(&load->delegates);
    file_walk_init(&load->walk, diagnostics, seed);
    hint_groups_init(&load->hints);
    list_builder_init(&load->builder, &load->settings->index, diagnostics, &load->hints);
    tell_builder(load);
}

/* What was read apart from the files that are walked. */
static void add_keys(struct settings *settings)
{
    for (size_t i = 0; i < settings->recipient_key_count; i++)
        fingerprint_add(&settings->fingerprint, "", settings->recipient_keys[i]);
}

/* Ends the load: the settings, or NULL when there was an error. */
static struct settings *load_end(struct load *load)
{
    struct settings *settings = load->settings;
    list_builder_finish(&load->builder);
    if (!diagnostics_has_errors(load->diagnostics)) {
        list_builder_show(&load->builder);
    }
    hint_groups_tell(&load->hints, load->diagnostics);
    for (size_t i = 0; i < settings->index.count; i++)
        settings->needs_store = settings->needs_store || settings->index.lists[i]->asks_store;
    diagnostics_sort(load->diagnostics, load->first_diagnostic);
    if (diagnostics_has_errors(load->diagnostics)) {
        /* Where a wrong file is to be watched until it is right. */
        if (load->request != NULL && load->request->wrong != NULL)
            *load->request->wrong = settings;
        else
            settings_free(settings);
        settings = NULL;
    }
    list_builder_free(&load->builder);
    delegates_free(&load->delegates);
    file_walk_free(&load->walk);
    arena_free(&load->kept);
    arena_free(&load->scratch);
    return settings;
}

struct settings *settings_load(const struct settings_request *request,
                               struct diagnostics *diagnostics)
{
    struct load load;
    bool is_whole = request->extent == SETTINGS_ALL;
    load_begin(&load, request->extent == SETTINGS_MAIN_FILE ? KEYS_NOT_READ : request->keys,
               diagnostics);
    load.with_lists = request->extent != SETTINGS_MAIN_KEYS;
    load.request = request;
    load.builder.observer = request->observer;
    read_main_file(&load, request->path);
    if (is_whole) {
        read_pattern_files(&load, request->path);
        read_delegated_files(&load, request->previous);
        add_keys(load.settings);
    }
    return load_end(&load);
}

struct settings *settings_load_text(const char *name, struct span text,
                                    struct diagnostics *diagnostics)
{
    struct load load;
    load_begin(&load, KEYS_NEEDED, diagnostics);
    read_main_text(&load, name, text);
    read_pattern_files(&load, name);
    read_delegated_files(&load, NULL);
    return load_end(&load);
}

bool settings_is_main_file(const char *path)
{
    struct file_text file;
    if (!file_walk_read(path, &file))
        return false;
    bool is_main = parse_is_main(file.text, file.length);
    free(file.text);
    return is_main;
}

struct settings *settings_load_files(const char *main_path, char *const *paths, size_t count,
                                     struct diagnostics *diagnostics)
{
    struct load load;
    load_begin(&load, KEYS_NOT_READ, diagnostics);
    load.with_lists = false;
    if (main_path == NULL)
        read_main_text(&load, "(built-in)", span_of(NULL, 0));
    else
        read_main_file(&load, main_path);
    for (size_t i = 0; i < count; i++)
        read_list_file(&load, paths[i]);
    return load_end(&load);
}

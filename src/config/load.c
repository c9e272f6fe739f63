/* load - which files are read, in which order, and what is built of their sections. */
#include "config/load.h"

#include "config/delegation/delegated_files.h"
#include "config/delegation/delegation.h"
#include "config/files/file_walk.h"
#include "config/files/read_file.h"
#include "config/lists/parents.h"
#include "config/main_keys.h"
#include "config/report/say.h"
#include "config/store_kinds.h"
#include "config/syntax/sections.h"
#include "config/tokens.h"
#include "text/memory.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct load {
    struct settings *settings;
    struct diagnostics *diagnostics;
    size_t first_diagnostic; /* of this load */
    struct sections *sections;
    struct list_builder builder;
    struct hint_groups hints;
    struct token_sections tokens;
    struct delegates delegates;
    struct file_walk walk;
    struct arena kept;                      /* of the whole load */
    struct raw_section main;                /* the main file's keys; all zero: it has none */
    bool with_lists;                        /* of the main file */
    bool is_whole;                          /* all files that there are */
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

static void visit_section(void *context, enum section_kind kind, struct raw_section *section)
{
    struct load *load = context;
    raw_section_check(section, load->diagnostics);
    switch (kind) {
    case SECTION_KIND_TOKEN:
        token_sections_add(&load->tokens, section);
        break;
    case SECTION_KIND_DELEGATE:
        delegates_add(&load->delegates, section, load->diagnostics);
        break;
    case SECTION_KIND_MAIN:
        main_keys_apply(section, load->tokens.keys,
                        load->request != NULL ? load->request->store_fault : NULL, load->settings,
                        load->diagnostics);
        tell_builder(load);
        load->main = raw_section_copy(section, &load->kept);
        break;
    case SECTION_KIND_DEFAULTS:
        list_builder_defaults(&load->builder, section);
        break;
    case SECTION_KIND_LIST:
        list_builder_add(&load->builder, section);
    }
}

/* ---- files ---- */

/* Reads a main file, whose text is changed. The builder borrows path as long as the load lasts. */
static void visit_main_file(void *context, const char *path, char *text, size_t length)
{
    struct load *load = context;
    struct statements statements;
    if (statements_cut(&statements, path, text, length, load->diagnostics)) {
        sections_of_main(load->sections, &statements);
        if (load->with_lists)
            sections_lists(load->sections, &statements);
    }
    statements_free(&statements);
}

static void visit_list_file(void *context, const char *path, char *text, size_t length)
{
    struct load *load = context;
    struct statements statements;
    if (statements_cut(&statements, path, text, length, load->diagnostics))
        sections_of_list_file(load->sections, &statements);
    statements_free(&statements);
}

/* Whatever is read after it concerns the fingerprint only if somebody is going to compare it. */
static void read_main_file(struct load *load, const char *path)
{
    struct settings *settings = load->settings;
    load->walk.fingerprint = &settings->fingerprint;
    watched_add_file(&settings->watched, &settings->arena, NULL, span_cstr(path));
    file_walk_one(&load->walk, path, visit_main_file, load);
    if (!settings->watch)
        load->walk.fingerprint = NULL;
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
    if (load->main.file == NULL)
        return;
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
    struct delegation delegation = {.delegates = &load->delegates,
                                    .builder = &load->builder,
                                    .walk = &load->walk,
                                    .watched = &load->settings->watched,
                                    .diagnostics = load->diagnostics,
                                    .previous = previous != NULL ? previous->delegated : NULL};
    list_builder_finish(&load->builder);
    if (!diagnostics_has_errors(load->diagnostics))
        delegation_read(&delegation);
    load->settings->delegated = delegation.kept;
    load->settings->delegated_wrong = delegation.wrong;
}

/* The text of a main file that is not one; it is not changed. */
static void read_main_text(struct load *load, const char *name, struct span text)
{
    char *copy = memory_new(text.n, 1);
    if (text.n > 0)
        memcpy(copy, text.p, text.n);
    file_walk_note(&load->walk, name);
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
    load->tokens = (struct token_sections){
        .settings = load->settings, .diagnostics = diagnostics, .keys = keys};
    load->sections = sections_new(diagnostics, visit_section, load);
    arena_init(&load->kept, 0);
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
    for (size_t i = 0; i < settings->token_names.count; i++)
        fingerprint_add(&settings->fingerprint, "", settings->tokens[i].key);
}

/* Ends the load: the settings, or NULL when there was an error. */
static struct settings *load_end(struct load *load)
{
    struct settings *settings = load->settings;
    list_builder_finish(&load->builder);
    if (!diagnostics_has_errors(load->diagnostics)) {
        list_builder_parent_hints(&load->builder, load->is_whole);
        list_builder_show(&load->builder);
    }
    hint_groups_tell(&load->hints, load->diagnostics);
    for (size_t i = 0; i < settings->index.count; i++)
        settings->needs_store = settings->needs_store || settings->index.lists[i]->asks_store;
    diagnostics_sort(load->diagnostics, load->first_diagnostic, load->walk.order,
                     load->walk.order_count);
    if (diagnostics_has_errors(load->diagnostics)) {
        /* Where a wrong file is to be watched until it is right. */
        if (load->request != NULL && load->request->wrong != NULL)
            *load->request->wrong = settings;
        else
            settings_free(settings);
        settings = NULL;
    }
    sections_free(load->sections);
    list_builder_free(&load->builder);
    delegates_free(&load->delegates);
    file_walk_free(&load->walk);
    arena_free(&load->kept);
    return settings;
}

struct settings *settings_load(const struct settings_request *request,
                               struct diagnostics *diagnostics)
{
    struct load load;
    bool is_whole = request->extent == SETTINGS_ALL;
    load_begin(&load, is_whole ? request->keys : KEYS_NOT_READ, diagnostics);
    load.is_whole = is_whole;
    load.request = request;
    load.builder.observer = request->observer;
    read_main_file(&load, request->path);
    if (is_whole) {
        read_pattern_files(&load, request->path);
        read_delegated_files(&load, request->previous);
        if (load.settings->watch)
            add_keys(load.settings);
    }
    return load_end(&load);
}

struct settings *settings_load_text(const char *name, struct span text,
                                    struct diagnostics *diagnostics)
{
    struct load load;
    load_begin(&load, KEYS_NEEDED, diagnostics);
    load.is_whole = true;
    read_main_text(&load, name, text);
    read_pattern_files(&load, name);
    read_delegated_files(&load, NULL);
    return load_end(&load);
}

bool settings_is_main_file(const char *path)
{
    struct diagnostics ignored;
    struct statements statements;
    struct file_text file;
    bool is_main = false;
    diagnostics_init(&ignored);
    if (file_walk_read(path, &file)) {
        statements_cut(&statements, path, file.text, file.length, &ignored);
        is_main = sections_are_main(&statements);
        statements_free(&statements);
        free(file.text);
    }
    diagnostics_free(&ignored);
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

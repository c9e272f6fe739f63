/* load - see load.h. Reads the files in their order, and makes settings of their sections. */
#include "config/load.h"

#include "config/main_file.h"
#include "config/read/files.h"
#include "text/memory.h"
#include "text/number.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

/* One file with 100,000 large lists has about 60 MB. */
#define FILE_MIB_MAX 64

struct load {
    const struct settings_request *request;
    struct settings *settings;
    struct diagnostics *diagnostics;
    struct list_builder builder;
    struct delegate *delegates; /* of the main file */
    struct arena kept;          /* for the sections of the main file */
    struct arena scratch;       /* for those of a list file */
    struct section top;         /* the keys of the main file */
    bool is_whole;              /* the main file was read to its end: lists need all of it */
};

static void add_lists(struct load *load, const struct parsed *parsed)
{
    for (size_t i = 0; load->is_whole && i < parsed->count; i++)
        if (parsed->sections[i].kind == KEY_LIST)
            list_builder_add(&load->builder, &parsed->sections[i]);
}

/* Returns the section `defaults`, or NULL. */
static const struct section *find_defaults(const struct load *load, const struct parsed *parsed)
{
    const struct section *defaults = NULL;
    for (size_t i = 0; i < parsed->count; i++)
        if (parsed->sections[i].kind == KEY_DEFAULTS &&
            title_check(parsed->sections, &parsed->sections[i], REMARK_NONE, load->diagnostics))
            defaults = &parsed->sections[i];
    return defaults;
}

/* Reads the text of a main file. Lists come last, as they need all other sections. */
static void take_main_text(struct load *load, const char *path, struct span text)
{
    const struct settings_request *request = load->request;
    struct settings *s = load->settings;
    const struct parsed parsed = parse(path, text, true, &load->kept, load->diagnostics);
    load->top = parsed.top;
    load->is_whole = parsed.lacks_only_lists;
    s->lists_unread = !load->is_whole;
    main_keys_apply(&parsed.top,
                    request->extent == SETTINGS_MAIN_FILE ? KEYS_NOT_READ : request->keys,
                    request->store_fault, s, load->diagnostics);
    tokens_apply(&parsed, s, load->diagnostics);
    load->delegates = delegates_read(&parsed, &s->arena, load->diagnostics);
    load->builder =
        (struct list_builder){.arena = &s->arena,
                              .index = &s->index,
                              .diagnostics = load->diagnostics,
                              .hints = load->diagnostics,
                              .token_names = &s->token_names,
                              .tokens = s->tokens,
                              .lacks_store = store_key_missing(span_cstr(s->store)) != NULL,
                              .has_recipient_key = s->recipient_keys_path != NULL};
    list_builder_init(&load->builder, find_defaults(load, &parsed));
    if (request->extent != SETTINGS_MAIN_KEYS && request->files == NULL)
        add_lists(load, &parsed);
}

static bool read_config_file(const char *path, struct file_text *file)
{
    static const struct file_rules rules = {
        .bytes_max = (size_t)FILE_MIB_MAX * 1024 * 1024,
        .too_large = "is too large (expected at most " NUMBER_TEXT(FILE_MIB_MAX) " MiB)"};
    return read_file(path, &rules, file);
}

/* Reads a file, which pattern (or NULL) names, for the caller to free its text. Returns false after
 * an error. */
static bool read_named(struct load *load, const char *path, const struct entry *pattern,
                       struct file_text *file)
{
    const char *cure = "";
    if (read_config_file(path, file)) {
        settings_add_text(load->settings, path, span_of(file->text, file->length));
        return true;
    }
    if (file->error == EACCES)
        cure = " (expected a file that the user of mlmilter may read: see chmod(1))";
    else if (file->error == 0 && S_ISDIR(file->mode))
        cure = " (expected FOLDER/*.conf)";
    if (pattern == NULL || pattern->line == 0)
        say(load->diagnostics, SEVERITY_ERROR, place_of(path, 0, NULL), NO_TEXT, ERROR_FILE,
            WITH(file->fault, cure));
    else /* usually the pattern is wrong, not the file */
        say(load->diagnostics, SEVERITY_ERROR,
            place_of(load->top.file, pattern->line, schema[KEY_LISTS].name), pattern->text,
            ERROR_FILE_OF_PATTERN, WITH(path, file->fault, cure));
    return false;
}

/* Reads a list file, which pattern (or NULL) names; path lives as long as the settings. */
static void read_list_file(struct load *load, const char *path, const struct entry *pattern)
{
    struct file_text file;
    if (!read_named(load, path, pattern, &file))
        return;
    const struct parsed parsed =
        parse(path, span_of(file.text, file.length), false, &load->scratch, load->diagnostics);
    add_lists(load, &parsed);
    arena_reset(&load->scratch);
    free(file.text);
}

/* Reads each file that fits a pattern of `lists` once; skips the main file. */
static void read_list_files(struct load *load)
{
    const struct sources from = {{&load->top}};
    struct value lists = value_of(&from, KEY_LISTS);
    const char **patterns = arena_calloc(&load->kept, lists.count, sizeof *patterns);
    for (size_t i = 0; load->is_whole && !lists.is_wrong && i < lists.count; i++) {
        const struct entry *pattern = &lists.entries[i];
        struct place place = place_of(load->top.file, pattern->line, schema[KEY_LISTS].name);
        patterns[i] = path_pattern(load->top.file, pattern->text, &load->kept);
        struct found_files found = find_files(patterns[i], &load->settings->arena);
        settings_watch(load->settings, patterns[i]);
        if (found.is_unknown)
            say(load->diagnostics, SEVERITY_ERROR, place, pattern->text, ERROR_FOLDER, NULL);
        else if (found.count == 0 && pattern->line > 0)
            say(load->diagnostics, SEVERITY_HINT, place, pattern->text, HINT_NO_FILE, NULL);
        for (size_t k = 0; k < found.count; k++)
            if (strcmp(found.paths[k], load->top.file) != 0 &&
                !path_fits(patterns, i, found.paths[k]))
                read_list_file(load, found.paths[k], pattern);
    }
}

/* Reads list files alone. A delegate's lists must be in his domains here, too. */
static void read_given_files(struct load *load)
{
    for (size_t i = 0; i < load->request->file_count; i++) {
        const char *path = load->request->files[i];
        const struct delegate *delegate = delegates_match(load->delegates, path, &load->kept);
        load->builder.bounds = delegate != NULL ? &delegate->domains : NULL;
        read_list_file(load, path, NULL);
    }
}

static void read_main_file(struct load *load)
{
    const struct settings_request *request = load->request;
    const char *path = request->path != NULL ? request->path : "(built-in)";
    struct file_text file = {.text = NULL};
    struct span text = request->text;
    if (request->path != NULL && request->text.p == NULL) {
        settings_watch_path(load->settings, path);
        if (!read_named(load, path, NULL, &file))
            return;
        text = span_of(file.text, file.length);
    }
    take_main_text(load, path, text);
    free(file.text);
}

/* Completes what depends on all lists. */
static void finish(struct settings *s, struct diagnostics *diagnostics)
{
    list_index_finish(&s->index);
    if (diagnostics->errors == 0 && diagnostics->with_hints)
        list_index_hint(&s->index, s->recipient_delimiter, diagnostics);
    for (size_t i = 0; i < s->index.count; i++)
        s->needs_store |= s->index.lists[i]->asks_store;
    settings_fingerprint(s);
    diagnostics_finish(diagnostics);
}

struct settings *settings_load(const struct settings_request *request,
                               struct diagnostics *diagnostics)
{
    struct load load = {.request = request, .diagnostics = diagnostics};
    uint64_t seed; /* a secret, so that no delegate can make texts collide in the maps */
    if (getentropy(&seed, sizeof seed) != 0)
        seed = (uintptr_t)&load;
    struct settings *settings = load.settings = settings_new(seed);
    diagnostics->with_hints = request->with_hints;
    arena_init(&load.kept, 0);
    arena_init(&load.scratch, 16384);
    read_main_file(&load);
    if (request->files != NULL)
        read_given_files(&load);
    else if (request->extent == SETTINGS_ALL)
        read_list_files(&load);
    /* After an error of the administrator's, messages about delegated files would be wrong. */
    if (request->files == NULL && request->extent == SETTINGS_ALL && diagnostics->errors == 0)
        delegated_read(load.delegates, &load.builder, settings, request->previous, diagnostics);
    finish(settings, diagnostics);
    list_builder_free(&load.builder);
    arena_free(&load.kept);
    arena_free(&load.scratch);
    if (diagnostics->errors == 0 || request->with_wrong)
        return settings;
    settings_free(settings);
    return NULL;
}

bool settings_is_main_file(char *path)
{
    const struct settings_request request = {
        .keys = KEYS_NOT_READ, .files = &path, .file_count = 1};
    struct diagnostics found;
    bool is_main = false;
    diagnostics_init(&found);
    settings_free(settings_load(&request, &found));
    for (size_t i = 0; i < found.count; i++)
        is_main = is_main || found.items[i].remark == ERROR_LISTS_ONLY;
    diagnostics_free(&found);
    return is_main;
}

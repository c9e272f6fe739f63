/* file_walk - finds and reads files, says which cannot be read. */
#include "config/files/file_walk.h"

#include "config/files/read_file.h"
#include "config/report/say.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void file_walk_init(struct file_walk *walk, struct diagnostics *diagnostics, uint64_t seed)
{
    walk->diagnostics = diagnostics;
    walk->fingerprint = NULL;
    arena_init(&walk->arena, 0);
    strmap_init(&walk->seen, seed);
    walk->order = NULL;
    walk->order_count = 0;
    walk->order_capacity = 0;
}

void file_walk_free(struct file_walk *walk)
{
    arena_free(&walk->arena);
    strmap_free(&walk->seen);
    free(walk->order);
    walk->order = NULL;
}

int file_walk_note(struct file_walk *walk, const char *path)
{
    if (walk->order_count == walk->order_capacity) {
        size_t capacity = walk->order_capacity == 0 ? 16 : walk->order_capacity * 2;
        const char **order = realloc(walk->order, capacity * sizeof *order);
        if (order == NULL)
            return -1;
        walk->order = order;
        walk->order_capacity = capacity;
    }
    walk->order[walk->order_count++] = path;
    return 0;
}

/* The pattern of the key `lists` that a file fits. */
struct origin {
    struct place place;
    struct span pattern;
};

/* What the pattern leads to is the main file's mistake as a rule, so that is where it is told. */
static void complain_unreadable(struct file_walk *walk, const char *path,
                                const struct origin *origin, const char *fault)
{
    const char *cure = strcmp(fault, strerror(EACCES)) == 0
                           ? " (expected a file that the user of mlmilter may read: see chmod(1))"
                           : "";
    if (origin == NULL || origin->place.line == 0)
        say(walk->diagnostics, SEVERITY_ERROR, place_of(path, 0, NULL), NO_VALUE,
            "cannot be read: %s%s", fault, cure);
    else
        say(walk->diagnostics, SEVERITY_ERROR, origin->place, origin->pattern,
            "fits %s, which cannot be read: %s%s", path, fault, cure);
}

/* path lives in the arena of the walk; origin may be NULL. */
static int visit_path(struct file_walk *walk, const char *path, const struct origin *origin,
                      file_visit visit, void *context)
{
    char *text;
    size_t length;
    const char *fault;
    if (file_walk_note(walk, path) != 0)
        return -1;
    switch (config_file_read(path, &walk->seen, &walk->arena, &text, &length, &fault)) {
    case CONFIG_FILE_READ:
        break;
    case CONFIG_FILE_SEEN:
        return 0;
    case CONFIG_FILE_FAULT:
        complain_unreadable(walk, path, origin, fault);
        return 0;
    case CONFIG_FILE_NO_MEMORY:
    default:
        return -1;
    }
    if (walk->fingerprint != NULL)
        fingerprint_add(walk->fingerprint, path, span_of(text, length));
    int result = visit(context, path, text, length);
    free(text);
    return result;
}

int file_walk_one(struct file_walk *walk, const char *path, file_visit visit, void *context)
{
    const char *kept = arena_strdup(&walk->arena, span_cstr(path));
    return kept == NULL ? -1 : visit_path(walk, kept, NULL, visit, context);
}

int file_walk_pattern(struct file_walk *walk, const char *main_file, const struct raw_item *pattern,
                      file_visit visit, void *context)
{
    const char *const *paths;
    size_t count;
    struct place place = place_of(main_file, pattern->line, schema[KEY_LISTS].name);
    switch (config_file_glob(main_file, pattern->text, &walk->arena, &paths, &count)) {
    case CONFIG_PATTERN_FINE:
        break;
    case CONFIG_PATTERN_NONE:
        if (pattern->line > 0)
            say(walk->diagnostics, SEVERITY_HINT, place, pattern->text,
                "is a file that does not exist");
        return 0;
    case CONFIG_PATTERN_UNREADABLE:
        say(walk->diagnostics, SEVERITY_ERROR, place, pattern->text,
            "leads into a folder that cannot be read (expected one that this user may "
            "list)");
        return 0;
    case CONFIG_PATTERN_NO_MEMORY:
    default:
        return -1;
    }
    if (count == 0 && pattern->line > 0)
        say(walk->diagnostics, SEVERITY_HINT, place, pattern->text, "fits no file");
    const struct origin origin = {place, pattern->text};
    for (size_t i = 0; i < count; i++)
        if (visit_path(walk, paths[i], &origin, visit, context) != 0)
            return -1;
    return 0;
}

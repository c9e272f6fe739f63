/* file_walk - finds and reads files, says which cannot be read. */
#include "config/files/file_walk.h"

#include "config/files/find_files.h"
#include "config/report/say.h"
#include "text/number.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

void file_walk_init(struct file_walk *walk, struct diagnostics *diagnostics, uint64_t seed)
{
    walk->diagnostics = diagnostics;
    walk->fingerprint = NULL;
    arena_init(&walk->arena, 0);
    strmap_init(&walk->seen, seed);
}

void file_walk_free(struct file_walk *walk)
{
    arena_free(&walk->arena);
    strmap_free(&walk->seen);
}

bool file_walk_read(const char *path, struct file_text *file)
{
    static const struct file_rules rules = {
        .octets_max = (size_t)FILE_MIB_MAX * 1024 * 1024,
        .too_large = "is too large (expected at most " NUMBER_TEXT(FILE_MIB_MAX) " MiB)"};
    return read_file(AT_FDCWD, path, &rules, file);
}

/* The pattern of the key `lists` that a file fits. */
struct origin {
    struct place place;
    struct span pattern;
};

/* What the pattern leads to is the main file's mistake as a rule, so that is where it is told. */
static void complain_unreadable(struct file_walk *walk, const char *path,
                                const struct origin *origin, const struct file_text *file)
{
    const char *cure = file->error == EACCES
                           ? " (expected a file that the user of mlmilter may read: see chmod(1))"
                           : "";
    if (origin == NULL || origin->place.line == 0)
        say(walk->diagnostics, SEVERITY_ERROR, place_of(path, 0, NULL), NO_VALUE,
            "cannot be read: %s%s", file->fault, cure);
    else
        say(walk->diagnostics, SEVERITY_ERROR, origin->place, origin->pattern,
            "matches %s, which cannot be read: %s%s", path, file->fault, cure);
}

/* path lives in the arena of the walk; origin may be NULL. */
static void visit_path(struct file_walk *walk, const char *path, const struct origin *origin,
                       file_visit visit, void *context)
{
    struct file_text file;
    void *seen = NULL; /* a path that is the same, letter case aside */
    strmap_put(&walk->seen, span_cstr(path), (void *)(uintptr_t)path, &seen);
    if (seen != NULL && strcmp(seen, path) == 0)
        return;
    if (!file_walk_read(path, &file)) {
        complain_unreadable(walk, path, origin, &file);
        return;
    }
    if (walk->fingerprint != NULL)
        fingerprint_add(walk->fingerprint, path, span_of(file.text, file.length));
    visit(context, path, file.text, file.length);
    free(file.text);
}

void file_walk_one(struct file_walk *walk, const char *path, file_visit visit, void *context)
{
    visit_path(walk, arena_strdup(&walk->arena, span_cstr(path)), NULL, visit, context);
}

void file_walk_pattern(struct file_walk *walk, const char *main_file,
                       const struct raw_item *pattern, file_visit visit, void *context)
{
    struct place place = place_of(main_file, pattern->line, schema[KEY_LISTS].name);
    const struct origin origin = {place, pattern->text};
    const char **paths;
    size_t count;
    bool is_missing;
    if (!find_files(main_file, pattern->text, &walk->arena, &paths, &count, &is_missing))
        say(walk->diagnostics, SEVERITY_ERROR, place, pattern->text,
            "leads into a folder that cannot be read (expected one that this user may list)");
    else if (count == 0 && pattern->line > 0)
        say(walk->diagnostics, SEVERITY_HINT, place, pattern->text, "%s",
            is_missing ? "is a file that does not exist" : "matches no file");
    for (size_t i = 0; i < count; i++)
        visit_path(walk, paths[i], &origin, visit, context);
}

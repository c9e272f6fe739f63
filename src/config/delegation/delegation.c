/* delegation - delegate by delegate, file by file: read, try, adopt, or fall back. */
#include "config/delegation/delegation.h"

#include "config/delegation/delegated_files.h"
#include "config/delegation/trial.h"
#include "config/lists/parents.h"
#include "config/report/say.h"
#include "text/number.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct reading {
    struct delegation *given;
    struct previous_files previous;
    struct trial trial;
    /* of the delegate at hand */
    struct delegate *delegate;
    const struct delegate_pattern *pattern; /* the one at hand */
    size_t files;
    size_t octets;
    size_t wrong;  /* files, and folders that could not be looked into */
    size_t told;   /* errors */
    size_t untold; /* files whose errors were too many */
};

/* So many errors are told of a delegate, and BOUND_FILE_TOLD of a file, so that one owner cannot
 * hide another's; the others are counted. */
#define ERRORS_TOLD 25

#define TOO_MANY                                                                                   \
    "its delegate has too many files (expected at most " NUMBER_TEXT(DELEGATE_FILES_MAX) ")"
#define TOO_LARGE                                                                                  \
    "the files of its delegate are too large "                                                     \
    "(expected at most " NUMBER_TEXT(FILE_MIB_MAX) " MiB in all)"

static const char disabled[] = "its lists are disabled";
static const char kept[] = "its last good version stays in force";

/* ---- what is said ---- */

/* May one more error be told? */
static bool may_tell(struct reading *r)
{
    if (r->told >= ERRORS_TOLD)
        return false;
    r->told++;
    return true;
}

static void tell_fault(struct reading *r, const char *path, const char *fault, const char *outcome)
{
    r->wrong++;
    if (may_tell(r))
        say(r->given->diagnostics, SEVERITY_DELEGATED, place_of(path, 0, NULL), NO_VALUE, "%s; %s",
            fault, outcome);
    else
        r->untold++;
}

static void tell_unreadable(struct reading *r, const char *path, const char *fault,
                            const char *outcome)
{
    char whole[200];
    snprintf(whole, sizeof whole, "cannot be read: %s", fault);
    tell_fault(r, path, whole, outcome);
}

/* An error of the file, or one of the `defaults` that it brought to light. */
static void tell_item(struct reading *r, const char *path, const struct diagnostic *item,
                      const char *outcome)
{
    if (strcmp(item->file, path) == 0)
        say(r->given->diagnostics, SEVERITY_DELEGATED, place_of(path, item->line, NULL), NO_VALUE,
            "%s; %s", item->text, outcome);
    else
        say(r->given->diagnostics, SEVERITY_DELEGATED, place_of(item->file, item->line, NULL),
            NO_VALUE, "%s; %s: %s", item->text, path, outcome);
}

static void tell_errors(struct reading *r, const char *path, const struct diagnostics *errors,
                        const char *outcome)
{
    size_t told = 0;
    r->wrong++;
    for (size_t i = 0; i < errors->count && told < BOUND_FILE_TOLD; i++) {
        if (errors->items[i].severity != SEVERITY_ERROR)
            continue;
        if (!may_tell(r))
            break;
        tell_item(r, path, &errors->items[i], outcome);
        told++;
    }
    if (told == 0)
        r->untold++;
    else if (errors->errors > told)
        say(r->given->diagnostics, SEVERITY_DELEGATED, place_of(path, 0, NULL), NO_VALUE,
            "has %zu more errors; %s", errors->errors - told, outcome);
}

static void tell_rest(const struct reading *r)
{
    if (r->untold > 0)
        say(r->given->diagnostics, SEVERITY_DELEGATED,
            place_of(r->delegate->file, r->delegate->line, schema[KEY_DELEGATE].name),
            r->delegate->name, "has %zu more files that are wrong", r->untold);
}

/* ---- texts ---- */

static enum outcome take(struct reading *r, const char *path, struct span text)
{
    enum outcome result = trial_take(&r->trial, r->delegate, path, text);
    if (result == DONE && r->given->walk->fingerprint != NULL)
        fingerprint_add(r->given->walk->fingerprint, path, text);
    return result;
}

/* The last good version of a file that is wrong now, if it has one and that still fits. REFUSED:
 * no. */
static enum outcome fall_back(struct reading *r, const char *path)
{
    struct previous_file *file = previous_files_find(&r->previous, path);
    if (file == NULL || file->used)
        return REFUSED;
    file->used = true;
    return take(r, path, file->file->text);
}

static int fall_back_and_tell(struct reading *r, const char *path, const char *fault)
{
    enum outcome result = fall_back(r, path);
    if (result != NO_MEMORY)
        tell_unreadable(r, path, fault, result == DONE ? kept : disabled);
    return result == NO_MEMORY ? -1 : 0;
}

static int use_text(struct reading *r, const char *path, struct span text)
{
    enum outcome result = take(r, path, text);
    if (result != REFUSED)
        return result == DONE ? 0 : -1;
    struct diagnostics errors = r->trial.found;
    diagnostics_init(&r->trial.found);
    result = fall_back(r, path);
    if (result != NO_MEMORY)
        tell_errors(r, path, &errors, result == DONE ? kept : disabled);
    diagnostics_free(&errors);
    return result == NO_MEMORY ? -1 : 0;
}

/* ---- files ---- */

/* REFUSED: it was read before, by the administrator's pattern or by another one of a delegate. */
static enum outcome remember(struct reading *r, const char *path, const struct stat *status)
{
    struct file_walk *walk = r->given->walk;
    void *owner = r->delegate;
    void *present = NULL;
    enum outcome result = file_walk_remember(walk, status, owner, &present);
    if (result != REFUSED || present == owner)
        return result;
    enum outcome old = fall_back(r, path);
    if (old != NO_MEMORY)
        tell_fault(r, path,
                   present == &walk->seen
                       ? "is one of the administrator's own files (see \"lists\")"
                       : "belongs to another delegate, too, which comes first",
                   old == DONE ? kept : "its lists are not read for a second time");
    return old == NO_MEMORY ? NO_MEMORY : REFUSED;
}

static int use_file(struct reading *r, const char *path, const struct file_text *file)
{
    enum outcome first = remember(r, path, &file->status);
    if (first != DONE)
        return first == NO_MEMORY ? -1 : 0;
    if (file->length > (size_t)FILE_MIB_MAX * 1024 * 1024 - r->octets)
        return fall_back_and_tell(r, path, TOO_LARGE);
    r->octets += file->length;
    return use_text(r, path, span_of(file->text, file->length));
}

static int read_path(struct reading *r, const struct delegated_files *files, const char *path)
{
    struct file_text file;
    if (r->files >= DELEGATE_FILES_MAX)
        return fall_back_and_tell(r, path, TOO_MANY);
    if (file_walk_note(r->given->walk, path) != 0)
        return -1;
    enum outcome read = delegated_files_read(files, r->pattern, path, &file);
    if (read == REFUSED && file.error == ENOENT)
        return 0;
    r->files++;
    if (read != DONE)
        return fall_back_and_tell(
            r, path, read == REFUSED ? file.fault : "it needs more memory than there is");
    int result = use_file(r, path, &file);
    free(file.text);
    return result;
}

/* ---- folders ---- */

/* All files of the pattern at hand, whose folder cannot be looked into, stay as they were. */
static int keep_folder(struct reading *r, const char *fault)
{
    const char *outcome = "no list below it is in force";
    const char *folder = r->pattern->folder;
    for (size_t i = 0; i < r->previous.count; i++) {
        const char *path = r->previous.items[i].file->path;
        if (r->previous.items[i].used || !delegate_pattern_fits(r->pattern, path) ||
            r->files >= DELEGATE_FILES_MAX)
            continue;
        r->files++;
        enum outcome result =
            file_walk_note(r->given->walk, path) != 0 ? NO_MEMORY : fall_back(r, path);
        if (result == NO_MEMORY)
            return -1;
        if (result == DONE)
            outcome = "the last good versions of its files stay in force";
        else
            tell_errors(r, path, &r->trial.found, disabled);
    }
    size_t n = strlen(folder);
    char *shown = n > 1 ? strndup(folder, n - 1) : strdup(n > 0 ? folder : ".");
    if (shown == NULL)
        return -1;
    tell_unreadable(r, shown, fault, outcome);
    free(shown);
    return 0;
}

static bool fits_earlier(const struct reading *r, const char *path)
{
    for (const struct delegate_pattern *p = r->delegate->patterns; p < r->pattern; p++)
        if (delegate_pattern_fits(p, path))
            return true;
    return false;
}

static int read_pattern(struct reading *r)
{
    const struct raw_item *raw = &r->pattern->raw;
    struct delegated_files files;
    /* Names live as long as the walk, which remembers their order. */
    int result = delegated_files_open(&files, r->pattern, &r->given->walk->arena);
    if (files.is_missing)
        say(r->given->diagnostics, SEVERITY_HINT,
            place_of(r->delegate->file, raw->line, schema[KEY_FILES].name), raw->text,
            "leads into a folder that does not exist");
    if (result == 0 && files.fault != NULL)
        result = keep_folder(r, files.fault);
    for (size_t i = 0; i < files.count && result == 0; i++)
        if (!fits_earlier(r, files.paths[i]))
            result = read_path(r, &files, files.paths[i]);
    delegated_files_close(&files);
    return result;
}

static int read_delegate(struct reading *r, struct delegate *delegate)
{
    struct delegation *given = r->given;
    r->delegate = delegate;
    r->files = r->octets = r->trial.lists = 0;
    r->wrong = r->told = r->untold = 0;
    given->diagnostics->delegate = delegate->name.p;
    for (size_t i = 0; i < delegate->pattern_count; i++) {
        r->pattern = &delegate->patterns[i];
        if (watched_add_below(given->watched, given->builder->given.arena, r->pattern->folder,
                              r->pattern->name) != 0 ||
            read_pattern(r) != 0)
            return -1;
    }
    tell_rest(r);
    given->wrong += r->wrong;
    return 0;
}

int delegation_read(struct delegation *given)
{
    struct reading r = {.given = given};
    int result = 0;
    if (given->delegates->count == 0)
        return 0;
    if (previous_files_init(&r.previous, given->previous) != 0 ||
        trial_init(&r.trial, given->builder, &given->kept) != 0)
        result = -1;
    for (size_t i = 0; i < given->delegates->count && result == 0; i++)
        result = read_delegate(&r, &given->delegates->items[i]);
    given->diagnostics->delegate = NULL;
    if (result == 0)
        result = list_builder_drop_parents(given->builder);
    trial_free(&r.trial);
    previous_files_free(&r.previous);
    return result;
}

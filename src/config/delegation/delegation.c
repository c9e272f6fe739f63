/* delegation - delegate by delegate, file by file: read, try, adopt, or fall back. */
#include "config/delegation/delegation.h"

#include "config/delegation/delegated_files.h"
#include "config/delegation/trial.h"
#include "config/lists/parents.h"
#include "config/report/say.h"
#include "text/memory.h"
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

/* Returns true if the text is right: then its lists are in force. */
static bool take(struct reading *r, const char *path, struct span text)
{
    bool is_right = trial_take(&r->trial, r->delegate, path, text);
    if (is_right && r->given->walk->fingerprint != NULL)
        fingerprint_add(r->given->walk->fingerprint, path, text);
    return is_right;
}

/* Takes the last good version of a file that is wrong now. Returns true if it has one that still
 * fits. */
static bool fall_back(struct reading *r, const char *path)
{
    struct previous_file *file = previous_files_find(&r->previous, path);
    if (file == NULL || file->used)
        return false;
    file->used = true;
    return take(r, path, file->file->text);
}

static void fall_back_and_tell(struct reading *r, const char *path, const char *fault)
{
    tell_unreadable(r, path, fault, fall_back(r, path) ? kept : disabled);
}

static void use_text(struct reading *r, const char *path, struct span text)
{
    if (take(r, path, text))
        return;
    struct diagnostics errors = r->trial.found;
    diagnostics_init(&r->trial.found);
    tell_errors(r, path, &errors, fall_back(r, path) ? kept : disabled);
    diagnostics_free(&errors);
}

/* ---- files ---- */

/* Returns false if the file was read before, by the administrator's pattern or by another one of a
 * delegate. */
static bool remember(struct reading *r, const char *path, const struct stat *status)
{
    struct file_walk *walk = r->given->walk;
    void *owner = r->delegate;
    void *present = owner;
    if (file_walk_remember(walk, status, owner, &present))
        return true;
    if (present != owner)
        tell_fault(r, path,
                   present == &walk->seen
                       ? "is one of the administrator's own files (see \"lists\")"
                       : "belongs to another delegate, too, which comes first",
                   fall_back(r, path) ? kept : "its lists are not read for a second time");
    return false;
}

static void use_file(struct reading *r, const char *path, const struct file_text *file)
{
    if (!remember(r, path, &file->status))
        return;
    if (file->length > (size_t)FILE_MIB_MAX * 1024 * 1024 - r->octets) {
        fall_back_and_tell(r, path, TOO_LARGE);
        return;
    }
    r->octets += file->length;
    use_text(r, path, span_of(file->text, file->length));
}

static void read_path(struct reading *r, const struct delegated_files *files, const char *path)
{
    struct file_text file;
    if (r->files >= DELEGATE_FILES_MAX) {
        fall_back_and_tell(r, path, TOO_MANY);
        return;
    }
    file_walk_note(r->given->walk, path);
    bool is_read = delegated_files_read(files, r->pattern, path, &file);
    if (!is_read && file.error == ENOENT)
        return;
    r->files++;
    if (is_read)
        use_file(r, path, &file);
    else
        fall_back_and_tell(r, path, file.fault);
    free(file.text);
}

/* ---- folders ---- */

/* All files of the pattern at hand, whose folder cannot be looked into, stay as they were. */
static void keep_folder(struct reading *r, const char *fault)
{
    const char *outcome = "no list below it is in force";
    const char *folder = r->pattern->folder;
    for (size_t i = 0; i < r->previous.count; i++) {
        const char *path = r->previous.items[i].file->path;
        if (r->previous.items[i].used || !delegate_pattern_fits(r->pattern, path) ||
            r->files >= DELEGATE_FILES_MAX)
            continue;
        r->files++;
        file_walk_note(r->given->walk, path);
        if (fall_back(r, path))
            outcome = "the last good versions of its files stay in force";
        else
            tell_errors(r, path, &r->trial.found, disabled);
    }
    size_t n = strlen(folder);
    char *shown = memory_copy(n > 0 ? folder : ".");
    if (n > 1)
        shown[n - 1] = '\0';
    tell_unreadable(r, shown, fault, outcome);
    free(shown);
}

static bool fits_earlier(const struct reading *r, const char *path)
{
    for (const struct delegate_pattern *p = r->delegate->patterns; p < r->pattern; p++)
        if (delegate_pattern_fits(p, path))
            return true;
    return false;
}

static void read_pattern(struct reading *r)
{
    const struct raw_item *raw = &r->pattern->raw;
    struct delegated_files files;
    /* Names live as long as the walk, which remembers their order. */
    delegated_files_open(&files, r->pattern, &r->given->walk->arena);
    if (files.is_missing)
        say(r->given->diagnostics, SEVERITY_HINT,
            place_of(r->delegate->file, raw->line, schema[KEY_FILES].name), raw->text,
            "leads into a folder that does not exist");
    if (files.fault != NULL)
        keep_folder(r, files.fault);
    for (size_t i = 0; i < files.count; i++)
        if (!fits_earlier(r, files.paths[i]))
            read_path(r, &files, files.paths[i]);
    delegated_files_close(&files);
}

static void read_delegate(struct reading *r, struct delegate *delegate)
{
    struct delegation *given = r->given;
    r->delegate = delegate;
    r->files = r->octets = r->trial.lists = 0;
    r->wrong = r->told = r->untold = 0;
    given->diagnostics->delegate = delegate->name.p;
    for (size_t i = 0; i < delegate->pattern_count; i++) {
        r->pattern = &delegate->patterns[i];
        watched_add_below(given->watched, given->builder->given.arena, r->pattern->folder,
                          r->pattern->name);
        read_pattern(r);
    }
    tell_rest(r);
    given->wrong += r->wrong;
}

void delegation_read(struct delegation *given)
{
    struct reading r = {.given = given};
    if (given->delegates->count == 0)
        return;
    previous_files_init(&r.previous, given->previous);
    trial_init(&r.trial, given->builder, &given->kept);
    for (size_t i = 0; i < given->delegates->count; i++)
        read_delegate(&r, &given->delegates->items[i]);
    given->diagnostics->delegate = NULL;
    list_builder_drop_parents(given->builder);
    trial_free(&r.trial);
    previous_files_free(&r.previous);
}

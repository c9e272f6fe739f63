/* delegation - delegate by delegate, file by file: read, try, enter, or fall back. */
#include "config/delegation/delegation.h"

#include "config/delegation/delegate_report.h"
#include "config/delegation/delegated_files.h"
#include "config/delegation/previous.h"
#include "config/delegation/trial.h"
#include "config/files/read_file.h"
#include "config/report/say.h"

#include <stdlib.h>
#include <string.h>

/* Where the lists of a file are in the index. */
struct entered {
    size_t first, end;
    const struct delegate *delegate;
    const char *path;
};

struct reading {
    const struct delegation *given;
    struct arena arena; /* patterns */
    struct previous_files previous;
    struct delegated_text text; /* tries and enters */
    struct entered *entered;
    size_t entered_count;
    size_t entered_capacity;
    /* of the delegate at hand */
    struct delegate *delegate;
    const struct delegate_pattern *patterns;
    size_t pattern; /* the one at hand */
    size_t files;
    size_t octets;
    struct delegate_report report;
};

static const char disabled[] = "its lists are disabled";
static const char kept[] = "its last good version stays in force";

/* ---- entering ---- */

static int remember_entered(struct reading *r, const char *path, size_t first)
{
    if (r->entered_count == r->entered_capacity) {
        size_t capacity = r->entered_capacity == 0 ? 64 : r->entered_capacity * 2;
        struct entered *entered = realloc(r->entered, capacity * sizeof *entered);
        if (entered == NULL)
            return -1;
        r->entered = entered;
        r->entered_capacity = capacity;
    }
    r->entered[r->entered_count++] =
        (struct entered){first, r->given->settings->index.count, r->delegate, path};
    return 0;
}

/* The text stays with the settings, for the next reload. */
static int keep_text(struct settings *settings, const char *path, struct span text)
{
    struct delegated_file *file = arena_calloc(&settings->arena, 1, sizeof *file);
    if (file == NULL)
        return -1;
    file->path = arena_strdup(&settings->arena, span_cstr(path));
    file->text = arena_dup(&settings->arena, text);
    file->next = settings->delegated;
    settings->delegated = file;
    return file->path == NULL || file->text.p == NULL ? -1 : 0;
}

/* Tries the text and, if it is right, enters it. 0; 1: it is not, and r->text says why; -1. */
static int try_and_enter(struct reading *r, const char *path, struct span text)
{
    size_t first = r->given->settings->index.count;
    int result = delegated_text_try(&r->text, r->delegate, path, text);
    if (result != 0)
        return result;
    if (delegated_text_enter(&r->text, r->delegate, path, text) != 0)
        return -1;
    if (r->given->settings->watch)
        fingerprint_add(&r->given->settings->fingerprint, path, text);
    return remember_entered(r, path, first) != 0 || keep_text(r->given->settings, path, text) != 0
               ? -1
               : 0;
}

/* The last good version of a file that is wrong now, if it has one and that still fits. 0: it is in
 * force; 1: no; -1. */
static int fall_back(struct reading *r, const char *path)
{
    struct previous_file *file = previous_files_find(&r->previous, path);
    if (file == NULL || file->used)
        return 1;
    file->used = true;
    return try_and_enter(r, path, file->file->text);
}

static int fall_back_and_tell(struct reading *r, const char *path, const char *fault)
{
    int result = fall_back(r, path);
    if (result >= 0)
        delegate_report_unreadable(&r->report, path, fault, result == 0 ? kept : disabled);
    return result < 0 ? -1 : 0;
}

/* ---- files ---- */

static int use_text(struct reading *r, const char *path, struct span text)
{
    int result = try_and_enter(r, path, text);
    if (result <= 0)
        return result;
    struct diagnostics errors = delegated_text_take_errors(&r->text);
    result = fall_back(r, path);
    if (result >= 0)
        delegate_report_errors(&r->report, path, &errors, result == 0 ? kept : disabled);
    diagnostics_free(&errors);
    return result < 0 ? -1 : 0;
}

/* Is it a file that was read before: by the administrator's pattern, or another one of a delegate?
 * 1, 0 or -1. */
static int is_known(struct reading *r, const char *path, const struct stat *status)
{
    struct file_walk *walk = r->given->walk;
    void *owner = r->delegate;
    void *present = NULL;
    int result = config_file_remember(&walk->seen, &walk->arena, status, owner, &present);
    if (result != 1 || present == owner)
        return result;
    delegate_report_fault(&r->report, path,
                          present == &walk->seen
                              ? "is one of the administrator's own files (see \"lists\")"
                              : "belongs to another delegate, too, which stands first",
                          "its lists are not read for a second time");
    return 1;
}

static int use_file(struct reading *r, const char *path, const struct delegate_file *file)
{
    int known = is_known(r, path, &file->status);
    if (known != 0)
        return known < 0 ? -1 : 0;
    if (file->length > DELEGATE_OCTETS_MAX - r->octets)
        return fall_back_and_tell(r, path,
                                  "the files of its delegate are too large (expected at most 64 "
                                  "MiB in all)");
    r->octets += file->length;
    return use_text(r, path, span_of(file->text, file->length));
}

static int read_file(struct reading *r, const char *path)
{
    struct delegate_file file;
    if (r->files >= DELEGATE_FILES_MAX)
        return fall_back_and_tell(r, path,
                                  "its delegate has too many files (expected at most "
                                  "10,000)");
    if (file_walk_note(r->given->walk, path) != 0)
        return -1;
    switch (delegate_file_read(&r->patterns[r->pattern], path, &file)) {
    case DELEGATE_FILE_READ:
        break;
    case DELEGATE_FILE_GONE:
        return 0;
    case DELEGATE_FILE_FAULT:
        r->files++;
        return fall_back_and_tell(r, path, file.fault);
    case DELEGATE_FILE_NO_MEMORY:
    default:
        r->files++;
        return fall_back_and_tell(r, path, "it needs more memory than there is");
    }
    r->files++;
    int result = use_file(r, path, &file);
    free(file.text);
    return result;
}

/* ---- folders ---- */

/* All files of a folder that cannot be looked into (its slash behind it) stay as they were. */
static int keep_folder(struct reading *r, const char *folder, const char *fault)
{
    const struct delegate_pattern *pattern = &r->patterns[r->pattern];
    const char *outcome = "no list below it is in force";
    size_t n = strlen(folder);
    char *shown = strdup(n > 0 ? folder : "./");
    if (shown == NULL)
        return -1;
    if (strlen(shown) > 1)
        shown[strlen(shown) - 1] = '\0';
    struct previous_file *end;
    struct previous_file *file = previous_files_below(&r->previous, folder, &end);
    int result = 0;
    for (; file < end && result >= 0; file++) {
        const char *path = file->file->path;
        if (file->used || !delegate_pattern_fits(pattern, path) || r->files >= DELEGATE_FILES_MAX)
            continue;
        r->files++;
        result = file_walk_note(r->given->walk, path) != 0 ? -1 : fall_back(r, path);
        if (result == 0)
            outcome = "the last good versions of its files stay in force";
        else if (result == 1)
            delegate_report_errors(&r->report, path, &r->text.found, disabled);
    }
    if (result >= 0)
        delegate_report_unreadable(&r->report, shown, fault, outcome);
    free(shown);
    return result < 0 ? -1 : 0;
}

static bool fits_earlier(const struct reading *r, const char *path)
{
    for (size_t i = 0; i < r->pattern; i++)
        if (delegate_pattern_fits(&r->patterns[i], path))
            return true;
    return false;
}

static int read_pattern(struct reading *r)
{
    const struct raw_item *item = &r->delegate->patterns[r->pattern];
    /* Names live as long as the walk, which remembers their order. */
    struct delegate_find find = {.arena = &r->given->walk->arena};
    int result = delegate_find(&find, &r->patterns[r->pattern]);
    if (find.no_folder)
        say(r->given->diagnostics, SEVERITY_HINT,
            place_of(r->delegate->file, item->line, schema[KEY_FILES].name), item->text,
            "leads into a folder that does not exist");
    for (size_t i = 0; i < find.count && result == 0; i++) {
        const struct delegate_found *found = &find.items[i];
        if (found->fault != NULL)
            result = keep_folder(r, found->path, found->fault);
        else if (!fits_earlier(r, found->path))
            result = read_file(r, found->path);
    }
    delegate_find_free(&find);
    return result;
}

static int read_delegate(struct reading *r, struct delegate *delegate)
{
    struct delegate_pattern *patterns =
        arena_calloc(&r->arena, delegate->pattern_count, sizeof *patterns);
    if (patterns == NULL)
        return -1;
    struct settings *settings = r->given->settings;
    for (size_t i = 0; i < delegate->pattern_count; i++)
        if (delegate_pattern_make(delegate->file, delegate->patterns[i].text, &r->arena,
                                  &patterns[i]) != 0 ||
            watched_add_below(&settings->watched, &settings->arena, patterns[i].folder,
                              patterns[i].below) != 0)
            return -1;
    r->delegate = delegate;
    r->patterns = patterns;
    r->files = r->octets = r->text.lists = 0;
    r->report = (struct delegate_report){.diagnostics = r->given->diagnostics};
    r->given->diagnostics->delegate = delegate->name.p;
    for (r->pattern = 0; r->pattern < delegate->pattern_count; r->pattern++)
        if (read_pattern(r) != 0)
            return -1;
    delegate_report_end(&r->report, delegate);
    r->given->diagnostics->delegate = NULL;
    settings->delegated_wrong += r->report.wrong;
    return 0;
}

/* ---- the whole ---- */

/* What was no list of ours when a file was read may be one now (RULINGS 14). */
static int drop_parents(struct reading *r)
{
    struct list_builder *builder = r->given->builder;
    size_t told = 0;
    const struct delegate *delegate = NULL;
    for (size_t i = 0; i < r->entered_count; i++) {
        const struct entered *e = &r->entered[i];
        if (e->delegate != delegate)
            told = 0;
        delegate = e->delegate;
        r->given->diagnostics->delegate = delegate->name.p;
        for (size_t at = e->first; at < e->end; at++) {
            struct span dropped;
            if (list_builder_drop_parents(builder, delegate, at, &dropped) != 0)
                return -1;
            if (dropped.n > 0 && told++ < DELEGATE_FILE_ERRORS_TOLD)
                say(r->given->diagnostics, SEVERITY_DELEGATED,
                    place_of(e->path, list_builder_line(builder, at), "parents"), dropped,
                    "%s; it is left out, the list stays in force", delegate->outside);
        }
    }
    return 0;
}

int delegation_read(const struct delegation *given)
{
    struct reading r = {.given = given};
    int result = 0;
    if (given->delegates->count == 0)
        return 0;
    arena_init(&r.arena, 0);
    if (previous_files_init(&r.previous, given->previous) != 0 ||
        delegated_text_init(&r.text, given->builder) != 0)
        result = -1;
    for (size_t i = 0; i < given->delegates->count && result == 0; i++)
        result = read_delegate(&r, &given->delegates->items[i]);
    if (result == 0)
        result = drop_parents(&r);
    given->diagnostics->delegate = NULL;
    delegated_text_free(&r.text);
    previous_files_free(&r.previous);
    free(r.entered);
    arena_free(&r.arena);
    return result;
}

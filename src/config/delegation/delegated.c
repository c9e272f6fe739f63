/* delegated - opens folders, reads files, tries their lists, goes back where one is wrong. */
#include "config/delegation/delegated.h"

#include "config/files/find_files.h"
#include "config/files/read_file.h"
#include "config/lists/parents.h"
#include "config/report/say.h"
#include "config/syntax/parse.h"
#include "text/memory.h"
#include "text/number.h"
#include "text/strbuf.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* 10,000 lists that set every key are about 6 MB; 10,000 that take the defaults, 0.5 MB. */
static const struct file_rules rules = {.octets_max = (size_t)1024 * 1024,
                                        .too_large = "is too large (expected at most 1 MiB)",
                                        .is_foreign = true};

#define FILES_REPORTED 25 /* wrong files of a delegate; the others are counted */

#define TOO_MANY                                                                                   \
    "its delegate has too many files (expected at most " NUMBER_TEXT(DELEGATE_FILES_MAX) ")"
#define TOO_LARGE                                                                                  \
    "the files of its delegate are too large "                                                     \
    "(expected at most " NUMBER_TEXT(DELEGATE_MIB_MAX) " MiB in all)"

struct reading {
    struct delegated *given;
    const struct delegated_file **previous; /* sorted by path */
    size_t previous_count;
    struct diagnostics found; /* in the text that was tried last */
    struct arena scratch;     /* for the values of a text */
    struct list_builder_mark before;
    /* of the delegate at hand */
    const struct delegate *delegate;
    size_t files, octets, lists, wrong;
};

/* ---- messages ---- */

static void report(struct reading *r, struct place place, const char *fault, const char *outcome)
{
    if (r->wrong++ < FILES_REPORTED)
        say(r->given->diagnostics, SEVERITY_DELEGATED, place, NO_VALUE, "%s; %s", fault, outcome);
}

static void report_unreadable(struct reading *r, const char *path, const char *fault,
                              const char *outcome)
{
    struct strbuf text = STRBUF_INIT;
    strbuf_addf(&text, "cannot be read: %s", fault);
    report(r, place_of(path, 0, NULL), strbuf_str(&text), outcome);
    strbuf_free(&text);
}

/* Reports the first error in the text that was tried. It may be one of the `defaults`. */
static void report_found(struct reading *r, const char *path, const char *outcome)
{
    const struct diagnostic *first = NULL;
    struct strbuf text = STRBUF_INIT;
    for (size_t i = 0; i < r->found.count; i++) {
        const struct diagnostic *item = &r->found.items[i];
        if (item->severity == SEVERITY_ERROR && (first == NULL || item->line < first->line))
            first = item;
    }
    if (strcmp(first->file, path) != 0)
        strbuf_addf(&text, "%s: ", path);
    strbuf_add_str(&text, outcome);
    report(r, place_of(first->file, first->line, NULL), first->text, strbuf_str(&text));
    strbuf_free(&text);
}

/* ---- texts ---- */

/* RULINGS 87 */
static bool check_count(struct reading *r, const struct parsed *parsed)
{
    size_t most = r->delegate->lists_max;
    if (parsed->count <= most - r->lists)
        return true;
    const struct section *first = &parsed->sections[most - r->lists];
    say(&r->found, SEVERITY_ERROR, place_of(first->file, first->line, schema[KEY_LIST].name),
        NO_VALUE, "is one too many (expected at most %zu in all files of its delegate: lists_max)",
        most);
    return false;
}

static void add_lists(struct reading *r, const char *path, struct span text)
{
    char *copy = memory_new(text.n + 1, 1); /* for parse, which changes it */
    if (text.n > 0)
        memcpy(copy, text.p, text.n);
    arena_reset(&r->scratch);
    struct parsed parsed = parse(path, false, copy, text.n, &r->scratch, &r->found);
    bool is_right = parsed.lacks_lists_only && check_count(r, &parsed);
    for (size_t i = 0; is_right && i < parsed.count; i++) {
        struct raw_section raw;
        raw_section_read(&raw, &parsed.sections[i], &r->found);
        list_builder_add(r->given->builder, &raw);
    }
    free(copy);
}

static void keep_text(struct reading *r, const char *path, struct span text)
{
    struct arena *arena = r->given->builder->given.arena;
    struct delegated_file *file = arena_alloc(arena, sizeof *file);
    *file = (struct delegated_file){r->given->kept, arena_strdup(arena, span_cstr(path)),
                                    arena_dup(arena, text)};
    r->given->kept = file;
}

/* Adds the lists of a text, which is kept. Returns true, or false after an error, which is in
 * r->found: then none is added. */
static bool try_text(struct reading *r, const char *path, struct span text)
{
    struct list_builder *b = r->given->builder;
    struct diagnostics *diagnostics = b->diagnostics;
    size_t count = b->index->count;
    diagnostics_free(&r->found);
    list_builder_mark(b, &r->before);
    b->bounds = &r->delegate->domains;
    b->diagnostics = &r->found;
    add_lists(r, path, text);
    list_builder_finish(b);
    b->bounds = NULL;
    b->diagnostics = diagnostics;
    bool is_right = !diagnostics_has_errors(&r->found);
    if (!is_right) {
        list_builder_rewind(b, &r->before);
        return false;
    }
    r->lists += b->index->count - count;
    keep_text(r, path, text);
    if (r->given->fingerprint != NULL)
        fingerprint_add(r->given->fingerprint, path, text);
    return true;
}

static int by_path(const void *a, const void *b)
{
    const struct delegated_file *const *first = a, *const *second = b;
    return strcmp((*first)->path, (*second)->path);
}

static void sort_previous(struct reading *r)
{
    size_t capacity = 0;
    for (const struct delegated_file *f = r->given->previous; f != NULL; f = f->next) {
        r->previous = array_grow(r->previous, r->previous_count, &capacity, sizeof *r->previous);
        r->previous[r->previous_count++] = f;
    }
    if (r->previous_count > 0)
        qsort(r->previous, r->previous_count, sizeof *r->previous, by_path);
}

static const struct delegated_file *find_previous(const struct reading *r, const char *path)
{
    const struct delegated_file named = {.path = path}, *key = &named;
    const struct delegated_file *const *found =
        r->previous_count == 0 ? NULL
                               : bsearch(&key, r->previous, r->previous_count, sizeof key, by_path);
    return found != NULL ? *found : NULL;
}

/* Tries the last good text of a file. Its hints are forgotten, as its lines are gone. */
static bool try_previous(struct reading *r, const char *path)
{
    const struct delegated_file *file = find_previous(r, path);
    if (file == NULL || !try_text(r, path, file->text))
        return false;
    hint_groups_rewind(r->given->builder->hints, &r->before.hints);
    return true;
}

static const char kept[] = "its last good version stays in force";
static const char disabled[] = "its lists are disabled";

/* Falls back to the last good text of a file; r->found stays as it is. Returns the outcome. */
static const char *fall_back(struct reading *r, const char *path)
{
    struct diagnostics found = r->found;
    diagnostics_init(&r->found);
    bool is_kept = try_previous(r, path);
    diagnostics_free(&r->found);
    r->found = found;
    return is_kept ? kept : disabled;
}

/* ---- files ---- */

static void use_file(struct reading *r, const char *path, const struct file_text *file)
{
    if (file->length > (size_t)DELEGATE_MIB_MAX * 1024 * 1024 - r->octets) {
        report_unreadable(r, path, TOO_LARGE, fall_back(r, path));
        return;
    }
    r->octets += file->length;
    if (!try_text(r, path, span_of(file->text, file->length)))
        report_found(r, path, fall_back(r, path));
}

static void read_path(struct reading *r, int folder, const char *path, size_t folder_length)
{
    struct file_text file;
    if (r->files == DELEGATE_FILES_MAX) {
        report_unreadable(r, path, TOO_MANY, fall_back(r, path));
        return;
    }
    bool is_read = read_file(folder, path + folder_length, &rules, &file);
    if (!is_read && (file.error == ENOENT || file.error == ENOTDIR))
        return;
    r->files++;
    if (is_read)
        use_file(r, path, &file);
    else
        report_unreadable(r, path, file.fault, fall_back(r, path));
    free(file.text);
}

/* True if the pattern, or an earlier one of the delegate, finds the path. */
static bool fits(const struct delegate_pattern *pattern, const char *path)
{
    size_t n = strlen(pattern->folder);
    return strncmp(path, pattern->folder, n) == 0 && path_pattern_fits(pattern->name, path + n);
}

static bool fits_earlier(const struct reading *r, const struct delegate_pattern *pattern,
                         const char *path)
{
    for (const struct delegate_pattern *p = r->delegate->patterns; p < pattern; p++)
        if (fits(p, path))
            return true;
    return false;
}

/* ---- folders ---- */

/* Opens a folder of which no component is a symbolic link: a delegate could let it lead to the
 * files of another one (RULINGS 98). Returns a descriptor, or -1 with errno. */
static int open_folder(const char *path)
{
    struct open_how how = {.flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC,
                           .resolve = RESOLVE_NO_SYMLINKS};
    int folder = (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof how);
    if (folder >= 0 || errno != ENOSYS)
        return folder;
    folder = open(path[0] == '/' ? "/" : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (struct span rest = span_cstr(path); rest.n > 0 && folder >= 0;) {
        struct span name = span_sub(rest, 0, span_find(rest, '/'));
        rest = span_sub(rest, name.n + 1, rest.n);
        if (name.n == 0)
            continue;
        char *copy = memory_copy(name.p);
        copy[name.n] = '\0';
        int next = openat(folder, copy, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
        int error = errno == ENOTDIR ? ELOOP : errno; /* a link is ENOTDIR here */
        free(copy);
        close(folder);
        folder = next;
        errno = error;
    }
    return folder;
}

struct names {
    struct arena *arena;
    const char **paths; /* owned */
    size_t count, capacity;
};

static void add_name(struct names *names, const struct delegate_pattern *pattern, const char *name)
{
    struct strbuf path = STRBUF_INIT;
    strbuf_add_str(&path, pattern->folder);
    strbuf_add_str(&path, name);
    names->paths = array_grow(names->paths, names->count, &names->capacity, sizeof *names->paths);
    names->paths[names->count++] = strbuf_keep(&path, names->arena);
}

/* Finds the names in a folder that fit. Returns NULL, or the reason why they are not all known:
 * those that are missing would be up to chance. */
static const char *find_names(DIR *folder, const struct delegate_pattern *pattern,
                              struct names *names)
{
    const struct dirent *entry;
    while (errno = 0, (entry = readdir(folder)) != NULL) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
            !path_pattern_fits(pattern->name, entry->d_name))
            continue;
        if (names->count == DELEGATE_FILES_MAX * 2)
            return TOO_MANY;
        add_name(names, pattern, entry->d_name);
    }
    return errno != 0 ? strerror(errno) : NULL;
}

/* Lets all files of a pattern, whose folder cannot be read, stay as they were. */
static void keep_folder(struct reading *r, const struct delegate_pattern *pattern,
                        const char *fault)
{
    const char *outcome = "no list below it is in force";
    size_t n = strlen(pattern->folder);
    struct strbuf name = STRBUF_INIT;
    for (const struct delegated_file *f = r->given->previous; f != NULL; f = f->next) {
        if (!fits(pattern, f->path) || fits_earlier(r, pattern, f->path) ||
            r->files == DELEGATE_FILES_MAX)
            continue;
        r->files++;
        if (try_previous(r, f->path))
            outcome = "the last good versions of its files stay in force";
        else
            report_found(r, f->path, disabled);
    }
    strbuf_add_span(&name, span_of(pattern->folder, n > 1 ? n - 1 : n));
    report_unreadable(r, n > 0 ? strbuf_str(&name) : ".", fault, outcome);
    strbuf_free(&name);
}

static void read_names(struct reading *r, const struct delegate_pattern *pattern, DIR *folder)
{
    struct names names = {.arena = r->given->names};
    const char *fault = NULL;
    if (path_is_plain(span_cstr(pattern->name)))
        add_name(&names, pattern, pattern->name);
    else
        fault = find_names(folder, pattern, &names);
    if (fault != NULL)
        keep_folder(r, pattern, fault);
    path_sort(names.paths, names.count);
    for (size_t i = 0; fault == NULL && i < names.count; i++)
        if (!fits_earlier(r, pattern, names.paths[i]))
            read_path(r, dirfd(folder), names.paths[i], strlen(pattern->folder));
    free(names.paths);
}

static void read_pattern(struct reading *r, const struct delegate_pattern *pattern)
{
    int descriptor = open_folder(pattern->folder[0] != '\0' ? pattern->folder : ".");
    int error = errno;
    DIR *folder = descriptor >= 0 ? fdopendir(descriptor) : NULL;
    if (descriptor >= 0 && folder == NULL) {
        error = errno;
        close(descriptor);
    }
    if (folder != NULL) {
        read_names(r, pattern, folder);
        closedir(folder);
    } else if (error == ENOMEM) {
        memory_exhausted();
    } else if (descriptor < 0 && (error == ENOENT || error == ENOTDIR)) {
        say(r->given->diagnostics, SEVERITY_HINT,
            place_of(r->delegate->file, pattern->raw.line, schema[KEY_FILES].name),
            pattern->raw.text, "leads into a folder that does not exist");
    } else {
        keep_folder(r, pattern,
                    error == ELOOP ? "its path has a symbolic link (expected the real path)"
                                   : strerror(error));
    }
}

/* ---- delegates ---- */

static void read_delegate(struct reading *r, const struct delegate *delegate)
{
    struct delegated *given = r->given;
    r->delegate = delegate;
    r->files = r->octets = r->lists = r->wrong = 0;
    given->diagnostics->delegate = delegate->name.p;
    for (size_t i = 0; i < delegate->pattern_count; i++) {
        watched_add_below(given->watched, given->builder->given.arena, delegate->patterns[i].folder,
                          delegate->patterns[i].name);
        read_pattern(r, &delegate->patterns[i]);
    }
    if (r->wrong > FILES_REPORTED)
        say(given->diagnostics, SEVERITY_DELEGATED,
            place_of(delegate->file, delegate->line, schema[KEY_DELEGATE].name), delegate->name,
            "has %zu more files that are wrong", r->wrong - FILES_REPORTED);
    given->wrong += r->wrong;
}

void delegated_read(struct delegated *given)
{
    struct reading r = {.given = given};
    sort_previous(&r);
    diagnostics_init(&r.found);
    arena_init(&r.scratch, 16384);
    for (size_t i = 0; i < given->delegates->count; i++)
        read_delegate(&r, &given->delegates->items[i]);
    given->diagnostics->delegate = NULL;
    list_builder_drop_parents(given->builder);
    free(r.previous);
    diagnostics_free(&r.found);
    arena_free(&r.scratch);
}

/* ---- a file that is checked alone ---- */

/* Returns the real name of a folder ("": the current one), for the caller to free, or NULL if no
 * such folder exists. */
static char *real_folder(const char *folder)
{
    char *real = realpath(folder[0] != '\0' ? folder : ".", NULL);
    if (real == NULL && errno == ENOMEM)
        memory_exhausted();
    return real;
}

const struct delegate *delegates_match(const struct delegates *delegates, const char *path)
{
    const struct delegate *found = NULL;
    size_t length = path_folder(span_cstr(path)).n;
    char *folder = memory_copy(path);
    folder[length] = '\0';
    char *real = real_folder(folder);
    for (size_t i = 0; real != NULL && found == NULL && i < delegates->count; i++) {
        const struct delegate *delegate = &delegates->items[i];
        for (size_t k = 0; found == NULL && k < delegate->pattern_count; k++) {
            char *other = real_folder(delegate->patterns[k].folder);
            if (other != NULL && strcmp(real, other) == 0 &&
                path_pattern_fits(delegate->patterns[k].name, path + length))
                found = delegate;
            free(other);
        }
    }
    free(real);
    free(folder);
    return found;
}

/* delegated_files - a pattern's files, component by component, each folder opened from the one
 * above.
 */
#include "config/delegation/delegated_files.h"

#include "config/files/find_files.h"
#include "config/files/read_file.h"
#include "text/strbuf.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_wild(struct span component)
{
    for (size_t i = 0; i < component.n; i++)
        if (strchr("*?[\\", component.p[i]) != NULL && component.p[i] != '\0')
            return true;
    return false;
}

/* Octets of the components before the first one with a wildcard, and before the last one. */
static size_t folder_octets(struct span text)
{
    size_t end = 0;
    for (size_t i = 0; i < text.n; i++) {
        if (text.p[i] != '/')
            continue;
        if (is_wild(span_sub(text, end, i - end)))
            return end;
        end = i + 1;
    }
    return end;
}

int delegate_pattern_join(struct span folder, struct span below, struct arena *arena,
                          struct delegate_pattern *out)
{
    struct strbuf whole = STRBUF_INIT;
    path_pattern_add_plain(&whole, folder);
    strbuf_add_span(&whole, below);
    out->whole = strbuf_keep(&whole, arena);
    out->folder = arena_strdup(arena, folder);
    out->below = arena_strdup(arena, below);
    return out->whole == NULL || out->folder == NULL || out->below == NULL ? -1 : 0;
}

int delegate_pattern_make(const char *from, struct span text, struct arena *arena,
                          struct delegate_pattern *out)
{
    size_t n = folder_octets(text);
    struct span left = span_sub(text, n, text.n);
    struct strbuf folder = STRBUF_INIT;
    struct strbuf below = STRBUF_INIT;
    strbuf_add_span(&folder, config_file_base(from, text));
    strbuf_add_span(&folder, span_sub(text, 0, n));
    for (size_t i = 0; i < left.n; i++) /* "a//b" is "a/b" */
        if (left.p[i] != '/' || (i > 0 && left.p[i - 1] != '/'))
            strbuf_add_char(&below, left.p[i]);
    int result = -1;
    if (!strbuf_failed(&folder) && !strbuf_failed(&below))
        result = delegate_pattern_join(strbuf_span(&folder), strbuf_span(&below), arena, out);
    strbuf_free(&folder);
    strbuf_free(&below);
    return result;
}

bool delegate_pattern_fits(const struct delegate_pattern *pattern, const char *path)
{
    return path_pattern_fits(pattern->whole, path);
}

/* ---- what was found ---- */

static int add(struct delegate_find *find, const char *path, const char *fault)
{
    if (find->count == find->capacity) {
        size_t capacity = find->capacity == 0 ? 64 : find->capacity * 2;
        struct delegate_found *items = realloc(find->items, capacity * sizeof *items);
        if (items == NULL)
            return -1;
        find->items = items;
        find->capacity = capacity;
    }
    find->items[find->count++] = (struct delegate_found){path, fault};
    return 0;
}

static int add_fault(struct delegate_find *find, const char *folder, const char *fault)
{
    const char *kept = arena_strdup(find->arena, span_cstr(fault)); /* it may be strerror's */
    return kept == NULL ? -1 : add(find, folder, kept);
}

static const char *join(struct delegate_find *find, const char *folder, struct span name,
                        const char *behind)
{
    struct strbuf path = STRBUF_INIT;
    strbuf_add_str(&path, folder);
    strbuf_add_span(&path, name);
    strbuf_add_str(&path, behind);
    return strbuf_keep(&path, find->arena);
}

/* ---- folders ---- */

static int find_in(struct delegate_find *find, int folder, const char *path, const char *below);

/* The folder `path`, which ends in a slash, could not be opened in the folder above. */
static int complain_folder(struct delegate_find *find, int above, const char *name,
                           const char *path, int error)
{
    struct stat status;
    if (error == ENOENT)
        return 0;
    if (error != ENOTDIR && error != ELOOP)
        return add_fault(find, path, strerror(error));
    /* With O_DIRECTORY a link is "not a directory" for some systems, a file for all. */
    if (fstatat(above, name, &status, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISLNK(status.st_mode))
        return 0;
    return add_fault(find, path,
                     "is a symbolic link, and none is followed here (expected the folder itself)");
}

/* A name in the folder that fits the component; below is what is left behind it. */
static int find_name(struct delegate_find *find, int folder, const char *path, const char *name,
                     const char *below)
{
    if (below == NULL) {
        const char *file = join(find, path, span_cstr(name), "");
        return file == NULL ? -1 : add(find, file, NULL);
    }
    const char *inner = join(find, path, span_cstr(name), "/");
    if (inner == NULL)
        return -1;
    int opened = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (opened < 0)
        return complain_folder(find, folder, name, inner, errno);
    int result = find_in(find, opened, inner, below);
    close(opened);
    return result;
}

/* All names in the folder that fit. What is found there is taken back when not all of it can be
 * seen: what would be missing is up to chance. */
static int find_names(struct delegate_find *find, DIR *names, int folder, const char *path,
                      const char *component, const char *below)
{
    size_t before = find->count;
    for (;;) {
        errno = 0;
        const struct dirent *entry = readdir(names);
        if (entry == NULL && errno == 0)
            return 0;
        const char *fault = entry == NULL ? strerror(errno) : NULL;
        if (entry != NULL && find->entries++ >= DELEGATE_ENTRIES_MAX)
            fault = "leads to too many names (expected at most 100,000 in the folders of a "
                    "pattern)";
        if (fault != NULL) {
            find->count = before;
            return add_fault(find, path, fault);
        }
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
            !path_pattern_fits(component, entry->d_name))
            continue;
        if (find_name(find, folder, path, entry->d_name, below) != 0)
            return -1;
    }
}

/* path leads to the open folder, which stays the caller's; below is not empty. */
static int find_in(struct delegate_find *find, int folder, const char *path, const char *below)
{
    const char *slash = strchr(below, '/');
    struct span first = span_of(below, slash != NULL ? (size_t)(slash - below) : strlen(below));
    const char *component = arena_strdup(find->arena, first);
    const char *left = slash != NULL ? slash + 1 : NULL;
    if (component == NULL)
        return -1;
    if (!is_wild(first))
        return find_name(find, folder, path, component, left);
    int own = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC); /* closedir closes it */
    DIR *names = own >= 0 ? fdopendir(own) : NULL;
    if (names == NULL) {
        int error = errno;
        if (own >= 0)
            close(own);
        return add_fault(find, path, strerror(error));
    }
    int result = find_names(find, names, folder, path, component, left);
    closedir(names);
    return result;
}

static int by_path(const void *a, const void *b)
{
    const struct delegate_found *first = a;
    const struct delegate_found *second = b;
    return strcmp(first->path, second->path);
}

int delegate_find(struct delegate_find *find, const struct delegate_pattern *pattern)
{
    find->count = 0;
    find->entries = 0;
    find->no_folder = false;
    int folder = open(pattern->folder[0] != '\0' ? pattern->folder : ".",
                      O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0 && (errno == ENOENT || errno == ENOTDIR)) {
        find->no_folder = true;
        return 0;
    }
    if (folder < 0)
        return add_fault(find, pattern->folder, strerror(errno));
    int result = find_in(find, folder, pattern->folder, pattern->below);
    close(folder);
    if (find->count > 0)
        qsort(find->items, find->count, sizeof *find->items, by_path);
    return result;
}

void delegate_find_free(struct delegate_find *find)
{
    free(find->items);
    find->items = NULL;
    find->count = 0;
    find->capacity = 0;
}

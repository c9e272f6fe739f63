/* delegated_files - one open folder, one readdir, one openat for each file. */
#include "config/delegation/delegated_files.h"

#include "config/files/find_files.h"
#include "text/array.h"
#include "text/memory.h"
#include "text/number.h"
#include "text/strbuf.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* 10,000 lists that write out all they have are about 6 MB; those that have the defaults, 0.5. */
static const struct file_rules rules = {.octets_max = (size_t)1024 * 1024,
                                        .too_large = "is too large (expected at most 1 MiB)",
                                        .is_foreign = true};

#define ENTRIES_MAX_TEXT NUMBER_TEXT(DELEGATE_ENTRIES_MAX)

/* ---- whose file is it? ---- */

bool delegate_pattern_fits(const struct delegate_pattern *pattern, const char *path)
{
    size_t n = strlen(pattern->folder);
    return strncmp(path, pattern->folder, n) == 0 && path_pattern_fits(pattern->name, path + n);
}

/* Returns the real name of a folder ("": the current one), for the caller to free, or NULL if no
 * such folder exists. */
static char *resolve(const char *folder)
{
    char *real = realpath(folder[0] != '\0' ? folder : ".", NULL);
    if (real == NULL && errno == ENOMEM)
        memory_exhausted();
    return real;
}

static bool fits(const struct delegate_pattern *pattern, const char *folder, const char *name)
{
    char *real = resolve(pattern->folder);
    bool is_fit =
        real != NULL && strcmp(real, folder) == 0 && path_pattern_fits(pattern->name, name);
    free(real);
    return is_fit;
}

const struct delegate *delegates_match(const struct delegates *delegates, const char *path)
{
    const struct delegate *found = NULL;
    size_t length = path_folder(span_cstr(path)).n;
    char *folder = memory_copy(path);
    folder[length] = '\0';
    char *real = resolve(folder);
    for (size_t i = 0; real != NULL && found == NULL && i < delegates->count; i++) {
        const struct delegate *delegate = &delegates->items[i];
        for (size_t k = 0; found == NULL && k < delegate->pattern_count; k++)
            found = fits(&delegate->patterns[k], real, path + length) ? delegate : NULL;
    }
    free(real);
    free(folder);
    return found;
}

/* ---- finding ---- */

static void add(struct delegated_files *files, const struct delegate_pattern *pattern,
                const char *name, struct arena *arena)
{
    struct strbuf path = STRBUF_INIT;
    files->paths = array_grow(files->paths, files->count, &files->capacity, sizeof *files->paths);
    strbuf_add_str(&path, pattern->folder);
    strbuf_add_str(&path, name);
    files->paths[files->count++] = strbuf_keep(&path, arena);
}

/* All names in the folder that fit; none when not all of it can be seen: what would be missing is
 * up to chance. */
static void find_names(struct delegated_files *files, const struct delegate_pattern *pattern,
                       struct arena *arena)
{
    for (size_t entries = 0;; entries++) {
        errno = 0;
        const struct dirent *entry = readdir(files->folder);
        if (entry == NULL && errno == 0)
            return;
        if (entry == NULL)
            files->fault = strerror(errno);
        else if (entries >= DELEGATE_ENTRIES_MAX)
            files->fault = "leads to too many names (expected at most " ENTRIES_MAX_TEXT
                           " in the folder of a pattern)";
        if (files->fault != NULL) {
            files->count = 0;
            return;
        }
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
            path_pattern_fits(pattern->name, entry->d_name))
            add(files, pattern, entry->d_name, arena);
    }
}

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
        int error = errno == ENOTDIR ? ELOOP : errno; /* what a link is here */
        free(copy);
        close(folder);
        folder = next;
        errno = error;
    }
    return folder;
}

void delegated_files_open(struct delegated_files *files, const struct delegate_pattern *pattern,
                          struct arena *arena)
{
    const char *name = pattern->folder[0] != '\0' ? pattern->folder : ".";
    int folder = open_folder(name);
    *files = (struct delegated_files){.folder = folder >= 0 ? fdopendir(folder) : NULL};
    if (folder >= 0 && files->folder == NULL && errno == ENOMEM)
        memory_exhausted();
    if (files->folder == NULL) {
        files->is_missing = folder < 0 && (errno == ENOENT || errno == ENOTDIR);
        files->fault = files->is_missing ? NULL
                       : errno == ELOOP  ? "its path has a symbolic link (expected the real path)"
                                         : strerror(errno);
        if (folder >= 0)
            close(folder);
        return;
    }
    if (path_is_plain(span_cstr(pattern->name)))
        add(files, pattern, pattern->name, arena);
    else
        find_names(files, pattern, arena);
    path_sort(files->paths, files->count);
}

void delegated_files_close(struct delegated_files *files)
{
    free(files->paths);
    files->paths = NULL;
    if (files->folder != NULL)
        closedir(files->folder);
    files->folder = NULL;
}

bool delegated_files_read(const struct delegated_files *files,
                          const struct delegate_pattern *pattern, const char *path,
                          struct file_text *file)
{
    bool is_read = read_file(dirfd(files->folder), path + strlen(pattern->folder), &rules, file);
    if (!is_read && file->error == ENOTDIR)
        file->error = ENOENT;
    return is_read;
}

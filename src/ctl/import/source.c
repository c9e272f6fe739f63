/* source - see source.h */
#include "ctl/import/source.h"

#include "config/files/find_files.h"
#include "config/files/read_file.h"
#include "ctl/report.h"
#include "text/array.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sysexits.h>
#include <unistd.h>

#define DEPTH_MAX 3

/* Files of lists have some lines each. */
#define FILE_MAX ((size_t)1024 * 1024)

/* 100,000 aliases are some 5 MiB. */
#define TEXT_MAX ((size_t)64 * 1024 * 1024)

#define TEXT_TOO_LARGE "is too large (expected at most 64 MiB)"

/* ---- a folder ---- */

struct span folder_name(const struct folder *folder)
{
    const char *slash = strrchr(folder->path, '/');
    return span_cstr(slash != NULL ? slash + 1 : folder->path);
}

struct span folder_name_above(const struct folder *folder)
{
    struct span above =
        span_sub(span_cstr(folder->path), 0, strlen(folder->path) - folder_name(folder).n);
    above = span_sub(above, 0, above.n > 0 ? above.n - 1 : 0);
    size_t at = above.n;
    while (at > 0 && above.p[at - 1] != '/')
        at--;
    return span_sub(above, at, above.n);
}

int folder_open(struct import *import, const struct folder *above, const char *name,
                struct strbuf *path, struct folder *folder)
{
    struct stat status;
    strbuf_addf(path, "%s/%s", strcmp(above->path, "/") == 0 ? "" : above->path, name);
    if (strbuf_failed(path))
        return -1;
    *folder = (struct folder){
        .fd = openat(above->fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC),
        .path = strbuf_str(path),
        .depth = above->depth + 1,
    };
    if (folder->fd >= 0)
        return 1;
    if (errno != ENOENT && errno != ENOTDIR && errno != ELOOP)
        import_left_out(import, "%s: %s", folder->path, strerror(errno));
    else if (fstatat(above->fd, name, &status, 0) == 0 && S_ISDIR(status.st_mode))
        import_left_out(import, "%s: is a symbolic link, which is not followed (name its folder)",
                        folder->path);
    return 0;
}

bool folder_has(const struct folder *folder, const char *name)
{
    struct stat status;
    return fstatat(folder->fd, name, &status, AT_SYMLINK_NOFOLLOW) == 0;
}

int folder_read(struct import *import, const struct folder *folder, const char *name,
                struct span *text)
{
    static const struct file_rules rules = {
        .octets_max = FILE_MAX,
        .too_large = "is too large (expected at most 1 MiB)",
        .is_foreign = true,
    };
    struct file_text file;
    enum outcome outcome = read_file(folder->fd, name, &rules, &file);
    if (outcome == NO_MEMORY)
        return -1;
    if (outcome == REFUSED) {
        if (file.error != ENOENT)
            import_left_out(import, "%s/%s: %s", folder->path, name, file.fault);
        return 0;
    }
    struct span kept = arena_dup(&import->arena, span_of(file.text, file.length));
    free(file.text);
    if (kept.p == NULL)
        return -1;
    *text = kept;
    return 1;
}

struct span take_line(struct span *rest)
{
    struct span line = span_sub(*rest, 0, span_find(*rest, '\n'));
    *rest = span_sub(*rest, line.n + 1, rest->n);
    return span_trim(line);
}

/* ---- folders in a folder ---- */

struct names {
    const char **items;
    size_t count;
    size_t capacity;
};

/* The folders and links in a folder, by name; those that begin with a dot are no lists. 0 or -1. */
static int list_names(struct import *import, DIR *directory, const char *path, struct names *names)
{
    const struct dirent *entry;
    while (errno = 0, (entry = readdir(directory)) != NULL) {
        if (entry->d_name[0] == '.' ||
            (entry->d_type != DT_DIR && entry->d_type != DT_LNK && entry->d_type != DT_UNKNOWN))
            continue;
        const char **items =
            array_grow(names->items, names->count, &names->capacity, sizeof *items);
        if (items == NULL)
            return -1;
        names->items = items;
        items[names->count] = arena_strdup(&import->arena, span_cstr(entry->d_name));
        if (items[names->count++] == NULL)
            return -1;
    }
    if (errno != 0)
        import_left_out(import, "%s: %s", path, strerror(errno));
    path_sort(names->items, names->count);
    return 0;
}

static int walk(struct import *import, const struct folder *folder);

/* What is in a folder that is no list. 0 or -1 (memory). */
static int walk_name(struct import *import, const struct folder *above, const char *name)
{
    struct strbuf path = STRBUF_INIT;
    struct folder folder;
    int result = folder_open(import, above, name, &path, &folder);
    if (result > 0) {
        result = walk(import, &folder);
        close(folder.fd);
    }
    strbuf_free(&path);
    return result;
}

static int walk_names(struct import *import, const struct folder *folder)
{
    struct names names = {.items = NULL};
    int result = 0;
    int fd = openat(folder->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *directory = fd < 0 ? NULL : fdopendir(fd);
    if (directory == NULL) {
        import_left_out(import, "%s: %s", folder->path, strerror(errno));
        if (fd >= 0)
            close(fd);
        return 0;
    }
    result = list_names(import, directory, folder->path, &names);
    closedir(directory);
    for (size_t i = 0; result == 0 && i < names.count; i++)
        result = walk_name(import, folder, names.items[i]);
    free(names.items);
    return result;
}

/* The folder of a list, or those in it. 0 or -1 (memory). */
static int walk(struct import *import, const struct folder *folder)
{
    size_t lists = import->lists;
    int result = import->kind->folder(import, folder);
    if (result != 0 || folder->depth == DEPTH_MAX)
        return result < 0 ? -1 : 0;
    bool was_incomplete = import->is_incomplete;
    import->is_incomplete = false;
    result = walk_names(import, folder);
    if (folder->depth == 1 && import->lists == lists && !import->is_incomplete)
        import_comment("%s: no list of %s", folder->path, import->kind->name);
    import->is_incomplete = import->is_incomplete || was_incomplete;
    return result;
}

/* ---- what the administrator named ---- */

static int import_folder(struct import *import, const char *source)
{
    char path[PATH_MAX];
    struct folder folder = {.fd = -1, .path = path};
    if (realpath(source, path) != NULL)
        folder.fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder.fd < 0) {
        import_left_out(import, "%s: %s", source, strerror(errno));
        return EX_OSERR;
    }
    int result = walk(import, &folder);
    close(folder.fd);
    return result < 0 ? report_no_memory() : EX_OK;
}

/* 0, REFUSED after it was said, or -1 (memory). */
static int read_standard_input(struct import *import, struct strbuf *out)
{
    char block[65536];
    ssize_t n;
    while ((n = read(STDIN_FILENO, block, sizeof block)) != 0) {
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 || out->len + (size_t)n > TEXT_MAX) {
            import_left_out(import, "standard input: %s", n < 0 ? strerror(errno) : TEXT_TOO_LARGE);
            return REFUSED;
        }
        strbuf_add(out, block, (size_t)n);
    }
    return strbuf_failed(out) ? -1 : 0;
}

static int import_text(struct import *import, const char *source)
{
    static const struct file_rules rules = {.octets_max = TEXT_MAX, .too_large = TEXT_TOO_LARGE};
    struct strbuf input = STRBUF_INIT;
    struct file_text file = {.text = NULL};
    int result;
    if (strcmp(source, "-") == 0) {
        source = "standard input";
        result = read_standard_input(import, &input);
        if (result == 0)
            result = import->kind->text(import, source, strbuf_span(&input));
    } else {
        enum outcome outcome = read_file(AT_FDCWD, source, &rules, &file);
        result = outcome == NO_MEMORY ? -1 : (int)outcome;
        if (outcome == REFUSED)
            import_left_out(import, "%s: %s", source, file.fault);
        else if (outcome == DONE)
            result = import->kind->text(import, source, span_of(file.text, file.length));
    }
    strbuf_free(&input);
    free(file.text);
    if (result < 0)
        return report_no_memory();
    return result == REFUSED ? EX_OSERR : EX_OK;
}

int source_import(struct import *import, const char *source)
{
    return import->kind->folder != NULL ? import_folder(import, source)
                                        : import_text(import, source);
}

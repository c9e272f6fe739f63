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

bool folder_open(struct import *import, const struct folder *above, const char *name,
                 struct strbuf *path, struct folder *folder)
{
    struct stat status;
    strbuf_addf(path, "%s/%s", strcmp(above->path, "/") == 0 ? "" : above->path, name);
    *folder = (struct folder){
        .fd = openat(above->fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC),
        .path = strbuf_str(path),
        .depth = above->depth + 1,
    };
    if (folder->fd >= 0)
        return true;
    if (errno != ENOENT && errno != ENOTDIR && errno != ELOOP)
        import_left_out(import, "%s: %s", folder->path, strerror(errno));
    else if (fstatat(above->fd, name, &status, 0) == 0 && S_ISDIR(status.st_mode))
        import_left_out(import, "%s: is a symbolic link, which is not followed (name its folder)",
                        folder->path);
    return false;
}

bool folder_has(struct import *import, const struct folder *folder, const char *name)
{
    struct stat status;
    if (fstatat(folder->fd, name, &status, AT_SYMLINK_NOFOLLOW) == 0)
        return true;
    if (errno != ENOENT)
        import_left_out(import, "%s/%s: %s", folder->path, name, strerror(errno));
    return false;
}

bool folder_read(struct import *import, const struct folder *folder, const char *name,
                 struct span *text)
{
    static const struct file_rules rules = {
        .octets_max = FILE_MAX,
        .too_large = "is too large (expected at most 1 MiB)",
        .is_foreign = true,
    };
    struct file_text file = {.text = NULL};
    bool is_read = read_file(folder->fd, name, &rules, &file);
    if (is_read)
        *text = arena_dup(&import->arena, span_of(file.text, file.length));
    else if (file.error != ENOENT)
        import_left_out(import, "%s/%s: %s", folder->path, name, file.fault);
    free(file.text);
    return is_read;
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

/* The folders and links in a folder, by name; those that begin with a dot are no lists. */
static void list_names(struct import *import, DIR *directory, const char *path, struct names *names)
{
    const struct dirent *entry;
    while (errno = 0, (entry = readdir(directory)) != NULL) {
        if (entry->d_name[0] == '.' ||
            (entry->d_type != DT_DIR && entry->d_type != DT_LNK && entry->d_type != DT_UNKNOWN))
            continue;
        names->items =
            array_grow(names->items, names->count, &names->capacity, sizeof *names->items);
        names->items[names->count++] = arena_strdup(&import->arena, span_cstr(entry->d_name));
    }
    if (errno != 0)
        import_left_out(import, "%s: %s", path, strerror(errno));
    path_sort(names->items, names->count);
}

static void walk(struct import *import, const struct folder *folder);

static void walk_names(struct import *import, const struct folder *folder)
{
    struct names names = {.items = NULL};
    int fd = openat(folder->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *directory = fd < 0 ? NULL : fdopendir(fd);
    if (directory == NULL) {
        import_left_out(import, "%s: %s", folder->path, strerror(errno));
        if (fd >= 0)
            close(fd);
        return;
    }
    list_names(import, directory, folder->path, &names);
    closedir(directory);
    for (size_t i = 0; i < names.count; i++) {
        struct strbuf path = STRBUF_INIT;
        struct folder below;
        if (folder_open(import, folder, names.items[i], &path, &below)) {
            walk(import, &below);
            close(below.fd);
        }
        strbuf_free(&path);
    }
    free(names.items);
}

/* The folder of a list, or those in it. */
static void walk(struct import *import, const struct folder *folder)
{
    size_t lists = import->lists;
    if (import->kind->folder(import, folder) || folder->depth == DEPTH_MAX)
        return;
    bool was_incomplete = import->is_incomplete;
    import->is_incomplete = false;
    walk_names(import, folder);
    if (folder->depth == 1 && import->lists == lists && !import->is_incomplete)
        import_comment("%s: no list of %s", folder->path, import->kind->name);
    import->is_incomplete = import->is_incomplete || was_incomplete;
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
    walk(import, &folder);
    close(folder.fd);
    return EX_OK;
}

static int import_standard_input(struct import *import)
{
    struct strbuf input = STRBUF_INIT;
    char block[65536];
    ssize_t n = 1;
    while (n != 0 && input.len <= TEXT_MAX) {
        n = read(STDIN_FILENO, block, sizeof block);
        if (n > 0)
            strbuf_add(&input, block, (size_t)n);
        else if (n < 0 && errno != EINTR)
            break;
    }
    if (n != 0)
        import_left_out(import, "standard input: %s", n < 0 ? strerror(errno) : TEXT_TOO_LARGE);
    else
        import->kind->text(import, "standard input", strbuf_span(&input));
    strbuf_free(&input);
    return n == 0 ? EX_OK : EX_OSERR;
}

static int import_file(struct import *import, const char *source)
{
    static const struct file_rules rules = {.octets_max = TEXT_MAX, .too_large = TEXT_TOO_LARGE};
    struct file_text file;
    if (!read_file(AT_FDCWD, source, &rules, &file)) {
        import_left_out(import, "%s: %s", source, file.fault);
        return EX_OSERR;
    }
    import->kind->text(import, source, span_of(file.text, file.length));
    free(file.text);
    return EX_OK;
}

int source_import(struct import *import, const char *source)
{
    if (import->kind->folder != NULL)
        return import_folder(import, source);
    return strcmp(source, "-") == 0 ? import_standard_input(import) : import_file(import, source);
}

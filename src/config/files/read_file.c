/* read_file - one open, one fstat and one read for each file. */
#include "config/files/read_file.h"

#include "config/files/find_files.h"
#include "text/strbuf.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int config_file_remember(struct strmap *seen, struct arena *arena, const struct stat *status,
                         void *owner, void **present)
{
    char name[64];
    int n = snprintf(name, sizeof name, "%" PRIuMAX ":%" PRIuMAX, (uintmax_t)status->st_dev,
                     (uintmax_t)status->st_ino);
    struct span key = arena_dup(arena, span_of(name, (size_t)n));
    return key.p == NULL ? -1 : strmap_put(seen, key, owner, present);
}

/* Reads to the end, which may not be where fstat saw it. Where it is, one read has shown that: a
 * regular file gives less than is asked for at its end only. */
static enum config_file_result read_all(int file, size_t expected, char **text, size_t *length,
                                        const char **fault)
{
    size_t room = expected + 1; /* one more, to see the end */
    char *p = malloc(room + 1);
    size_t n = 0;
    while (p != NULL) {
        if (n == room) {
            room = room * 2;
            char *larger = room <= CONFIG_FILE_MAX * 2 ? realloc(p, room + 1) : NULL;
            if (larger == NULL)
                break;
            p = larger;
        }
        ssize_t got = read(file, p + n, room - n);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0) {
            *fault = strerror(errno);
            free(p);
            return CONFIG_FILE_FAULT;
        }
        n += (size_t)got;
        if (got == 0 || n == expected) {
            *text = p;
            *length = n;
            return CONFIG_FILE_READ;
        }
    }
    free(p);
    return CONFIG_FILE_NO_MEMORY;
}

static enum config_file_result read_open(int file, struct strmap *seen, struct arena *arena,
                                         char **text, size_t *length, const char **fault)
{
    static const char too_large[] = "is too large (expected at most 64 MiB)";
    struct stat status;
    if (fstat(file, &status) != 0) {
        *fault = strerror(errno);
        return CONFIG_FILE_FAULT;
    }
    if (!S_ISREG(status.st_mode)) {
        *fault = "is not a regular file";
        return CONFIG_FILE_FAULT;
    }
    if (status.st_size < 0 || (uintmax_t)status.st_size > CONFIG_FILE_MAX) {
        *fault = too_large;
        return CONFIG_FILE_FAULT;
    }
    if (seen != NULL) {
        int known = config_file_remember(seen, arena, &status, seen, NULL);
        if (known != 0)
            return known < 0 ? CONFIG_FILE_NO_MEMORY : CONFIG_FILE_SEEN;
    }
    return read_all(file, (size_t)status.st_size, text, length, fault);
}

enum config_file_result config_file_read(const char *path, struct strmap *seen, struct arena *arena,
                                         char **text, size_t *length, const char **fault)
{
    /* O_NONBLOCK: opening a FIFO without a writer would wait for ever. */
    int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    if (file < 0) {
        *fault = strerror(errno);
        return CONFIG_FILE_FAULT;
    }
    enum config_file_result result = read_open(file, seen, arena, text, length, fault);
    close(file);
    return result;
}

struct span config_file_folder(const char *file)
{
    const char *slash = strrchr(file, '/');
    return slash == NULL ? span_of(NULL, 0) : span_of(file, (size_t)(slash + 1 - file));
}

struct span config_file_base(const char *file, struct span path)
{
    return path.n > 0 && path.p[0] == '/' ? span_of(NULL, 0) : config_file_folder(file);
}

/* The pattern as seen from here; nothing in the folder's own name counts as a pattern. */
static const char *join(const char *from, struct span pattern, struct arena *arena)
{
    struct strbuf joined = STRBUF_INIT;
    path_pattern_add_plain(&joined, config_file_base(from, pattern));
    strbuf_add_span(&joined, pattern);
    return strbuf_keep(&joined, arena);
}

static int by_octets(const void *a, const void *b)
{
    const char *const *first = a;
    const char *const *second = b;
    return strcmp(*first, *second);
}

/* A folder that is not there has no files; one that must not be read would lose lists silently. */
static int is_serious(const char *path, int error)
{
    (void)path;
    return error != ENOENT && error != ENOTDIR;
}

static bool copy_paths(const glob_t *found, struct arena *arena, const char *const **paths)
{
    const char **copies = arena_calloc(arena, found->gl_pathc, sizeof *copies);
    if (copies == NULL)
        return false;
    for (size_t i = 0; i < found->gl_pathc; i++) {
        copies[i] = arena_strdup(arena, span_cstr(found->gl_pathv[i]));
        if (copies[i] == NULL)
            return false;
    }
    /* glob sorts as the locale says; the order must not depend on it. */
    qsort(copies, found->gl_pathc, sizeof *copies, by_octets);
    *paths = copies;
    return true;
}

static bool is_pattern(struct span text)
{
    return span_find(text, '*') < text.n || span_find(text, '?') < text.n ||
           span_find(text, '[') < text.n;
}

enum config_pattern_result config_file_glob(const char *from, struct span pattern,
                                            struct arena *arena, const char *const **paths,
                                            size_t *count)
{
    glob_t found;
    *count = 0;
    const char *joined = join(from, pattern, arena);
    if (joined == NULL)
        return CONFIG_PATTERN_NO_MEMORY;
    int result = glob(joined, GLOB_NOSORT, is_serious, &found);
    enum config_pattern_result answer = CONFIG_PATTERN_FINE;
    if (result == GLOB_NOMATCH) {
        if (!is_pattern(pattern))
            answer = CONFIG_PATTERN_NONE;
    } else if (result != 0) {
        answer = result == GLOB_NOSPACE ? CONFIG_PATTERN_NO_MEMORY : CONFIG_PATTERN_UNREADABLE;
    } else if (copy_paths(&found, arena, paths)) {
        *count = found.gl_pathc;
    } else {
        answer = CONFIG_PATTERN_NO_MEMORY;
    }
    globfree(&found);
    return answer;
}

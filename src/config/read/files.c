/* files - see files.h */
#include "config/read/files.h"

#include "system/paths.h"
#include "text/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <glob.h>
#include <openssl/crypto.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

/* O_NONBLOCK: opening a FIFO without a writer would wait for ever. */
#define FLAGS (O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)

const char *open_fault(int error)
{
    return error == ELOOP ? "its path has a symbolic link (expected the real path)"
                          : strerror(error);
}

static const char *status_fault(const struct file_rules *rules, const struct stat *status)
{
    if (!S_ISREG(status->st_mode))
        return S_ISDIR(status->st_mode) ? "is a folder" : "is not a regular file";
    if (rules->is_foreign && status->st_nlink > 1) /* it may be another user's file */
        return "has a second name (expected a file without hard links)";
    return (uintmax_t)status->st_size > rules->bytes_max ? rules->too_large : NULL;
}

/* Reads as much as fstat saw: what is added meanwhile waits for the next load. */
static bool read_text(int file, size_t size, struct file_text *out)
{
    ssize_t got = 1;
    out->text = memory_resize(NULL, size + 1, 1);
    while (out->length < size && got > 0) {
        got = read(file, out->text + out->length, size - out->length);
        out->length += got > 0 ? (size_t)got : 0;
    }
    return got >= 0;
}

bool read_file(const char *path, const struct file_rules *rules, struct file_text *out)
{
    struct stat status;
    *out = (struct file_text){.text = NULL};
    int file = rules->is_foreign ? path_open_real(path, FLAGS) : open(path, FLAGS);
    bool is_done = file >= 0 && fstat(file, &status) == 0;
    if (is_done) {
        out->mode = status.st_mode;
        out->fault = status_fault(rules, &status);
        is_done = out->fault != NULL || read_text(file, (size_t)status.st_size, out);
    }
    if (!is_done) {
        out->error = errno;
        out->fault = open_fault(errno);
    }
    if (file >= 0)
        close(file);
    if (out->fault != NULL && out->text != NULL) { /* it may be a file of keys */
        OPENSSL_cleanse(out->text, out->length);
        free(out->text);
        out->text = NULL;
    }
    return out->fault == NULL;
}

struct span path_folder(struct span file)
{
    size_t slash = span_find_last(file, '/');
    return span_sub(file, 0, slash < file.n ? slash + 1 : 0);
}

struct span path_base(const char *from, struct span path)
{
    return path.n > 0 && path.p[0] == '/' ? span_of(NULL, 0) : path_folder(span_cstr(from));
}

void path_pattern_add_plain(struct strbuf *out, struct span path)
{
    for (size_t i = 0; i < path.n; i++) {
        if (span_find_any(span_sub(path, i, 1), "*?[]\\") == 0)
            strbuf_add_char(out, '\\');
        strbuf_add_char(out, path.p[i]);
    }
}

const char *path_pattern(const char *from, struct span pattern, struct arena *arena)
{
    struct strbuf joined = STRBUF_INIT;
    path_pattern_add_plain(&joined, path_base(from, pattern));
    strbuf_add_span(&joined, pattern);
    return strbuf_keep(&joined, arena);
}

bool path_fits(const char *const *patterns, size_t count, const char *path)
{
    for (size_t i = 0; i < count; i++)
        if (fnmatch(patterns[i], path, FNM_PATHNAME | FNM_PERIOD) == 0)
            return true;
    return false;
}

/* A folder that does not exist has no files; one that cannot be read would lose lists silently. */
static int is_serious(const char *path, int error)
{
    (void)path;
    return error != ENOENT && error != ENOTDIR;
}

struct found_files find_files(const char *pattern, struct arena *arena)
{
    struct found_files out = {.count = 0};
    glob_t found;
    int result = glob(pattern, 0, is_serious, &found);
    if (result == GLOB_NOSPACE)
        memory_exhausted();
    out.is_unknown = result != 0 && result != GLOB_NOMATCH;
    out.count = result == 0 ? found.gl_pathc : 0;
    out.paths = arena_calloc(arena, out.count, sizeof *out.paths);
    for (size_t i = 0; i < out.count; i++)
        out.paths[i] = arena_strdup(arena, span_cstr(found.gl_pathv[i]));
    globfree(&found);
    return out;
}

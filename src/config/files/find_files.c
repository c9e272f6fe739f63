/* find_files - see find_files.h */
#include "config/files/find_files.h"

#include "text/memory.h"

#include <errno.h>
#include <fnmatch.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>

struct span path_folder(struct span file)
{
    size_t n = file.n;
    while (n > 0 && file.p[n - 1] != '/')
        n--;
    return span_sub(file, 0, n);
}

struct span path_base(const char *file, struct span path)
{
    return path.n > 0 && path.p[0] == '/' ? span_of(NULL, 0) : path_folder(span_cstr(file));
}

/* Does the text stand for several names? */
static bool is_pattern(struct span text)
{
    return span_find(text, '*') < text.n || span_find(text, '?') < text.n ||
           span_find(text, '[') < text.n;
}

bool path_is_plain(struct span text)
{
    return !is_pattern(text) && span_find(text, '\\') == text.n;
}

void path_pattern_add_plain(struct strbuf *out, struct span path)
{
    for (size_t i = 0; i < path.n; i++) {
        if (path.p[i] != '\0' && strchr("*?[]\\", path.p[i]) != NULL)
            strbuf_add_char(out, '\\');
        strbuf_add_char(out, path.p[i]);
    }
}

bool path_pattern_fits(const char *pattern, const char *path)
{
    return fnmatch(pattern, path, FNM_PATHNAME | FNM_PERIOD) == 0;
}

static int by_octets(const void *a, const void *b)
{
    const char *const *first = a;
    const char *const *second = b;
    return strcmp(*first, *second);
}

void path_sort(const char **paths, size_t count)
{
    if (count > 0)
        qsort(paths, count, sizeof *paths, by_octets);
}

/* The pattern as seen from here; nothing in the folder's own name counts as a pattern. */
static const char *join(const char *from, struct span pattern, struct arena *arena)
{
    struct strbuf joined = STRBUF_INIT;
    path_pattern_add_plain(&joined, path_base(from, pattern));
    strbuf_add_span(&joined, pattern);
    return strbuf_keep(&joined, arena);
}

/* A folder that is not there has no files; one that must not be read would lose lists silently. */
static int is_serious(const char *path, int error)
{
    (void)path;
    return error != ENOENT && error != ENOTDIR;
}

static const char **copy_paths(const glob_t *found, struct arena *arena)
{
    const char **copies = arena_calloc(arena, found->gl_pathc, sizeof *copies);
    for (size_t i = 0; i < found->gl_pathc; i++)
        copies[i] = arena_strdup(arena, span_cstr(found->gl_pathv[i]));
    path_sort(copies, found->gl_pathc);
    return copies;
}

bool find_files(const char *from, struct span pattern, struct arena *arena, const char ***paths,
                size_t *count, bool *is_missing)
{
    glob_t found;
    int result = glob(join(from, pattern, arena), GLOB_NOSORT, is_serious, &found);
    if (result == GLOB_NOSPACE)
        memory_exhausted();
    *count = result == 0 ? found.gl_pathc : 0;
    *is_missing = result == GLOB_NOMATCH && !is_pattern(pattern);
    if (result == 0)
        *paths = copy_paths(&found, arena);
    globfree(&found);
    return result == 0 || result == GLOB_NOMATCH;
}

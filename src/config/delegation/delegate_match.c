/* delegate_match - whose pattern a single file fits, with the links of all folders resolved. */
#include "config/delegation/delegated_files.h"
#include "config/files/read_file.h"
#include "text/strbuf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The folder's real name with a slash behind it and the rest behind that. 0; 1: there is no such
 * folder; -1 (memory). */
static int resolve(struct span folder, const char *rest, struct arena *arena, const char **out)
{
    const char *given = folder.n > 0 ? arena_strdup(arena, folder) : ".";
    char *real = given != NULL ? realpath(given, NULL) : NULL;
    if (real == NULL)
        return given == NULL || errno == ENOMEM ? -1 : 1;
    struct strbuf path = STRBUF_INIT;
    strbuf_add_str(&path, real);
    if (strcmp(real, "/") != 0)
        strbuf_add_char(&path, '/');
    strbuf_add_str(&path, rest);
    *out = strbuf_keep(&path, arena);
    free(real);
    return *out == NULL ? -1 : 0;
}

/* 1, 0 or -1. */
static int fits(const struct delegate *delegate, struct span text, const char *path,
                struct arena *arena)
{
    struct delegate_pattern written;
    struct delegate_pattern real;
    const char *whole;
    if (delegate_pattern_make(delegate->file, text, arena, &written) != 0)
        return -1;
    int result = resolve(span_cstr(written.folder), "", arena, &whole);
    if (result != 0)
        return result < 0 ? -1 : 0;
    if (delegate_pattern_join(span_cstr(whole), span_cstr(written.below), arena, &real) != 0)
        return -1;
    return delegate_pattern_fits(&real, path) ? 1 : 0;
}

int delegates_match(const struct delegates *delegates, const char *path, struct arena *arena,
                    const struct delegate **out)
{
    struct span folder = config_file_folder(path);
    const char *real;
    *out = NULL;
    int result = resolve(folder, path + folder.n, arena, &real);
    if (result != 0)
        return result < 0 ? -1 : 0;
    for (size_t i = 0; i < delegates->count; i++) {
        const struct delegate *delegate = &delegates->items[i];
        for (size_t k = 0; k < delegate->pattern_count; k++) {
            result = fits(delegate, delegate->patterns[k].text, real, arena);
            if (result < 0)
                return -1;
            if (result > 0) {
                *out = delegate;
                return 0;
            }
        }
    }
    return 0;
}

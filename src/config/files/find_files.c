/* find_files - see find_files.h */
#include "config/files/find_files.h"

#include <fnmatch.h>
#include <string.h>

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

/* watched - collects paths. */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "config/files/watched.h"

#include "config/files/find_files.h"
#include "text/strbuf.h"

const char *watch_missing(void)
{
#ifdef HAVE_SYS_INOTIFY_H
    return NULL;
#else
    return "inotify is not built in; SIGHUP reloads";
#endif
}

/* Takes the text over. */
static void add(struct watched *watched, struct arena *arena, struct strbuf *pattern)
{
    struct watched_path *path = arena_calloc(arena, 1, sizeof *path);
    path->pattern = strbuf_keep(pattern, arena);
    if (watched->last == NULL)
        watched->first = path;
    else
        watched->last->next = path;
    watched->last = path;
}

static void add_base(struct strbuf *out, const char *from, struct span path)
{
    if (from != NULL)
        path_pattern_add_plain(out, path_base(from, path));
}

void watched_add_file(struct watched *watched, struct arena *arena, const char *from,
                      struct span name)
{
    struct strbuf path = STRBUF_INIT;
    add_base(&path, from, name);
    path_pattern_add_plain(&path, name);
    add(watched, arena, &path);
}

void watched_add_pattern(struct watched *watched, struct arena *arena, const char *from,
                         struct span pattern)
{
    struct strbuf path = STRBUF_INIT;
    add_base(&path, from, pattern);
    strbuf_add_span(&path, pattern);
    add(watched, arena, &path);
}

void watched_add_below(struct watched *watched, struct arena *arena, const char *folder,
                       const char *below)
{
    struct strbuf path = STRBUF_INIT;
    path_pattern_add_plain(&path, span_cstr(folder));
    strbuf_add_str(&path, below);
    add(watched, arena, &path);
}

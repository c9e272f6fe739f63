/* watched - collects paths, takes them apart. */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "config/files/watched.h"

#include "config/files/find_files.h"
#include "config/files/read_file.h"
#include "text/strbuf.h"

#include <string.h>

#define WILDCARDS "*?["

const char *watch_missing(void)
{
#ifdef HAVE_SYS_INOTIFY_H
    return NULL;
#else
    return "inotify is not built in; SIGHUP reloads";
#endif
}

/* ---- collecting ---- */

static int add(struct watched *watched, struct arena *arena, const char *followed,
               const char *below)
{
    struct watched_path *path = arena_calloc(arena, 1, sizeof *path);
    if (path == NULL || followed == NULL || below == NULL)
        return -1;
    path->followed = followed;
    path->below = below;
    if (watched->last == NULL)
        watched->first = path;
    else
        watched->last->next = path;
    watched->last = path;
    return 0;
}

const char *watched_escape(struct arena *arena, struct span folder, struct span name)
{
    struct strbuf path = STRBUF_INIT;
    path_pattern_add_plain(&path, folder);
    path_pattern_add_plain(&path, name);
    return strbuf_keep(&path, arena);
}

static struct span base_of(const char *from, struct span name)
{
    return from == NULL ? span_of(NULL, 0) : config_file_base(from, name);
}

int watched_add_file(struct watched *watched, struct arena *arena, const char *from,
                     struct span name)
{
    return add(watched, arena, watched_escape(arena, base_of(from, name), name), "");
}

int watched_add_pattern(struct watched *watched, struct arena *arena, const char *from,
                        struct span pattern)
{
    struct strbuf path = STRBUF_INIT;
    path_pattern_add_plain(&path, base_of(from, pattern));
    strbuf_add_span(&path, pattern);
    return add(watched, arena, strbuf_keep(&path, arena), "");
}

int watched_add_below(struct watched *watched, struct arena *arena, const char *folder,
                      const char *below)
{
    return add(watched, arena, watched_escape(arena, span_cstr(folder), span_of(NULL, 0)),
               arena_strdup(arena, span_cstr(below)));
}

/* ---- taking apart ---- */

bool watched_next(const char **rest, struct span *component)
{
    const char *begin = *rest + strspn(*rest, "/");
    component->p = begin;
    component->n = strcspn(begin, "/");
    *rest = begin + component->n;
    return component->n > 0;
}

bool watched_is_wild(struct span component)
{
    for (size_t i = 0; i < component.n; i++)
        if (component.p[i] == '\\')
            i++;
        else if (strchr(WILDCARDS, component.p[i]) != NULL)
            return true;
    return false;
}

void watched_name(struct span component, char *name)
{
    for (size_t i = 0; i < component.n; i++) {
        if (component.p[i] == '\\' && i + 1 < component.n)
            i++;
        *name++ = component.p[i];
    }
    *name = '\0';
}

bool watched_fits(const char *component, const char *name)
{
    return path_pattern_fits(component, name);
}

/* watched - collects paths, takes them apart. */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "config/watched.h"

#include "config/config_file.h"
#include "text/strbuf.h"

#include <fnmatch.h>
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

static void add_escaped(struct strbuf *out, struct span text)
{
    for (size_t i = 0; i < text.n; i++) {
        if (strchr(WILDCARDS "]\\", text.p[i]) != NULL)
            strbuf_add_char(out, '\\');
        strbuf_add_char(out, text.p[i]);
    }
}

static const char *keep(struct arena *arena, struct strbuf *text)
{
    const char *kept = strbuf_failed(text) ? NULL : arena_strdup(arena, strbuf_span(text));
    strbuf_free(text);
    return kept;
}

const char *watched_escape(struct arena *arena, struct span folder, struct span name)
{
    struct strbuf path = STRBUF_INIT;
    add_escaped(&path, folder);
    add_escaped(&path, name);
    return keep(arena, &path);
}

/* The folder of a file that names something relative. */
static struct span folder_of(const char *from, struct span name)
{
    if (from == NULL || (name.n > 0 && name.p[0] == '/'))
        return span_of(NULL, 0);
    return config_file_folder(from);
}

int watched_add_file(struct watched *watched, struct arena *arena, const char *from,
                     struct span name)
{
    return add(watched, arena, watched_escape(arena, folder_of(from, name), name), "");
}

int watched_add_pattern(struct watched *watched, struct arena *arena, const char *from,
                        struct span pattern)
{
    struct strbuf path = STRBUF_INIT;
    add_escaped(&path, folder_of(from, pattern));
    strbuf_add_span(&path, pattern);
    return add(watched, arena, keep(arena, &path), "");
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
    return fnmatch(component, name, FNM_PATHNAME | FNM_PERIOD) == 0;
}

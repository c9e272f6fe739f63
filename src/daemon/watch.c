/* Asks inotify for what matters, and reads what it has to say. */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "daemon/watch.h"

#include "daemon/log.h"
#include "system/monotonic.h"

#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include <unistd.h>

static void free_names(struct watch_names *names)
{
    arena_free(&names->arena);
    free(names->items);
    memset(names, 0, sizeof *names);
}

int watch_wait(const struct watch *watch)
{
    return debounce_wait(&watch->debounce, monotonic_now());
}

void watch_begin_load(struct watch *watch, int64_t *begin)
{
    debounce_clear(&watch->debounce);
    *begin = monotonic_now();
}

void watch_end_load(struct watch *watch, int64_t begin)
{
    debounce_rest(&watch->debounce, begin, monotonic_now());
}

void watch_forget_told(struct watch *watch)
{
    strbuf_reset(&watch->told);
}

void watch_free(struct watch *watch)
{
    if (watch->descriptor >= 0)
        close(watch->descriptor);
    watch->descriptor = -1;
    free_names(&watch->names);
    strbuf_free(&watch->told);
    debounce_clear(&watch->debounce);
}

#ifdef HAVE_SYS_INOTIFY_H

#include "config/files/find_files.h"
#include "text/array.h"
#include "text/memory.h"

#include <errno.h>
#include <glob.h>
#include <stdalign.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/inotify.h>
#include <sys/stat.h>

/* IN_ATTRIB: it may have become readable. */
#define NAMES                                                                                      \
    (IN_DELETE_SELF | IN_MOVE_SELF | IN_ATTRIB | IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM |         \
     IN_DELETE)

/* A file that is written in place counts when it is closed, so that a half is not taken for the
 * whole. One that is new counts at once, too: it may be read while it is written, and again then.
 */
#define NAMES_AND_FILES (NAMES | IN_CLOSE_WRITE)

/* A volume of Kubernetes holds links to ..data/NAME, and ..data leads to another folder for each
 * version. */
#define KUBERNETES_LINK "..data"

/* ---- what is watched ------------------------------------------------------------------------ */

struct finding {
    struct watch_names names;
    int inotify;
    struct strbuf *faults;
    bool no_room; /* has been told */
};

static void complain(struct finding *f, const char *folder, int error)
{
    if (error != ENOSPC)
        strbuf_addf(f->faults, "%s: %s: changes there need a SIGHUP\n", folder, strerror(error));
    else if (!f->no_room)
        strbuf_addf(f->faults,
                    "%s: there are no more watches for this user (see the sysctl "
                    "fs.inotify.max_user_watches): changes there need a SIGHUP\n",
                    folder);
    f->no_room = f->no_room || error == ENOSPC;
}

/* Watches a folder. A missing one is watched for by the folder above it. */
static void watch_folder(struct finding *f, const char *path, const char *pattern, bool holds_files)
{
    struct watch_names *names = &f->names;
    int folder =
        inotify_add_watch(f->inotify, path, (holds_files ? NAMES_AND_FILES : NAMES) | IN_MASK_ADD);
    if (folder < 0) {
        if (errno == ENOSPC || (holds_files && errno != ENOENT && errno != ENOTDIR))
            complain(f, path, errno);
        return;
    }
    names->items = array_grow(names->items, names->count, &names->capacity, sizeof *names->items);
    path = arena_strdup(&names->arena, span_cstr(path));
    names->items[names->count++] = (struct watch_name){folder, pattern, path};
}

/* Watches all folders that match. Returns their number. */
static int watch_folders(struct finding *f, const char *folders, const char *pattern,
                         bool holds_files)
{
    glob_t found = {0};
    int result = glob(folders, GLOB_NOSORT, NULL, &found);
    int count = result == 0 ? (int)found.gl_pathc : 0;
    if (result == GLOB_NOSPACE)
        memory_exhausted();
    for (int i = 0; i < count; i++)
        watch_folder(f, found.gl_pathv[i], pattern, holds_files);
    globfree(&found);
    return count;
}

/* From the folders of the files up: theirs are the first two levels, and what is above them counts
 * only while nothing below it exists. */
static void watch_path(struct finding *f, const char *path)
{
    struct span left = span_cstr(path);
    int count = 0;
    for (int level = 0; level < 2 || count == 0; level++) {
        const char *folders, *pattern;
        size_t n = left.n;
        while (n > 0 && left.p[n - 1] != '/')
            n--;
        folders = arena_strdup(&f->names.arena, span_sub(left, 0, n));
        pattern = arena_strdup(&f->names.arena, span_sub(left, n, left.n));
        while (n > 0 && left.p[n - 1] == '/')
            n--;
        count = watch_folders(f, folders, pattern, level == 0);
        if (n == 0)
            break;
        left = span_sub(left, 0, n);
    }
}

static bool is_among(const char *pattern, const struct watched_path *paths)
{
    while (paths != NULL && strcmp(paths->pattern, pattern) != 0)
        paths = paths->next;
    return paths != NULL;
}

/* Watches the paths that are not also in `others`. */
static void watch_paths(struct finding *f, const struct watched_path *paths,
                        const struct watched_path *others)
{
    for (; paths != NULL; paths = paths->next)
        if (!is_among(paths->pattern, others))
            watch_path(f, paths->pattern);
}

static int by_folder(const void *a, const void *b)
{
    const struct watch_name *first = a;
    const struct watch_name *second = b;
    if (first->folder != second->folder)
        return first->folder < second->folder ? -1 : 1;
    return strcmp(first->pattern, second->pattern);
}

/* Each folder and pattern once. */
static void sort(struct watch_names *names)
{
    size_t kept = 0;
    if (names->count == 0)
        return;
    qsort(names->items, names->count, sizeof *names->items, by_folder);
    for (size_t i = 1; i < names->count; i++)
        if (by_folder(&names->items[kept], &names->items[i]) != 0)
            names->items[++kept] = names->items[i];
    names->count = kept + 1;
}

static bool differ(const struct watch_names *names, const struct watch_names *others)
{
    if (names->count != others->count)
        return true;
    for (size_t i = 0; i < names->count; i++)
        if (by_folder(&names->items[i], &others->items[i]) != 0)
            return true;
    return false;
}

/* A folder that went has no watch any more: then this fails, as it may. */
static void watch_no_more(const struct watch_names *old, const struct watch_names *names,
                          int inotify)
{
    size_t at = 0;
    for (size_t i = 0; i < old->count; i++) {
        while (at < names->count && names->items[at].folder < old->items[i].folder)
            at++;
        if (at == names->count || names->items[at].folder != old->items[i].folder)
            (void)inotify_rm_watch(inotify, old->items[i].folder);
    }
}

static void find_folders(struct watch *watch, const struct settings *settings,
                         const struct settings *wrong, struct strbuf *faults)
{
    struct finding f = {.inotify = watch->descriptor, .faults = faults};
    arena_init(&f.names.arena, 0);
    watch_paths(&f, settings->watched.first, NULL);
    if (wrong != NULL)
        watch_paths(&f, wrong->watched.first, settings->watched.first);
    sort(&f.names);
    /* Whatever happened before this was watched, or in what no longer is, goes unread. */
    if (differ(&f.names, &watch->names))
        debounce_note(&watch->debounce, monotonic_now());
    watch_no_more(&watch->names, &f.names, watch->descriptor);
    free_names(&watch->names);
    watch->names = f.names;
}

static bool open_inotify(struct watch *watch, struct strbuf *faults)
{
    if (watch->descriptor < 0)
        watch->descriptor = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    if (watch->descriptor >= 0)
        return true;
    strbuf_addf(faults, "inotify cannot be opened: %s%s: changes of the files need a SIGHUP\n",
                strerror(errno),
                errno == EMFILE ? " (see the sysctl fs.inotify.max_user_instances)" : "");
    return false;
}

/* Logs what is not as it was the last time. */
static void tell(struct watch *watch, struct strbuf *faults)
{
    struct span left = strbuf_span(faults);
    if (!span_eq(left, strbuf_span(&watch->told)))
        while (left.n > 0) {
            size_t end = span_find(left, '\n');
            log_printf(LOG_WARNING, "warning: watch: %.*s", (int)end, left.p);
            left = span_sub(left, end + 1, left.n);
        }
    strbuf_free(&watch->told);
    watch->told = *faults;
}

void watch_arm(struct watch *watch, const struct settings *settings, const struct settings *wrong)
{
    struct strbuf faults = STRBUF_INIT;
    if (!settings->watch) {
        watch_free(watch);
        return;
    }
    if (open_inotify(watch, &faults))
        find_folders(watch, settings, wrong, &faults);
    tell(watch, &faults);
}

/* ---- what happens --------------------------------------------------------------------------- */

/* A file that somebody has just made, to write it: it counts when it is closed. */
static bool is_new_and_empty(const struct watch_name *place, const char *name)
{
    struct stat status;
    char path[4096];
    int n = snprintf(path, sizeof path, "%s%s", place->path, name);
    return n > 0 && (size_t)n < sizeof path && lstat(path, &status) == 0 &&
           S_ISREG(status.st_mode) && status.st_size == 0;
}

/* What matters about a folder and a name in it, or (NULL) about the folder itself; NULL: nothing.
 */
static const struct watch_name *find_name(const struct watch_names *names, int folder,
                                          const char *name)
{
    for (size_t i = 0; i < names->count; i++) {
        const struct watch_name *item = &names->items[i];
        if (item->folder == folder && (name == NULL || path_pattern_fits(item->pattern, name) ||
                                       strcmp(name, KUBERNETES_LINK) == 0))
            return item;
    }
    return NULL;
}

static bool matters(const struct watch *watch, const struct inotify_event *event)
{
    const char *name = event->len > 0 ? event->name : NULL;
    const struct watch_name *place;
    if ((event->mask & IN_Q_OVERFLOW) != 0)
        return true;
    place = find_name(&watch->names, event->wd, name);
    if (place == NULL || (event->mask & IN_IGNORED) != 0)
        return false;
    return name == NULL || (event->mask & IN_CREATE) == 0 || !is_new_and_empty(place, name);
}

void watch_read(struct watch *watch)
{
    alignas(struct inotify_event) char events[16384];
    ssize_t n = read(watch->descriptor, events, sizeof events);

    for (const char *p = events; n > 0 && p < events + n;) {
        const struct inotify_event *event = (const void *)p;
        if (matters(watch, event))
            debounce_note(&watch->debounce, monotonic_now());
        p += sizeof *event + event->len;
    }
}

#else

void watch_arm(struct watch *watch, const struct settings *settings, const struct settings *wrong)
{
    (void)watch;
    (void)settings;
    (void)wrong;
}

void watch_read(struct watch *watch)
{
    (void)watch;
}

#endif

/* watch - see watch.h */
#include "daemon/watch.h"

#include "daemon/log.h"
#include "system/monotonic.h"
#include "text/strbuf.h"

#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>
#include <sys/inotify.h>
#include <syslog.h>
#include <unistd.h>

/* IN_ATTRIB: a file may have become readable. */
#define EVENTS                                                                                     \
    (IN_DELETE_SELF | IN_MOVE_SELF | IN_ATTRIB | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE |         \
     IN_CLOSE_WRITE)

#define QUIET 150 /* milliseconds without a change */
#define MOST  700 /* since the first change, quiet or not */
#define SHARE 5   /* loads get one part in so many of the time */

static int inotify = -1;
static int64_t first, last; /* changes that no load has seen; 0: none */
static int64_t rest_until;
#define NEED ": changes there need a SIGHUP"
static struct strbuf folders = STRBUF_INIT; /* watched, one a line; or why it cannot be */

int watch_descriptor(void)
{
    return inotify;
}

static void note_change(void)
{
    last = monotonic_now();
    if (first == 0)
        first = last;
}

void watch_read(void)
{
    char events[16384];
    while (inotify >= 0 && read(inotify, events, sizeof events) > 0)
        note_change();
}

int watch_wait(void)
{
    int64_t due = last + QUIET < first + MOST ? last + QUIET : first + MOST;
    int64_t now = monotonic_now();
    if (first == 0)
        return -1;
    if (due < rest_until)
        due = rest_until;
    return due <= now ? 0 : due - now < INT_MAX ? (int)(due - now) : INT_MAX;
}

void watch_loaded(int64_t begin)
{
    int64_t now = monotonic_now();
    if (last <= begin)
        first = 0;
    rest_until = now + (now - begin) * (SHARE - 1);
}

static void add_fault(const char *folder, int error)
{
    const char *text = error == ENOSPC ? "no more watches (sysctl fs.inotify.max_user_watches)"
                       : error == EMFILE
                           ? "no more users of it (sysctl fs.inotify.max_user_instances)"
                           : strerror(error);
    strbuf_addf(&folders, "%s: %s%s\n", folder, text, NEED);
}

/* Watches the folders of a pattern's files. Returns false where no more can be watched. */
static bool watch_pattern(const char *pattern)
{
    struct span path = span_cstr(pattern);
    struct strbuf folder = STRBUF_INIT;
    glob_t found = {0};
    bool has_room = true;
    while (path.n > 1 && path.p[path.n - 1] != '/')
        path.n--;
    strbuf_add_span(&folder, path);
    if (glob(strbuf_str(&folder), GLOB_NOSORT, NULL, &found) == 0)
        for (size_t i = 0; has_room && i < found.gl_pathc; i++) {
            if (inotify_add_watch(inotify, found.gl_pathv[i], EVENTS) >= 0) {
                strbuf_addf(&folders, "%s\n", found.gl_pathv[i]);
                continue;
            }
            has_room = errno != ENOSPC;
            add_fault(found.gl_pathv[i], errno);
        }
    globfree(&found);
    strbuf_free(&folder);
    return has_room;
}

static void log_faults(struct span lines)
{
    while (lines.n > 0) {
        struct span line = span_sub(lines, 0, span_find(lines, '\n'));
        if (span_ends_nocase(line, span_cstr(NEED)))
            log_printf(LOG_WARNING, "warning: watch: %.*s", (int)line.n, line.p);
        lines = span_sub(lines, line.n + 1, lines.n);
    }
}

void watch_folders_of(const struct settings *settings)
{
    struct strbuf before = folders;
    const struct watched_path *p = settings->watched.first;
    strbuf_init(&folders);
    if (settings->watch && inotify < 0) {
        inotify = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
        if (inotify < 0)
            add_fault("inotify", errno);
    } else if (!settings->watch && inotify >= 0) {
        close(inotify);
        inotify = -1;
    }
    /* A folder of an older configuration stays watched: its changes cost a look at the files. */
    while (inotify >= 0 && p != NULL && watch_pattern(p->pattern))
        p = p->next;
    if (!span_eq(strbuf_span(&before), strbuf_span(&folders))) {
        log_faults(strbuf_span(&folders));
        note_change(); /* a file in a new folder may have changed since it was read */
    }
    if (inotify < 0)
        first = 0;
    strbuf_free(&before);
}

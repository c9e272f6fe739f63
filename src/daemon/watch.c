/* Reads what inotify has to say, and forgets what does not matter. */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "daemon/watch.h"

#include "daemon/log.h"
#include "system/monotonic.h"

#include <string.h>
#include <syslog.h>
#include <unistd.h>

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
    watch_folders_free(&watch->folders);
    strbuf_free(&watch->told);
    debounce_clear(&watch->debounce);
}

#ifdef HAVE_SYS_INOTIFY_H

#include <errno.h>
#include <stdalign.h>
#include <stdio.h>
#include <sys/inotify.h>
#include <sys/stat.h>

/* ---- what is watched ---- */

/* Logs what is not as it was the last time. */
static void tell(struct watch *watch, struct strbuf *faults)
{
    struct span left = strbuf_span(faults);

    if (strbuf_failed(faults) || !span_eq(left, strbuf_span(&watch->told)))
        while (left.n > 0) {
            size_t end = span_find(left, '\n');

            log_printf(LOG_WARNING, "warning: watch: %.*s", (int)end, left.p);
            left = span_sub(left, end + 1, left.n);
        }
    strbuf_free(&watch->told);
    watch->told = *faults;
}

static bool open_inotify(struct watch *watch, struct strbuf *faults)
{
    if (watch->descriptor >= 0)
        return true;
    watch->descriptor = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    if (watch->descriptor >= 0)
        return true;
    strbuf_addf(faults, "inotify cannot be opened: %s%s: changes of the files need a SIGHUP\n",
                strerror(errno),
                errno == EMFILE ? " (see the sysctl fs.inotify.max_user_instances)" : "");
    return false;
}

static void find_folders(struct watch *watch, const struct settings *settings,
                         const struct settings *wrong, struct strbuf *faults)
{
    struct watch_folders folders = {.names = NULL};

    if (watch_folders_find(&folders, watch->descriptor, settings->watched.first,
                           wrong != NULL ? wrong->watched.first : NULL, faults) != 0) {
        watch_folders_free(&folders);
        strbuf_add_str(faults, "out of memory: some changes need a SIGHUP\n");
        return;
    }
    /* Whatever happened before this was watched, or in what no longer is, goes unread. */
    if (watch_folders_differ(&folders, &watch->folders))
        debounce_note(&watch->debounce, monotonic_now());
    watch_folders_drop(&watch->folders, &folders, watch->descriptor);
    watch_folders_free(&watch->folders);
    watch->folders = folders;
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

/* ---- what happens ---- */

/* A file that somebody has just made, to write it: it counts when it is closed. */
static bool is_new_and_empty(const struct watch_name *place, const char *name)
{
    struct stat status;
    char path[4096];
    int n = snprintf(path, sizeof path, "%s%s", place->path, name);

    return n > 0 && (size_t)n < sizeof path && lstat(path, &status) == 0 &&
           S_ISREG(status.st_mode) && status.st_size == 0;
}

static bool matters(const struct watch *watch, const struct inotify_event *event)
{
    const char *name = event->len > 0 ? event->name : NULL;
    const struct watch_name *place;

    if ((event->mask & IN_Q_OVERFLOW) != 0)
        return true;
    place = watch_folders_lookup(&watch->folders, event->wd, name);
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

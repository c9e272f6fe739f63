/* watch - see watch.h */
#include "daemon/watch.h"

#include "daemon/log.h"
#include "system/folder_watch.h"
#include "system/monotonic.h"
#include "system/timeouts.h"
#include "text/memory.h"

#include <errno.h>
#include <glob.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include <unistd.h>

#define SHARE 5 /* reloads by watch use at most 1/SHARE of the time */

static int watched = -1;    /* a descriptor of folder_watch */
static int newest;          /* number of the newest watch */
static int64_t first, last; /* changes that no load has seen; 0: none */
static int64_t rest_until;

int watch_descriptor(void)
{
    return watched;
}

static void note_change(void)
{
    last = monotonic_now();
    if (first == 0)
        first = last;
}

void watch_read(void)
{
    if (folder_watch_read(watched))
        note_change();
}

int watch_wait(void)
{
    int64_t now = monotonic_now(), due = last + timeouts.watch_quiet;
    if (first == 0)
        return -1;
    if (due > first + timeouts.watch_most)
        due = first + timeouts.watch_most;
    if (due < rest_until)
        due = rest_until;
    return due <= now ? 0 : (int)(due - now);
}

int64_t watch_age(void)
{
    return monotonic_now() - first;
}

void watch_loaded(int64_t begin)
{
    int64_t now = monotonic_now();
    if (last <= begin)
        first = 0;
    rest_until = now + (now - begin) * (SHARE - 1);
}

static void log_fault(const char *folder, int error)
{
    log_printf(LOG_WARNING, "warning: watch: %s: %s%s: changes there need a SIGHUP", folder,
               strerror(error), folder_watch_limit(error));
}

/* Watches a folder. Returns false where no more can be watched. */
static bool watch_folder(const char *folder, bool logs)
{
    int number = folder_watch_add(watched, folder);
    int error = number < 0 ? errno : 0;
    if (error != 0 && logs)
        log_fault(folder, error);
    if (number > newest) {
        newest = number;
        note_change(); /* a file may have changed since it was read */
    }
    return error != ENOSPC;
}

/* Watches the folders of a pattern's files. Returns false where no more can be watched. */
static bool watch_pattern(const char *pattern, bool logs)
{
    char *folder = memory_copy(pattern);
    char *slash = strrchr(folder, '/');
    glob_t found = {0};
    bool has_room = true;
    slash[slash == folder ? 1 : 0] = '\0';
    if (glob(folder, GLOB_NOSORT, NULL, &found) == 0)
        for (size_t i = 0; has_room && i < found.gl_pathc; i++)
            has_room = watch_folder(found.gl_pathv[i], logs);
    globfree(&found);
    free(folder);
    return has_room;
}

void watch_folders_of(const struct settings *settings, bool logs)
{
    size_t i = 0;
    if (settings->watch && watched < 0) {
        watched = folder_watch_open();
        if (watched < 0 && logs)
            log_fault("the folders", errno);
    } else if (!settings->watch && watched >= 0) {
        close(watched);
        watched = -1;
        newest = 0;
        first = 0;
    }
    /* A folder of an older configuration stays watched: its changes cause needless loads. */
    while (watched >= 0 && i < settings->watched_count && watch_pattern(settings->watched[i], logs))
        i++;
}

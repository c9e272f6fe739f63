/* folder_watch - see folder_watch.h; without inotify the key `watch` is refused */
#include "system/folder_watch.h"

#include <errno.h>
#include <stddef.h>
#include <unistd.h>

#ifdef HAVE_SYS_INOTIFY_H
#include <sys/inotify.h>

/* IN_ATTRIB: a file may have become readable. */
#define EVENTS                                                                                     \
    (IN_DELETE_SELF | IN_MOVE_SELF | IN_ATTRIB | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE |         \
     IN_CLOSE_WRITE)
#define MISSING NULL
#else
#define inotify_init1(flags)            (-1)
#define inotify_add_watch(fd, name, on) ((void)(fd), (void)(name), -1)
#define MISSING                         "inotify is not built in; SIGHUP reloads"
#endif

const char *watch_missing(void)
{
    return MISSING;
}

int folder_watch_open(void)
{
    return inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
}

int folder_watch_add(int fd, const char *folder)
{
    return inotify_add_watch(fd, folder, EVENTS);
}

bool folder_watch_read(int fd)
{
    char events[16384];
    bool has_any = false;
    while (fd >= 0 && read(fd, events, sizeof events) > 0)
        has_any = true;
    return has_any;
}

const char *folder_watch_limit(int error)
{
    return error == ENOSPC   ? " (sysctl fs.inotify.max_user_watches)"
           : error == EMFILE ? " (sysctl fs.inotify.max_user_instances)"
                             : "";
}

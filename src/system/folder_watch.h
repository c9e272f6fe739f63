/*
 * folder_watch - a descriptor that can be read after a change in one of its folders: inotify(7)
 *
 * Any event in a folder counts, except the creation of a file, which counts when it is closed. Main
 * thread.
 */
#ifndef MLMILTER_SYSTEM_FOLDER_WATCH_H
#define MLMILTER_SYSTEM_FOLDER_WATCH_H

#include <stdbool.h>

/* Returns NULL, or why folders cannot be watched here. Static storage. */
const char *watch_missing(void);

/* Returns a descriptor without folders, for close(), or -1 with errno. */
int folder_watch_open(void);

/* Adds a folder. Returns its number, which is higher than all before if it is new; or -1 with
 * errno. ENOSPC: no more can be added. */
int folder_watch_add(int fd, const char *folder);

/* Reads all events. True if there were any. */
bool folder_watch_read(int fd);

/* Returns the setting of the system that an error of these functions is about, as " (NAME)", or "".
 * Static storage. */
const char *folder_watch_limit(int error);

#endif

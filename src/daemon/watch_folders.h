/*
 * watch_folders - the folders that inotify watches, and which names in them matter
 *
 * For each component of each path of the settings the folder that it stands in is
 * watched, as far as there are such folders: so it is noticed when one is made,
 * replaced or taken away, and when a link leads elsewhere.  A folder whose next one
 * holds something of ours is watched for its own fate only, so that the traffic in
 * /tmp or /var wakes nobody: the next one cannot be removed before what it holds,
 * and tells itself when it is renamed.
 */
#ifndef MLMILTER_DAEMON_WATCH_FOLDERS_H
#define MLMILTER_DAEMON_WATCH_FOLDERS_H

#include "config/files/watched.h"
#include "text/arena.h"
#include "text/strbuf.h"

#include <stdbool.h>
#include <stddef.h>

/* Folders below a pattern of a delegate, who could make any number. */
#define WATCH_FOLDERS_MAX 10000
#define WATCH_ENTRIES_MAX 100000 /* names in them that are looked at */

/* In the folder with this watch descriptor the names that fit the component matter. */
struct watch_name {
    int folder;
    const char *component;
    bool is_firm;     /* no, they do not: they cannot change unnoticed */
    bool is_file;     /* it is the last component */
    const char *path; /* of the folder, with a slash behind it, or empty */
};

/* All zero is an empty one. */
struct watch_folders {
    struct arena arena;
    struct watch_name *names; /* sorted, each of them once */
    size_t count;
    size_t capacity;
    bool moved; /* while they were being found */
};

void watch_folders_free(struct watch_folders *folders);

/* Has inotify watch the folders of all paths of both. What cannot be watched is told in *faults, a
 * line each. 0 or -1 (memory). */
int watch_folders_find(struct watch_folders *folders, int inotify, const struct watched_path *paths,
                       const struct watched_path *more, struct strbuf *faults);

/* Does not the same matter in both, or may it have changed since? */
bool watch_folders_differ(const struct watch_folders *folders, const struct watch_folders *others);

/* Stops watching the folders that the others do not have. */
void watch_folders_drop(const struct watch_folders *folders, const struct watch_folders *others,
                        int inotify);

/* A row about a folder and (NULL: any) a name that matters there; NULL: there is none. */
const struct watch_name *watch_folders_lookup(const struct watch_folders *folders, int folder,
                                              const char *name);

#endif

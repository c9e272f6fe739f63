/*
 * watch - notices that a file of the configuration has changed (the key `watch`)
 *
 * Watched are the folders in which files of the configuration stand or may stand,
 * for the names that fit, and the folder above each, for the folder's own name, so
 * that a folder that is made, replaced or taken away is noticed, too; while one is
 * missing, the nearest above it that is there.  A link is the name where it stands:
 * what happens behind it, or farther up, needs a SIGHUP.  So it is without Linux's
 * inotify.  Main thread only.
 */
#ifndef MLMILTER_DAEMON_WATCH_H
#define MLMILTER_DAEMON_WATCH_H

#include "config/settings.h"
#include "daemon/debounce.h"
#include "text/arena.h"
#include "text/strbuf.h"

#include <stddef.h>

/* In the folder with this watch descriptor the names that fit the pattern matter. */
struct watch_name {
    int folder;
    const char *pattern;
    const char *path; /* of the folder, with a slash behind it */
};

struct watch_names {
    struct arena arena;
    struct watch_name *items; /* sorted by folder, then by pattern */
    size_t count;
    size_t capacity;
};

struct watch {
    int descriptor; /* there is something to read from it: watch_read; -1: nothing is watched */
    struct watch_names names;
    struct debounce debounce;
    struct strbuf told; /* what cannot be watched, as it was logged */
};

#define WATCH_INIT                                                                                 \
    {                                                                                              \
        .descriptor = -1, .told = STRBUF_INIT                                                      \
    }

/* Watches what the settings say from now on, and what those say that were read since and are wrong
 * (NULL: none). What cannot be watched is logged, once. When that is not what was watched before, a
 * file may have changed since it was read, and counts as changed. */
void watch_arm(struct watch *watch, const struct settings *settings, const struct settings *wrong);

/* Takes notice of some changes, if there are any. Never waits. */
void watch_read(struct watch *watch);

/* Milliseconds until the files should be read again; 0: now; -1: nothing has changed. */
int watch_wait(const struct watch *watch);

/* The files are being read again, from *begin on. */
void watch_begin_load(struct watch *watch, int64_t *begin);
void watch_end_load(struct watch *watch, int64_t begin);

/* What was logged is forgotten: somebody asks anew. */
void watch_forget_told(struct watch *watch);

void watch_free(struct watch *watch);

#endif

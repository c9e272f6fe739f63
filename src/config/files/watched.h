/*
 * watched - the paths and patterns that a configuration is read from
 *
 * For whoever wants to notice that a file of the configuration changes
 * (daemon/watch.h).
 */
#ifndef MLMILTER_CONFIG_FILES_WATCHED_H
#define MLMILTER_CONFIG_FILES_WATCHED_H

#include "text/arena.h"
#include "text/span.h"

/* A pattern for glob(3). In a path that is meant as it stands, a backslash is before each character
 * that a pattern would read otherwise. */
struct watched_path {
    const struct watched_path *next;
    const char *pattern;
};

/* In the order in which they were added; all of it lives in the arena of whoever adds. */
struct watched {
    const struct watched_path *first;
    struct watched_path *last;
};

/* NULL: `watch` works here. Else why it does not (RULINGS 74). */
const char *watch_missing(void);

/* Adds a file that is named in the file `from`, whose folder stands before a relative name; from
 * may be NULL. */
void watched_add_file(struct watched *watched, struct arena *arena, const char *from,
                      struct span name);

/* Adds a pattern that is written in the file `from`. */
void watched_add_pattern(struct watched *watched, struct arena *arena, const char *from,
                         struct span pattern);

/* Adds a pattern below a folder that is meant as it stands. */
void watched_add_below(struct watched *watched, struct arena *arena, const char *folder,
                       const char *below);

#endif

/*
 * watched - the paths and patterns that a configuration is read from
 *
 * Who wants to notice a change looks at the folder of each component for the name
 * that stands there, so that a folder that is replaced, or not there yet, is
 * noticed as well.
 */
#ifndef MLMILTER_CONFIG_FILES_WATCHED_H
#define MLMILTER_CONFIG_FILES_WATCHED_H

#include "text/arena.h"
#include "text/span.h"

#include <stdbool.h>
#include <stddef.h>

/* A pattern as seen from here; in a name that is meant as it stands, a backslash is before each
 * character that a pattern would read otherwise. */
struct watched_path {
    const struct watched_path *next;
    const char *followed; /* symbolic links count as what they lead to */
    const char *below;    /* what stands behind it: a delegate's, no link is followed; or empty */
};

/* In the order in which they were added; all of it lives in the arena of whoever adds. */
struct watched {
    const struct watched_path *first;
    struct watched_path *last;
};

/* NULL: `watch` works here. Else why it does not (RULINGS 74). */
const char *watch_missing(void);

/* A file named in `from`, whose folder stands before a relative name; from may be NULL. 0 or -1
 * (memory). */
int watched_add_file(struct watched *watched, struct arena *arena, const char *from,
                     struct span name);

/* The same of a pattern. */
int watched_add_pattern(struct watched *watched, struct arena *arena, const char *from,
                        struct span pattern);

/* Below a folder that is meant as it stands, a pattern without links. */
int watched_add_below(struct watched *watched, struct arena *arena, const char *folder,
                      const char *below);

/* The next component of a path; *rest moves behind it. false: there is none. */
bool watched_next(const char **rest, struct span *component);

/* Does the component stand for several names? */
bool watched_is_wild(struct span component);

/* The one name that a component stands for, in memory of at least component.n + 1 octets. */
void watched_name(struct span component, char *name);

/* Does the name fit the component? As in glob: no wildcard fits a dot at the begin of a name. */
bool watched_fits(const char *component, const char *name);

/* A name that is meant as it stands, as a pattern. NULL: memory is out. */
const char *watched_escape(struct arena *arena, struct span folder, struct span name);

#endif

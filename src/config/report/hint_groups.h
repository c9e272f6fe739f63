/*
 * hint_groups - hints that many lists share, in one line each (RULINGS 84)
 *
 * A hint is known by its key and its text.  The first HINT_LISTS_TOLD lists with it
 * are told one by one; of more, the first one with how many there are.
 */
#ifndef MLMILTER_CONFIG_REPORT_HINT_GROUPS_H
#define MLMILTER_CONFIG_REPORT_HINT_GROUPS_H

#include "config/report/diagnostics.h"
#include "text/arena.h"

#include <stddef.h>

#define HINT_LISTS_TOLD 5

struct hint_group;

struct hint_groups {
    struct arena arena;
    struct hint_group *newest;
    struct diagnostics found; /* their lines, until hint_groups_tell */
};

void hint_groups_init(struct hint_groups *groups);
void hint_groups_free(struct hint_groups *groups);

/* The list has this hint, as one of how many; key and what are static. The diagnostics that its
 * line is to be added to, at most `most` of them; or NULL: it is only counted. */
struct diagnostics *hint_groups_count(struct hint_groups *groups, const char *key, const char *what,
                                      const void *list, size_t most);

/* Adds the hints of other lists. */
void hint_groups_take(struct hint_groups *groups, const struct hint_groups *others);

/* Gives all lines to the diagnostics, and forgets them. */
void hint_groups_tell(struct hint_groups *groups, struct diagnostics *diagnostics);

#endif

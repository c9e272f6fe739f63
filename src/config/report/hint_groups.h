/*
 * hint_groups - hints that many lists share, in one line each (RULINGS 84)
 *
 * A hint is known by its key and its text.  It is reported for each of the first HINT_LISTS_TOLD
 * lists; if there are more, for the first, with the count.
 */
#ifndef MLMILTER_CONFIG_REPORT_HINT_GROUPS_H
#define MLMILTER_CONFIG_REPORT_HINT_GROUPS_H

#include "config/report/diagnostics.h"

#include <stddef.h>

#define HINT_LISTS_TOLD 5
#define HINT_GROUPS_MAX 128 /* there are fewer pairs of a key and a text */

struct hint_group {
    const char *key, *what;
    size_t lists;
    const void *last;               /* of these lists */
    size_t places[HINT_LISTS_TOLD]; /* in `found` */
    size_t place_count;
};

struct hint_groups {
    struct hint_group items[HINT_GROUPS_MAX];
    size_t count;
    struct diagnostics found;
};

void hint_groups_init(struct hint_groups *groups);
void hint_groups_free(struct hint_groups *groups);

/* Counts a hint of a list; key and what are static. Returns the diagnostics that its line is to be
 * added to, or NULL if `most` lines have been added. */
struct diagnostics *hint_groups_count(struct hint_groups *groups, const char *key, const char *what,
                                      const void *list, size_t most);

/* Return to an earlier copy of the groups: later hints are forgotten. */
void hint_groups_rewind(struct hint_groups *groups, const struct hint_groups *earlier);

/* Gives all lines to the diagnostics, and frees them. */
void hint_groups_tell(struct hint_groups *groups, struct diagnostics *diagnostics);

#endif

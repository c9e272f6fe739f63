/*
 * old_month - ids for the pages of a month from the text that Pipermail keeps beside them
 *
 * Pages of Pipermail before Mailman 2.1.10 have no Message-ID of their own (RULINGS 124).  The text
 * of the month, an mbox, has those of all posts.
 */
#ifndef MLMILTER_CTL_OLD_MONTH_H
#define MLMILTER_CTL_OLD_MONTH_H

#include "ctl/old_page.h"
#include "text/arena.h"

#include <stddef.h>
#include <stdint.h>

enum id_source { ID_OF_PAGE, ID_BY_RANK, ID_BY_DATE };

struct found_page {
    const char *path;    /* old path */
    uint64_t number;     /* NNNNNN.html of Pipermail */
    bool has_number;     /* its name has this form */
    struct old_page old; /* its texts live as long as the page */
    enum id_source source;
};

/* Reads the text of the month, NAME.txt or NAME.txt.gz in the folder `above`; where is the path of
 * that folder. Sets the ids of pages that have none of their own, as far as they are certain, in
 * the arena, and the Date of those that have one; of a number of pages all are of this month. Sorts
 * them. Returns false if the system could not read the text; a text that is damaged or too large is
 * only reported. */
bool old_month_read(int above, const char *where, const char *name, struct found_page *pages,
                    size_t count, struct arena *arena);

#endif

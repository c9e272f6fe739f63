/*
 * remembered - the answers of the last few thousand posts
 *
 * A post comes in several transactions within minutes; all but the first are
 * answered from here.  Whole posts are compared, so a hash cannot mix up two of
 * them.  An answer lives REMEMBERED_SECONDS: after that the database is asked
 * again, so that what others did to it is seen.  Any thread.
 */
#ifndef MLMILTER_STORE_REMEMBERED_H
#define MLMILTER_STORE_REMEMBERED_H

#include "store/store.h"

#include <stdbool.h>
#include <stdint.h>

#define REMEMBERED_SECONDS 900

struct remembered;

struct remembered *remembered_new(void);
void remembered_free(struct remembered *r);

/* The answer of a post whose list is in lower case; `now` is of any clock that is never set back,
 * in seconds. An answer without a number is none for a post that wants one. */
bool remembered_find(struct remembered *r, const struct store_post *post, int64_t now,
                     struct store_answer *answer);

void remembered_add(struct remembered *r, const struct store_post *post, int64_t now,
                    const struct store_answer *answer);

/* Forgets all. */
void remembered_clear(struct remembered *r);

#endif

/*
 * question - asks about a post of plan/
 */
#ifndef MLMILTER_STORE_QUESTION_H
#define MLMILTER_STORE_QUESTION_H

#include "plan/post.h"
#include "plan/selection.h"
#include "store/store.h"

#include <stdbool.h>

/* Asks the store of the daemon or the numbers of mlmilterctl; both are NULL if there are none. Sets
 * *record to the answer, or to RECORD_FAILED. look_only: writes nothing (RULINGS 55, 72). Returns
 * 0, or -1 with *error. */
int post_ask(struct store *store, struct numbers *numbers, const struct selection *selection,
             const struct post *post, bool look_only, struct post_record *record,
             struct store_error *error);

#endif

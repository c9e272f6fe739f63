/*
 * post_store - asks the store about a post of plan/
 *
 * What the daemon and mlmilterctl have in common.
 */
#ifndef MLMILTER_STORE_POST_STORE_H
#define MLMILTER_STORE_POST_STORE_H

#include "plan/post.h"
#include "plan/selection.h"
#include "store/store.h"

#include <stdbool.h>

/* Fills *record with the store's answer, or with RECORD_FAILED. look_only: nothing is written
 * (RULINGS 55, 72). store may be NULL: it is not there. 0, or -1 with *error. */
int post_ask_store(struct store *store, const struct selection *selection, const struct post *post,
                   bool look_only, struct post_record *record, struct store_error *error);

#endif

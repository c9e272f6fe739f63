/*
 * post_store - asks the store about a post of plan/
 *
 * For the daemon and mlmilterctl.
 */
#ifndef MLMILTER_STORE_POST_STORE_H
#define MLMILTER_STORE_POST_STORE_H

#include "plan/post.h"
#include "plan/selection.h"
#include "store/store.h"

#include <stdbool.h>

/* Sets *record to the store's answer, or to RECORD_FAILED. look_only: writes nothing (RULINGS 55,
 * 72). store: NULL if it could not be created. Returns 0, or -1 with *error. */
int post_ask_store(struct store *store, const struct selection *selection, const struct post *post,
                   bool look_only, struct post_record *record, struct store_error *error);

#endif

/*
 * store_wants - which lists number their posts, and which of them need the store
 */
#ifndef MLMILTER_CONFIG_LISTS_STORE_WANTS_H
#define MLMILTER_CONFIG_LISTS_STORE_WANTS_H

#include "config/lists/draft.h"

/* Sets what the list wants of the store; needs the templates of archived_at. */
void draft_store_wants(struct list_draft *draft);

#endif

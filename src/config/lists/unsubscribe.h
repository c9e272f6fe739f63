/*
 * unsubscribe - items that name the recipient, and leaving with one click (RFC 8058, RULINGS 15 to
 * 17, 68)
 */
#ifndef MLMILTER_CONFIG_LISTS_UNSUBSCRIBE_H
#define MLMILTER_CONFIG_LISTS_UNSUBSCRIBE_H

#include "config/lists/draft.h"

/* True if the URI of an item may name the recipient as it does. */
bool draft_check_recipient(struct list_draft *draft, const struct config_text *text);

/* Returns the variables of VARS_RECIPIENT that a request for the URI contains: whole, and before
 * "#" (RFC 8058 3.1). */
uint64_t recipient_requested(const struct template *uri);

/* Checks unsubscribe_one_click against the items of `unsubscribe`, when these are checked. */
void draft_one_click(struct list_draft *draft);

#endif

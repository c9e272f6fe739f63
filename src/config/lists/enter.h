/*
 * enter - enters lists into the index, and says which other list is in the way
 */
#ifndef MLMILTER_CONFIG_LISTS_ENTER_H
#define MLMILTER_CONFIG_LISTS_ENTER_H

#include "config/lists/draft.h"

/* Enters the list by its id. Returns false if another list has it. */
bool draft_enter_id(struct list_draft *draft);

/* Enters it by its addresses, its senders and its command addresses, and sets those of the list. */
void draft_enter_addresses(struct list_draft *draft);

#endif

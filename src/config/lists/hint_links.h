/*
 * hint_links - what is legal but unwise in the URLs of a list (RULINGS 84)
 */
#ifndef MLMILTER_CONFIG_LISTS_HINT_LINKS_H
#define MLMILTER_CONFIG_LISTS_HINT_LINKS_H

#include "config/lists/draft.h"

void draft_hint_links(struct list_draft *draft);

#endif

/*
 * list_hint - how the hints about a list are given
 *
 * what: static, one text for each hint.  Lists that share a hint: config/report/hint_groups.h.
 */
#ifndef MLMILTER_CONFIG_LISTS_LIST_HINT_H
#define MLMILTER_CONFIG_LISTS_LIST_HINT_H

#include "config/lists/draft.h"

/* About a text: 'key: "text" what'. One of the defaults is told once. */
void hint_text(struct list_draft *draft, enum key key, const struct config_texts *texts,
               const struct config_text *text, const char *what);

/* About a key as a whole, where the list or else the defaults have it; there once. */
void hint_key(struct list_draft *draft, enum key key, const char *what);

/* About the list; key may be missing in it. */
void hint_list(struct list_draft *draft, enum key key, const char *what);

/* The hints about a list without errors; those about its URLs. */
void draft_hints(struct list_draft *draft);
void hint_links(struct list_draft *draft);

#endif

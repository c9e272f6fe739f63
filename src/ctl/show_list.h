/*
 * show_list - the values that count for a list, and where each comes from
 *
 * As a `list` section with the source of each value in a comment, which `check`
 * accepts, or as one JSON object for each.  What has no effect in this list is in a
 * comment, since in a section of its own it may be an error (RULINGS 84).
 */
#ifndef MLMILTER_CTL_SHOW_LIST_H
#define MLMILTER_CTL_SHOW_LIST_H

#include "config/lists/draft.h"
#include "text/strbuf.h"

/* Append the list of a draft that is right. */
void show_list(struct list_draft *draft, struct strbuf *out);
void show_list_json(struct list_draft *draft, struct strbuf *out);

#endif

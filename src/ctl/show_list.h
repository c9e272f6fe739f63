/*
 * show_list - the values in force for a list, and the source of each
 *
 * The text is a `list` section that `check` accepts, with the sources in comments; JSON has one
 * object for each value.  A value without effect is in a comment, since in a section it may be an
 * error (RULINGS 84).
 */
#ifndef MLMILTER_CTL_SHOW_LIST_H
#define MLMILTER_CTL_SHOW_LIST_H

#include "config/lists/draft.h"
#include "text/span.h"
#include "text/strbuf.h"

/* Append the list of a draft that is right. */
void show_list(struct list_draft *draft, struct strbuf *out);
void show_list_json(struct list_draft *draft, struct strbuf *out);

#endif

/*
 * why_not - notes of `explain`: the reason why a message has no list, no link or no button
 * (RULINGS 123)
 */
#ifndef MLMILTER_CTL_WHY_NOT_H
#define MLMILTER_CTL_WHY_NOT_H

#include "plan/plan.h"

/* Adds a note, unless there are too many. The text is borrowed. */
void why_not_add(struct decided *made, const char *text);

/* Adds notes on the list, the link and the button that the message does not get, if the reason can
 * be known. client: as it was given, or NULL for a local submission. */
void why_not_note(struct decided *made, const struct facts *facts, const char *client,
                  struct arena *arena);

#endif

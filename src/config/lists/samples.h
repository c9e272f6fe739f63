/*
 * samples - what a template makes of values such as a message has
 */
#ifndef MLMILTER_CONFIG_LISTS_SAMPLES_H
#define MLMILTER_CONFIG_LISTS_SAMPLES_H

#include "config/lists/draft.h"

/* Checks the URI that a template of a text, which is bound to the list, gives with samples: as a
 * URI, and as a line of the field. */
enum outcome draft_check_sample(struct list_draft *draft, const struct config_text *text,
                                const struct template *bound, enum field_name name);

#endif

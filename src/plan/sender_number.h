/*
 * sender_number - mlmmj's own number of a post, from its envelope sender (RULINGS 50)
 */
#ifndef MLMILTER_PLAN_SENDER_NUMBER_H
#define MLMILTER_PLAN_SENDER_NUMBER_H

#include "text/span.h"

#include <stdint.h>

/* sender = local-part-of-address ( "+" / "-" ) "bounces-" 1*DIGIT [ "-" anything ] "@" anything
 *
 * ASCII letter case aside. The number without leading zeros; 0 when the sender has none, or one
 * that is 0 or larger than POST_NUMBER_MAX. Pure. */
uint64_t sender_number(struct span sender, struct span address);

#endif

/*
 * company - which lists may come in one transaction (RULINGS 109); for plan/ only
 */
#ifndef MLMILTER_PLAN_COMPANY_H
#define MLMILTER_PLAN_COMPANY_H

#include "plan/envelope.h"

enum company { COMPANY_NONE, COMPANY_ALLOWED, COMPANY_DEFERRED };

/* Returns the company of a list that a recipient leads to (RULINGS 109). Edits for an alias list
 * reach all recipients of its transaction, so it comes alone:
 *
 *     before it        an alias list  its contact  another list  its contact
 *     an alias list    first          first        deferred      deferred
 *     its contact      first          -            deferred      -
 *     another list     deferred       deferred     -             -
 *     its contact      deferred       -            -             -
 *
 * first: allowed if both alias lists say crosspost = "first" and have one owner, else deferred.
 * -: none. Another list counts also if the address is below it. A list that came before in the same
 * or a stronger kind has no company. */
enum company company_find(const struct envelope *e, const struct list *list,
                          enum recipient_kind kind);

/* Adds a list to the transaction, or a stronger kind in which a recipient leads to it. */
void company_add(struct envelope *e, const struct list *list, enum recipient_kind kind);

#endif

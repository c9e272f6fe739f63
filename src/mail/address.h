/*
 * address - mail addresses of envelopes and of address fields
 *
 * What they look like.  Whether two of them are one mailbox is for spec/mailbox.h
 * to say (RULINGS 21).
 */
#ifndef MLMILTER_MAIL_ADDRESS_H
#define MLMILTER_MAIL_ADDRESS_H

#include "text/arena.h"
#include "text/cursor.h"
#include "text/span.h"

#include <stdbool.h>

/* An envelope argument without the blanks and the one pair of angle brackets around it. "<>" gives
 * the empty span. */
struct span address_bare(struct span argument);

/* Parts of an address, split at the last "@". Without one: local is all, domain is empty. */
struct span address_local(struct span address);
struct span address_domain(struct span address);

/* Is a domain the other one, or below it? ASCII letter case aside; no for an empty `other`. */
bool address_domain_is_within(struct span domain, struct span other);

/* Reads the next address of an address list (RFC 5322 3.4: mailboxes and groups) from an unfolded
 * value, without comments, white space and display names. Skips items that are no address. Returns
 * true and sets *address, which lives in the arena, or false if there is no more. */
bool address_next(struct cursor *c, struct arena *arena, struct span *address);

#endif

/*
 * address - the parts of mail addresses
 *
 * spec/mailbox.h reads addresses and tells which of them are one mailbox (RULINGS 21).
 */
#ifndef MLMILTER_MAIL_ADDRESS_H
#define MLMILTER_MAIL_ADDRESS_H

#include "text/span.h"

#include <stdbool.h>

/* Returns an envelope argument without the blanks and the pair of angle brackets around it. "<>"
 * gives the empty span. */
struct span address_bare(struct span argument);

/* Return the part of an address before or after its last "@". Without one, local is all of it and
 * domain is empty. */
struct span address_local(struct span address);
struct span address_domain(struct span address);

/* True if a domain is the other one or below it, ASCII letter case aside. False for an empty
 * `other`. */
bool address_domain_is_within(struct span domain, struct span other);

#endif

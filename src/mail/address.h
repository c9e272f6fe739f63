/*
 * address - the parts of a mail address
 *
 * spec/mailbox.h reads addresses in any spelling.
 */
#ifndef MLMILTER_MAIL_ADDRESS_H
#define MLMILTER_MAIL_ADDRESS_H

#include "text/span.h"

#include <stdbool.h>

/* Returns an envelope argument without the blanks and the pair of angle brackets around it. "<>"
 * gives the empty span. */
static inline struct span address_bare(struct span argument)
{
    struct span s = span_trim(argument);
    bool has_brackets = s.n >= 2 && s.p[0] == '<' && s.p[s.n - 1] == '>';
    return has_brackets ? span_trim(span_sub(s, 1, s.n - 2)) : s;
}

/* Return the part of an address before or after its last "@". Without one, local is all of it and
 * domain is empty. */
static inline struct span address_local(struct span address)
{
    return span_sub(address, 0, span_find_last(address, '@'));
}

static inline struct span address_domain(struct span address)
{
    return span_sub(address, span_find_last(address, '@') + 1, address.n);
}

/* Returns the part of a local part before the first of the delimiters; all of it where an MTA takes
 * nothing off: postmaster, mailer-daemon, double-bounce, and with "-" among the delimiters
 * owner-NAME and NAME-request (owner_request_special of Postfix; RULINGS 112). */
struct span address_before_delimiter(struct span local, struct span delimiters);

/* True if a domain is the other one or below it, ASCII letter case aside. False for an empty
 * `other`. */
static inline bool address_domain_is_within(struct span domain, struct span other)
{
    return other.n > 0 && span_ends_nocase(domain, other) &&
           (domain.n == other.n || domain.p[domain.n - other.n - 1] == '.');
}

#endif

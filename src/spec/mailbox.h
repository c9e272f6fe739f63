/*
 * mailbox - the mailbox of an address, whatever its spelling (RULINGS 21)
 *
 * An MTA delivers team@x, "team"@x, te\am@x, @a,@b:team@x, team(c)@x and team@x. to one mailbox, so
 * addresses are compared as mailboxes only, without ASCII letter case.  plan/recipient.h knows the
 * host's own names, "%" and "!".  Pure; any thread.
 */
#ifndef MLMILTER_SPEC_MAILBOX_H
#define MLMILTER_SPEC_MAILBOX_H

#include "text/arena.h"
#include "text/cursor.h"
#include "text/span.h"

#include <stdbool.h>

/* A longer item of an address list, in bytes without blanks at its ends, is no address (RULINGS
 * 117): no MTA delivers to one. */
#define MAILBOX_ITEM_MAX 2048

/* Returns LOCAL@DOMAIN of an argument of MAIL or RCPT, or of an address of a field. Brackets,
 * source route, comments, blanks, quotes and a dot at the end are removed. The domain gets A-labels
 * if they can be made, and a local part that is not ASCII gets lower case (RULINGS 95). Returns
 * LOCAL if there is no domain, and an empty span for "<>". The mailbox is a part of address or
 * lives in the arena. */
struct span mailbox_of(struct span address, struct arena *arena);

/* Reads the next mailbox of an address list (RFC 5322 3.4: mailboxes and groups) from an unfolded
 * value. Skips items without a local part or a domain, and those over MAILBOX_ITEM_MAX. Returns
 * true and sets *mailbox, which lives in the arena, or false if there is no more. */
bool mailbox_next(struct cursor *c, struct arena *arena, struct span *mailbox);

/* Appends the mailboxes that a mailto: URI names before its "?" (RFC 6068 2: addresses, commas
 * between them, percent-encoded), until there are `most`. */
void mailboxes_of_mailto(struct span uri, struct arena *arena, struct span *mailboxes, size_t most,
                         size_t *count);

/* Returns the domain of the first address in the text of a From field. It is empty if there is
 * none, or if the domain contains a blank: "a@b.example c". */
struct span mailbox_author_domain(struct span from, struct arena *arena);

#endif

/*
 * mailbox - the mailbox that an address stands for, however it is spelled (RULINGS 21)
 *
 * An MTA delivers team@x, "team"@x, te\am@x, @a,@b:team@x, team(c)@x and team@x. to
 * one mailbox, so addresses are compared as mailboxes only.  ASCII letter case
 * stays as it is: who compares looks past it.  What only the MTA knows (its local
 * domains, "%" and "!") is not guessed.  Pure; any thread.
 */
#ifndef MLMILTER_SPEC_MAILBOX_H
#define MLMILTER_SPEC_MAILBOX_H

#include "text/arena.h"
#include "text/span.h"

#include <stdbool.h>

/* LOCAL@DOMAIN of an argument of MAIL or RCPT, or of an address of a field: without brackets,
 * source route, comments and blanks, quoting undone, without the dot at the end, the domain with
 * A-labels (as it is where these cannot be made), an address literal in its plainest spelling.
 * LOCAL alone where no domain is given; empty for "<>". *mailbox is a part of address where nothing
 * is to be undone, else it lives in the arena. 0 or -1 (memory). */
int mailbox_of(struct span address, struct arena *arena, struct span *mailbox);

/* Does the text, of the part before the "?" of a mailto: URI (RFC 6068 2: addresses, commas between
 * them, percent-encoded), name the mailbox? false for a URI of another scheme. 0 or -1 (memory). */
int mailbox_in_mailto(struct span mailbox, struct span uri, struct arena *arena, bool *named);

/* The first mailbox that such a URI names there; empty when it names none. 0 or -1 (memory). */
int mailbox_of_mailto(struct span uri, struct arena *arena, struct span *mailbox);

/* The domain of the first address in the text of a From field; empty: it has none. 0 or -1. */
int mailbox_author_domain(struct span from, struct arena *arena, struct span *domain);

#endif

/*
 * recipient - from the address of a recipient to the list that owns it
 *
 * A recipient is a mailbox, not a spelling (RULINGS 21, 95, 110).  Knows no transaction.  Pure; any
 * thread.
 */
#ifndef MLMILTER_PLAN_RECIPIENT_H
#define MLMILTER_PLAN_RECIPIENT_H

#include "config/settings.h"
#include "text/arena.h"
#include "text/span.h"

/* How an address leads to a list, from the weakest to the strongest. */
enum recipient_kind {
    RECIPIENT_PRIVATE, /* ann@example.net: it leads to no configured list */
    RECIPIENT_CONTACT, /* dev-owner@: a command address that is made of the list's address */
    RECIPIENT_BELOW, /* dev+x@ of a list manager's list dev@; only the manager knows its purpose */
    RECIPIENT_LIST,  /* dev@ in any spelling, an alias, or an address below an alias list */
    RECIPIENT_CONTESTED, /* a local mailbox of a delegate's list and of another owner's (RULINGS
                            111) */
};

#define KIND_BIT(kind) (1u << (kind)) /* in a set of kinds */

/* The mailer that the MTA names for a recipient ({rcpt_mailer}). */
enum mailer {
    MAILER_OTHER,  /* any but "local" */
    MAILER_LOCAL,  /* "local": a mailbox of this host */
    MAILER_UNNAMED /* Postfix' local submission names none, and no client could retry: after the
                      refusal of a recipient Postfix keeps the message forever */
};

/* A recipient as mailboxes (spec/mailbox.h). */
struct recipient {
    struct span mailbox;     /* of RCPT's argument, or of an address of a field */
    struct span mta_mailbox; /* of {rcpt_addr}: without a domain for a local mailbox of Sendmail's;
                                empty if the MTA reports none */
    enum mailer mailer;
};

struct list_recipient {
    enum recipient_kind kind;
    const struct list *list;  /* NULL: RECIPIENT_PRIVATE */
    const struct list *rival; /* RECIPIENT_CONTESTED: the other owner's list; else NULL */
};

/* An address in two parts; a name alone has no domain. */
struct address {
    struct span local, domain;
};

/* Returns the innermost address of a mailbox, after all routes that MTAs follow: a@b for "a@b"@c,
 * a%b@c and b!a@c (RULINGS 110). A domain that is not ASCII lives in the arena. */
struct address recipient_address(struct span mailbox, struct arena *arena);

/* Finds the list of a recipient (RULINGS 111, 112). */
struct list_recipient recipient_find(const struct settings *settings,
                                     const struct recipient *recipient, struct arena *arena);

#endif

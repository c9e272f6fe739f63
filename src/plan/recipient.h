/*
 * recipient - from the address of a recipient to the list that owns it
 *
 * A recipient is a mailbox, not a spelling (RULINGS 21, 95, 110).  Knows no transaction.
 */
#ifndef MLMILTER_PLAN_RECIPIENT_H
#define MLMILTER_PLAN_RECIPIENT_H

#include "config/settings.h"
#include "text/arena.h"
#include "text/span.h"

/* How an address leads to a list, from the weakest to the strongest. */
enum recipient_kind {
    RECIPIENT_PRIVATE, /* ann@example.net: it leads to no configured list */
    RECIPIENT_PERSON,  /* dev-owner@, a contact of a list manager's list dev@: its owner */
    RECIPIENT_CONTACT, /* team-owner@, a contact of an alias list: its owner, or the members */
    RECIPIENT_BELOW, /* dev+x@ of a list manager's list dev@; only the manager knows its purpose */
    RECIPIENT_LIST,  /* dev@ in any spelling, an alias, or an address below an alias list */
    RECIPIENT_CONTESTED /* a local mailbox of lists of two owners (RULINGS 111) */
};

/* Sets of kinds: mail for the private must not pass for a list's; persons are no lists. */
#define KIND_BIT(kind) (1u << (kind))
#define KINDS_PRIVATE  (KIND_BIT(RECIPIENT_PRIVATE) | KIND_BIT(RECIPIENT_PERSON))
#define KINDS_PERSON   (KINDS_PRIVATE | KIND_BIT(RECIPIENT_CONTACT))

/* The mailer that the MTA names for a recipient ({rcpt_mailer}): another, "local" for a mailbox of
 * this host, or none: in a local submission Postfix names none, and keeps the message forever if a
 * recipient is refused. */
enum mailer { MAILER_OTHER, MAILER_LOCAL, MAILER_UNNAMED };

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

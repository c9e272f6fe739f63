/*
 * envelope - one transaction as the MTA reports it: client, sender, recipients
 *
 * Finds the lists among the recipients, and decides which recipient must come in another
 * transaction.  Owns copies of the addresses.  One thread at a time.
 */
#ifndef MLMILTER_PLAN_ENVELOPE_H
#define MLMILTER_PLAN_ENVELOPE_H

#include "config/read/trust.h"
#include "config/settings.h"
#include "text/arena.h"
#include "text/span.h"

#include <stdbool.h>
#include <stddef.h>

/* A recipient as mailboxes (spec/mailbox.h). */
struct recipient {
    struct span mailbox;     /* of RCPT's argument, or of an address of a field */
    struct span mta_mailbox; /* {rcpt_addr}: without a domain for a local mailbox of Sendmail's;
                                empty if the MTA reports none */
};

struct list_recipient {
    const struct list *list; /* NULL: no configured list */
    bool below_list; /* an address such as dev+x@ or dev-owner@ of a list manager's list, whose
                        purpose only the list manager knows */
    bool contact;    /* a command address, such as Mailman's dev-owner@: mail for a person */
};

/* Finds the list of a recipient by its address, whole and then up to the delimiter, or by a command
 * address of a list (RULINGS 21, 95). Any thread. */
struct list_recipient recipient_find_list(const struct settings *settings,
                                          const struct recipient *recipient);

struct envelope {
    struct arena arena;
    const struct settings *settings; /* borrowed, held by the caller for the whole message */
    struct client client;
    bool trusted;
    bool defers_nobody;         /* set by the caller after envelope_begin (RULINGS 62) */
    struct span sender;         /* without brackets; empty: the null sender */
    struct span sender_mailbox; /* spec/mailbox.h */

    /* The lists among the accepted recipients, each once, in the order of RCPT. */
    struct list_recipient *lists;
    size_t list_count, list_capacity;

    /* The accepted recipients. */
    struct span first_recipient; /* as given; p is NULL if there is none */
    struct span first_mailbox;   /* spec/mailbox.h */
    bool several_recipients;     /* another mailbox than the first */
    bool private_recipients;     /* a recipient is no configured list */
    bool defers_private;         /* a list defers private recipients */
    bool crosspost_first;        /* accepted lists would get each other's edits */
};

void envelope_init(struct envelope *e);
void envelope_free(struct envelope *e);

/* Begins a transaction: forgets the last one and keeps its memory. Copies the client's texts. */
void envelope_begin(struct envelope *e, const struct settings *settings,
                    const struct client *client, struct span sender);

enum recipient_answer {
    RECIPIENT_ACCEPTED,
    RECIPIENT_LIST_DEFERRED,   /* another recipient is a list (crosspost) */
    RECIPIENT_PRIVATE_DEFERRED /* a list with a private recipient (private_recipients) */
};

/* A recipient as the MTA reports it; texts are borrowed for the call. */
struct rcpt {
    struct span argument;    /* of RCPT, with brackets or without */
    struct span mta_address; /* {rcpt_addr}; empty: not known */
    /* From Postfix' local submission: no client can retry, so after the refusal of a recipient
     * Postfix keeps the message forever. */
    bool is_local_submission;
};

/* Adds a recipient, unless it is deferred: it must come in another transaction (RULINGS 22). */
enum recipient_answer envelope_add_recipient(struct envelope *e, const struct rcpt *rcpt);

/* True if the message may belong to a configured list, which its header then decides. */
bool envelope_may_be_ours(const struct envelope *e);

#endif

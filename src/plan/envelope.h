/*
 * envelope - one transaction as the MTA reports it: client, sender, recipients
 *
 * Keeps the lists among the recipients, and decides which recipient must come in another
 * transaction (RULINGS 22, 109).  Owns copies of the addresses.  One thread at a time.
 */
#ifndef MLMILTER_PLAN_ENVELOPE_H
#define MLMILTER_PLAN_ENVELOPE_H

#include "config/read/trust.h"
#include "config/settings.h"
#include "plan/recipient.h"
#include "text/arena.h"
#include "text/span.h"

#include <stdbool.h>
#include <stddef.h>

/* A list that accepted recipients lead to. */
struct envelope_list {
    const struct list *list;
    enum recipient_kind kind;   /* the strongest in which a recipient leads to it */
    struct envelope_list *next; /* in the order of RCPT */
};

struct envelope {
    struct arena arena;
    const struct settings *settings; /* borrowed, held by the caller for the whole message */
    struct client client;
    bool trusted;
    bool defers_nobody;         /* set by the caller before each recipient (RULINGS 62, 109) */
    struct span sender;         /* without brackets; empty: the null sender */
    struct span sender_mailbox; /* spec/mailbox.h */

    /* About the accepted recipients: */
    struct envelope_list *lists;     /* each once */
    unsigned kinds;                  /* KIND_BITs */
    struct list_recipient contested; /* the first one; list is NULL if there is none */
    bool defers_private;             /* one is a list that defers private recipients */
    bool shares_header;              /* lists get each other's edits */
    struct span first_recipient;     /* as given; p is NULL if there is none */
    struct span first_mailbox;       /* spec/mailbox.h */
    bool several_mailboxes;          /* another mailbox than the first */
};

void envelope_init(struct envelope *e);
void envelope_free(struct envelope *e);

/* Begins a transaction: forgets the last one and keeps its memory. Copies the client's texts. */
void envelope_begin(struct envelope *e, const struct settings *settings,
                    const struct client *client, struct span sender);

enum recipient_answer {
    RECIPIENT_ACCEPTED,
    RECIPIENT_LIST_DEFERRED,   /* another recipient is a list (RULINGS 109) */
    RECIPIENT_PRIVATE_DEFERRED /* a list with a private recipient (private_recipients) */
};

/* A recipient as the MTA reports it; texts are borrowed for the call. */
struct rcpt {
    struct span argument;    /* of RCPT, with brackets or without */
    struct span mta_address; /* {rcpt_addr}; empty: not known */
    enum mailer mailer;
};

/* Adds a recipient, unless it is deferred. Edits for an alias list reach all recipients, so it
 * comes alone (RULINGS 109):
 *
 *     before it        an alias list  its contact  another list  its contact
 *     an alias list    first          first        deferred      deferred
 *     its contact      first          accepted     deferred      accepted
 *     another list     deferred       deferred     accepted      accepted
 *     its contact      deferred       accepted     accepted      accepted
 *
 * first: accepted if both alias lists say crosspost = "first" and have one owner, else deferred.
 * The time grows with the number of lists alone. */
enum recipient_answer envelope_add_recipient(struct envelope *e, const struct rcpt *rcpt);

/* True if the message may belong to a configured list, which its header then decides. */
bool envelope_may_be_ours(const struct envelope *e);

#endif

/*
 * envelope - one transaction as the MTA tells it: client, sender, recipients
 *
 * Remembers which recipients are lists of ours and what must be known about the
 * others, and decides which recipient must come in a transaction of its own.
 * Owns copies of the addresses.  Not shared between threads at the same time.
 */
#ifndef MLMILTER_PLAN_ENVELOPE_H
#define MLMILTER_PLAN_ENVELOPE_H

#include "config/lists/trust.h"
#include "config/settings.h"
#include "text/arena.h"
#include "text/span.h"

#include <stdbool.h>
#include <stddef.h>

/* A recipient that is a list of ours. */
struct list_recipient {
    const struct list *list;
    bool by_delimiter; /* in no other way: see plan/recipient.h */
};

struct envelope {
    struct arena arena;
    const struct settings *settings; /* borrowed, held by the caller for the whole message */
    struct client client;
    bool trusted;
    bool defers_nobody;         /* set by the caller after envelope_begin (RULINGS 62) */
    struct span sender;         /* brackets off; empty: the null sender */
    struct span sender_mailbox; /* as addresses are compared: spec/mailbox.h */

    /* Of the recipients that are not deferred. */
    struct list_recipient *lists; /* in RCPT order, each list once */
    size_t list_count;
    size_t list_capacity;

    struct span first_recipient; /* of any kind, as given; .p is NULL when there is none */
    struct span first_mailbox;   /* the same as it is compared */
    bool several_recipients;     /* other mailboxes than the first */
    bool private_recipients;     /* one of them is no list of ours */
    bool crosspost_first;        /* a second list was let in that `crosspost` is about */
};

void envelope_init(struct envelope *e);
void envelope_free(struct envelope *e);

/* Begins a transaction: forgets the last one and keeps its memory. client's texts are copied. 0 or
 * -1 (memory). */
int envelope_begin(struct envelope *e, const struct settings *settings, const struct client *client,
                   struct span sender);

enum recipient_answer {
    RECIPIENT_ACCEPTED,
    RECIPIENT_LIST_DEFERRED,    /* beside another list (crosspost) */
    RECIPIENT_PRIVATE_DEFERRED, /* a list and a private recipient (private_recipients) */
    RECIPIENT_NO_MEMORY
};

/* A recipient as the MTA tells it; texts are borrowed for the call. */
struct rcpt {
    struct span argument;    /* of RCPT, brackets or not */
    struct span mta_address; /* {rcpt_addr}; empty: not known */
    /* There is no client that could come again with it: Postfix' local submission keeps a message
     * for ever when one of its recipients is refused. */
    bool is_local_submission;
};

/* Adds a recipient. Deferred: it counts as not there, it must come in another transaction (RULINGS
 * 22). */
enum recipient_answer envelope_add_recipient(struct envelope *e, const struct rcpt *rcpt);

/* Can the message be ours, whatever its header says? false: accept it now, unseen. */
bool envelope_may_be_ours(const struct envelope *e);

#endif

/*
 * recipient - which list of ours a recipient is (RULINGS 21)
 *
 * Pure; any thread.
 */
#ifndef MLMILTER_PLAN_RECIPIENT_H
#define MLMILTER_PLAN_RECIPIENT_H

#include "config/settings.h"
#include "text/arena.h"
#include "text/span.h"

#include <stdbool.h>

/* What is known of a recipient, as mailboxes (spec/mailbox.h). */
struct recipient {
    struct span mailbox; /* of RCPT's argument, or of an address of a field */
    /* What the MTA made of it: {rcpt_addr}, without a domain for a local mailbox of Sendmail's;
     * empty where it says nothing. */
    struct span mta_mailbox;
};

struct recipient_list {
    const struct list *list; /* NULL: no list of ours */
    /* A list manager's list, found by the part before the delimiter only: mail for the list
     * manager, or for the list, which nobody but it knows. What the list names for something else
     * is no exception: mlmmj distributes mail for dev+help@ whose To has the list. */
    bool by_delimiter;
    /* The same, found only because the list manager's list names the address for something else, as
     * Mailman's dev-owner@: mail for people, which the list manager hands on with what it brings.
     */
    bool contact;
};

/* 0 or -1 (memory). */
int recipient_find_list(const struct settings *settings, const struct recipient *recipient,
                        struct arena *arena, struct recipient_list *out);

#endif

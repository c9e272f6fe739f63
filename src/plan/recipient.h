/*
 * recipient - which list of ours a recipient is (RULINGS 21)
 *
 * Pure; any thread.
 */
#ifndef MLMILTER_PLAN_RECIPIENT_H
#define MLMILTER_PLAN_RECIPIENT_H

#include "config/settings.h"
#include "text/span.h"

#include <stdbool.h>

/* What is known of a recipient, as mailboxes (spec/mailbox.h). */
struct recipient {
    struct span mailbox; /* of RCPT's argument, or of an address of a field */
    /* {rcpt_addr}, the MTA's own form; without a domain for a local mailbox of Sendmail's; empty if
     * the MTA says nothing. */
    struct span mta_mailbox;
};

struct recipient_list {
    const struct list *list; /* NULL: no list of ours */
    /* Only the part before the delimiter is the address of this list manager's list, or `contact`:
     * nobody but the list manager knows for whom the mail is. */
    bool by_delimiter;
    bool contact; /* a command address of the list: mail for a person, such as Mailman's dev-owner@
                   */
};

/* Finds the list of a recipient: by its address, whole and then up to the delimiter, or by a
 * command address of the list. */
struct recipient_list recipient_find_list(const struct settings *settings,
                                          const struct recipient *recipient);

#endif

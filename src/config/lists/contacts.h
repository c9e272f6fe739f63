/*
 * contacts - addresses that a list names for other things than posts (RULINGS 12, 21)
 *
 * A message with dev+owner@ in To is not addressed to the list, although the part
 * before the delimiter is the list's.  Pure; any thread.
 */
#ifndef MLMILTER_CONFIG_LISTS_CONTACTS_H
#define MLMILTER_CONFIG_LISTS_CONTACTS_H

#include "config/lists/list.h"
#include "config/lists/list_index.h"
#include "text/arena.h"
#include "text/span.h"

#include <stdbool.h>

/* Is the mailbox (spec/mailbox.h) one of the list's command addresses, or in a mailto: of its help,
 * subscribe, unsubscribe or owner items? What names the recipient is not looked at. 0 or -1
 * (memory). */
int list_names_contact(const struct list *list, struct span mailbox, struct arena *arena,
                       bool *named);

/* The list manager's list that names the mailbox so, if the mailbox is made of the list's address
 * as theirs are: "dev-..." or "dev+..." or "owner-dev". *list is NULL when there is none. 0 or -1.
 */
int list_by_contact(const struct list_index *index, struct span mailbox, struct arena *arena,
                    const struct list **list);

/* Is it in a mailto: of the owner items? 0 or -1. */
int list_names_owner(const struct list *list, struct span mailbox, struct arena *arena,
                     bool *named);

#endif

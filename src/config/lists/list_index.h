/*
 * list_index - finding a list in constant time
 *
 * Filled while a configuration is read, by one thread; then read by any number.
 * Lists and their texts are borrowed.
 */
#ifndef MLMILTER_CONFIG_LISTS_LIST_INDEX_H
#define MLMILTER_CONFIG_LISTS_LIST_INDEX_H

#include "text/span.h"
#include "text/strmap.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct list;

/* Octets of the longest address that a list may have (RFC 5321 4.5.3.1.3: a path of 256 with its
 * brackets). */
#define LIST_ADDRESS_MAX 254

struct list_index {
    struct list **lists; /* in the order of the configuration */
    size_t count;
    size_t capacity;
    struct strmap by_id;
    struct strmap by_address;         /* address and aliases; also names without a domain */
    struct strmap by_name;            /* local parts of addresses: for MTAs that tell no domain */
    struct strmap shared_names;       /* those that several lists have */
    struct strmap by_command_address; /* command_addresses without a word before them */
    struct strmap by_from_address;    /* those with "from:" or "always:": of From alone */
    struct strmap by_always_address;  /* those with "always:" */
    struct strmap by_sender;          /* `senders` of select = "sender" lists */
    size_t longest_from_local;        /* octets of the longest local part in by_from_address */
    size_t recipient_lists;           /* how many have select = "recipient" */
    bool derives_senders;             /* a select = "sender" list without `senders` is there */
};

void list_index_init(struct list_index *index, uint64_t seed);
void list_index_free(struct list_index *index);

/* Adds a list by its id. 0; 1: *other has this id already; -1: out of memory. */
int list_index_add(struct list_index *index, struct list *list, struct list **other);

/* Adds another way to find a list. Addresses are mailboxes (spec/mailbox.h). Returns as
 * list_index_add; a text that leads to the same list already is no error. A command address of
 * any kind is one list's alone. */
int list_index_add_address(struct list_index *index, struct span address, struct list *list,
                           struct list **other);
/* The local part of the list's address; several lists may have one. 0 or -1 (memory). */
int list_index_add_name(struct list_index *index, struct span name, struct list *list);
int list_index_add_command_address(struct list_index *index, struct span address, struct list *list,
                                   struct list **other);
int list_index_add_from_address(struct list_index *index, struct span address, struct list *list,
                                struct list **other);
/* An address that is in by_from_address. 0 or -1 (memory). */
int list_index_add_always_address(struct list_index *index, struct span address, struct list *list);
int list_index_add_sender(struct list_index *index, struct span address, struct list *list,
                          struct list **other);

/* NULL when there is none. */
const struct list *list_by_id(const struct list_index *index, struct span id);
const struct list *list_by_address(const struct list_index *index, struct span address);

/* The same of local@domain. */
const struct list *list_at_address(const struct list_index *index, struct span local,
                                   struct span domain);

/* The list of a local mailbox of Sendmail's, which is told without its domain: the one that has the
 * name among its aliases, else the only one with this local part (RULINGS 21). */
const struct list *list_by_name(const struct list_index *index, struct span name);

const struct list *list_by_command_address(const struct list_index *index, struct span address);
const struct list *list_by_from_address(const struct list_index *index, struct span address);

/* The list with a "from:" address whose local part stands before a "+" in this one's, in the same
 * domain: the longest wins. With `wanted`, only that list counts (RULINGS 12). */
const struct list *list_by_from_token(const struct list_index *index, struct span address,
                                      const struct list *wanted);

/* Is the address an "always:" one of that list, itself or with a token? */
bool list_always_commands(const struct list_index *index, const struct list *list,
                          struct span address);

/* The select = "sender" list of an envelope sender: by `senders`, else the one with the longest
 * address that the sender is derived from and that has no `senders` (RULINGS 69, 75). */
const struct list *list_by_sender(const struct list_index *index, struct span sender);

/* Is sender derived from an address of the list (RULINGS 19)? Same domain, and the local part is
 * the list's followed by "-" or "+" and anything, or "owner-" followed by it. Octets of the longest
 * such address; 0: no. */
size_t list_derives_sender(const struct list *list, struct span sender);

#endif

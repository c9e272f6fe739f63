/*
 * list_index - finding a list in constant time
 *
 * One thread fills it while a configuration is read; then any number of threads may read it.  Lists
 * and their texts are borrowed.
 */
#ifndef MLMILTER_CONFIG_LISTS_LIST_INDEX_H
#define MLMILTER_CONFIG_LISTS_LIST_INDEX_H

#include "text/span.h"
#include "text/strmap.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct list;

/* Bytes of the longest address of a list (RFC 5321 4.5.3.1.3: a path of 256 with its brackets). */
#define LIST_ADDRESS_MAX 254

/* The ways to find a list: one map each. Addresses are mailboxes (spec/mailbox.h). */
enum list_way {
    LIST_BY_ID,
    LIST_BY_ADDRESS,        /* address and aliases; also names without a domain */
    LIST_BY_NAME,           /* local parts of addresses: for MTAs that give no domain */
    LIST_BY_SHARED_NAME,    /* names that several lists have */
    LIST_BY_COMMAND,        /* command_addresses without a word before them */
    LIST_BY_COMMAND_FROM,   /* those with "from:" or "always:": of From alone */
    LIST_BY_COMMAND_ALWAYS, /* those with "always:" */
    LIST_BY_SENDER,         /* `senders` */
    LIST_WAYS
};

/* A text that leads to a list. */
struct list_key {
    enum list_way way;
    struct span text;
};

struct list_index {
    struct list **lists; /* in the order of the configuration */
    size_t count, capacity;
    struct strmap ways[LIST_WAYS];
    size_t longest_from_local; /* bytes of the longest local part in LIST_BY_COMMAND_FROM */
    size_t recipient_lists;    /* how many have select = "recipient" */
    bool has_mark;
    struct list_key *keys; /* what was added since the last mark, to be removed again */
    size_t key_count, key_capacity;
};

void list_index_init(struct list_index *index, uint64_t seed);
void list_index_free(struct list_index *index);

/* Adds a list by its id. Returns NULL, or the list that has this id already. */
struct list *list_index_add(struct list_index *index, struct list *list);

/* Adds another way to find a list. LIST_BY_COMMAND and LIST_BY_COMMAND_FROM share their addresses;
 * a name (LIST_BY_NAME) may be that of several lists. Returns NULL, or the other list that the text
 * leads to already. */
struct list *list_index_put(struct list_index *index, enum list_way way, struct span text,
                            struct list *list);

/* Marks the index as it is, and returns the number of its lists; removes all lists after this
 * number that were added since the last mark. */
size_t list_index_mark(struct list_index *index);
void list_index_rewind(struct list_index *index, size_t count);

/* Return the list that a text, or an address in two parts, leads to in this way, or NULL. */
const struct list *list_get(const struct list_index *index, enum list_way way, struct span text);
const struct list *list_at(const struct list_index *index, enum list_way way, struct span local,
                           struct span domain);

/* Returns the list of a local mailbox of Sendmail, which is given without its domain: the list with
 * this alias, else the only one with this local part (RULINGS 21). */
const struct list *list_by_name(const struct list_index *index, struct span name);

/* Returns the list with a "from:" or "always:" address whose local part is before a "+" in this
 * one's, in the same domain: the longest wins. If `wanted` is not NULL, only that list counts
 * (RULINGS 12). */
const struct list *list_by_token(const struct list_index *index, enum list_way way,
                                 struct span address, const struct list *wanted);

/* True if the address is an "always:" one of that list, itself or with a token. */
bool list_always_commands(const struct list_index *index, const struct list *list,
                          struct span address);

/* Returns the select = "sender" list of an envelope sender: by `senders`, else the one without
 * `senders` with the longest address that the sender is derived from (RULINGS 69, 75). */
const struct list *list_by_sender(const struct list_index *index, struct span sender);

/* True if the envelope sender is the list's: one of its `senders`, or derived from its address. */
bool list_has_sender(const struct list_index *index, const struct list *list, struct span sender);

/* Returns the length of the longest address of the list that the sender is derived from, or 0: in
 * the same domain, its local part with "-" or "+" and anything after it, or with "owner-" before it
 * (RULINGS 19). */
size_t list_derives_sender(const struct list *list, struct span sender);

#endif

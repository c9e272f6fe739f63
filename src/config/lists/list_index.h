/*
 * list_index - finds a list by its names, in constant time but for patterns of senders
 *
 * One thread fills it while a configuration is read; then any number of threads may read it.  Lists
 * and their texts are borrowed.  Addresses are mailboxes (spec/mailbox.h).
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

/* The ways to find a list: one map each. */
enum list_way {
    LIST_BY_ID,
    LIST_BY_ADDRESS,        /* address and aliases; also names without a domain */
    LIST_BY_NAME,           /* local parts of the administrator's addresses */
    LIST_BY_CONTACT_NAME,   /* local parts of contacts: for list_contact_by_name */
    LIST_BY_LOCAL,          /* all local parts, if there are delegates: for list_contesting */
    LIST_BY_OTHERS_LOCAL,   /* those that lists of another owner have, too */
    LIST_BY_COMMAND,        /* command_addresses without a word before them */
    LIST_BY_COMMAND_FROM,   /* those with "from:" or "always:": of From alone */
    LIST_BY_COMMAND_ALWAYS, /* those with "always:" */
    LIST_BY_SENDER,         /* `senders`, in which a "*" may be */
    LIST_WAYS,
    LIST_BY_ANY_COMMAND = LIST_WAYS /* LIST_BY_COMMAND or LIST_BY_COMMAND_FROM; to ask only */
};

/* The senders with "*" of all lists of an owner with select = "sender", which are tried one after
 * another (RULINGS 113). */
#define LIST_PATTERNS_MAX 1000

struct list_index {
    const struct list_index *others; /* NULL; or, of one file, the lists of all files before it */
    struct list **lists;             /* in the order of the configuration */
    size_t count, capacity;
    struct strmap ways[LIST_WAYS];
    size_t recipient_lists; /* how many have select = "recipient" */
    struct sender_pattern {
        struct span text;
        const struct list *list;
    } * patterns;
    size_t pattern_count, pattern_capacity;
};

void list_index_init(struct list_index *index, uint64_t seed);
void list_index_free(struct list_index *index);

/* Adds a list by its id. Returns NULL, or the list that has this id already. */
struct list *list_index_add(struct list_index *index, struct list *list);

/* Adds another way to find a list. LIST_BY_COMMAND and LIST_BY_COMMAND_FROM share their addresses.
 * Returns NULL, or the other list that the text leads to already. */
struct list *list_index_put(struct list_index *index, enum list_way way, struct span text,
                            struct list *list);

/* Adds a sender with "*" of a list with select = "sender". Returns false if there are too many. */
bool list_index_add_pattern(struct list_index *index, struct span text, const struct list *list);

/* Adds the lists of an index, with all ways to find them, to its `others`. */
void list_index_join(struct list_index *index, const struct list_index *from);

/* Returns the memory of the index itself. */
size_t list_index_bytes(const struct list_index *index);

/* Adds the names of all lists, after the last one was added. */
void list_index_finish(struct list_index *index);

/* Return the list that a text, or LOCAL@DOMAIN, leads to in this way, or NULL. */
const struct list *list_get(const struct list_index *index, enum list_way way, struct span text);
const struct list *list_at(const struct list_index *index, enum list_way way, struct span local,
                           struct span domain);

/* Returns the list with this alias without a domain, else the only one of the administrator's with
 * this local part and without such an alias, or NULL (RULINGS 21). */
const struct list *list_by_name(const struct list_index *index, struct span name);

/* Returns the list with a command address before a "+" of this one: list+TOKEN@. The longest wins;
 * if `wanted` is not NULL, only that list counts (RULINGS 12). */
const struct list *list_by_token(const struct list_index *index, enum list_way way,
                                 struct span address, const struct list *wanted);

/* True if the address is an "always:" one of that list, itself or with a token. */
bool list_always_commands(const struct list_index *index, const struct list *list,
                          struct span address);

/* Returns the list, of any `select`, with this contact: a command address that is derived from an
 * address of the list ("dev-...", "dev+..." or "owner-dev"), or NULL (RULINGS 112, 129). */
const struct list *list_contact_at(const struct list_index *index, struct span local,
                                   struct span domain);

/* Returns the administrator's list with a contact that has this local part; of several an alias
 * list, else the first in the configuration. */
const struct list *list_contact_by_name(const struct list_index *index, struct span name);

/* Returns a list of another owner than the delegate's list that has the local part in its address,
 * an alias or a command address, or NULL (RULINGS 111). */
const struct list *list_contesting(const struct list_index *index, const struct list *list,
                                   struct span local);

/* Return the length of the longest address of the list that the mailbox is derived from, or 0: in
 * the same domain, its local part with "-" or "+" and anything after it, or with "owner-" before it
 * (RULINGS 19). */
size_t list_derives(const struct list *list, struct span local, struct span domain);
size_t list_derives_sender(const struct list *list, struct span sender);

/* Returns the list with select = "sender" of an envelope sender: by an entry of `senders` without
 * "*"; else by the longest of the entries with one that fit, and of the addresses of lists without
 * `senders` that the sender is derived from (RULINGS 69, 75, 113). */
const struct list *list_by_sender(const struct list_index *index, struct span sender);

/* True if the sender is an address of another list, a bare name or a contact of one, or derived
 * from one with a longer local part than the list has for it. For a sender with "*", its other
 * characters count. */
bool list_sender_is_others(const struct list_index *index, const struct list *list,
                           struct span sender);

/* True if the envelope sender is the list's: one of `senders`, or derived from an address of the
 * list, and not another list's (RULINGS 100, 113). */
bool list_has_sender(const struct list_index *index, const struct list *list, struct span sender);

#endif

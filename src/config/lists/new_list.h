/*
 * new_list - a list that is being built
 *
 * For the files of this folder: each sets and checks some keys of a list.
 */
#ifndef MLMILTER_CONFIG_LISTS_NEW_LIST_H
#define MLMILTER_CONFIG_LISTS_NEW_LIST_H

#include "config/lists/build.h"

struct new_list {
    struct list_builder *b;
    struct list *list;
    struct section own;
    struct sources from;
    struct variable_values values; /* of the list, as far as they are known */
    bool is_wrong;                 /* an error has been reported */
    bool address_is_wrong;         /* and it is about the address */
};

/* Fills *n for the list of a section, whose texts are compiled. */
void new_list_init(struct new_list *n, struct list_builder *b, const struct section *section,
                   struct list *list);

/* Reports an error in an entry of one of the sources, with its text and the detail for "$1"; one in
 * `defaults` is reported once. Returns false. */
bool report_wrong(struct new_list *n, const struct entry *entry, enum remark remark,
                  const char *detail);

/* Reports an error in the line of a key in the list's own section, or else in its first. */
void report_list(struct new_list *n, enum key key, struct span value, enum remark remark,
                 const char *const *with);

/* True if the list has all values of VARS_LIST that an entry needs; else reports a missing one. */
bool has_values(struct new_list *n, const struct entry *entry, uint64_t needs);

/* True if the domain is within the bounds of the list, or it has none. */
bool in_bounds(const struct new_list *n, struct span domain);

/* Returns the word before a command address, and removes it from *text (RULINGS 12). */
enum command_kind { COMMAND_PLAIN, COMMAND_FROM, COMMAND_ALWAYS };
enum command_kind command_kind_of(struct span *text);

/* Returns the variables of VARS_RECIPIENT that a request for the URI contains: whole, and before
 * "#" (RFC 8058 3.1). */
uint64_t recipient_requested(const struct template *uri);

/* Return the texts from the sources of a list, and the lists above it, or NULL. Without a list,
 * those of `defaults`. */
const struct list_texts *make_list_texts(const struct new_list *n);
struct nesting *make_nesting(struct new_list *n);

/* The steps of building a list, in their order: all choices and switches; the address and its
 * variables; texts of fields; other addresses, which also go into the index; `keep`;
 * numbers and the store; whether `select` has its addresses. */
void build_policies(struct new_list *n);
void build_address(struct new_list *n);
void build_fields(struct new_list *n);
void build_ways(struct new_list *n);
void build_keep(struct new_list *n);
void build_store(struct new_list *n);
void check_select(struct new_list *n);

/* Reports the hints about a list that is right. */
void report_hints(struct new_list *n);

#endif

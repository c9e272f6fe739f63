/*
 * new_list - a list that is being built, and what its parts share
 *
 * For the files of this folder.  Each part sets and checks some keys.
 */
#ifndef MLMILTER_CONFIG_LISTS_NEW_LIST_H
#define MLMILTER_CONFIG_LISTS_NEW_LIST_H

#include "config/lists/build.h"

/* A text with variables. A command address is without "from:" or "always:". */
struct compiled_text {
    struct list_text of;
    bool is_safe;   /* it is right with every list whose id, address and archive are plain */
    enum hint hint; /* about the text itself */
};

/* The word before a command address. */
enum command_kind { COMMAND_PLAIN, COMMAND_FROM, COMMAND_ALWAYS };

/* Returns that word, which is removed from *text (RULINGS 12). */
enum command_kind command_kind_of(struct span *text);

/* Returns a copy of a section in the arena, whose texts are compiled. Reports errors. */
struct section section_compile(const struct section *section, const struct list_context *given,
                               struct arena *arena, struct diagnostics *diagnostics);

struct new_list {
    struct list_builder *b;
    struct list *list;
    struct section own;
    struct sources from;
    struct variable_values values; /* of the list, as far as they are known */
    bool is_wrong;                 /* an error has been reported */
    bool address_is_wrong;         /* and it is about the address */
};

/* Reports an error in an entry of one of the sources, with its text; one in `defaults` is reported
 * once. Returns false. */
bool report_wrong(struct new_list *n, const struct entry *entry, const char *fault);

/* Reports an error in the line of a key in the list's own section, or else in its first. */
void report_list(struct new_list *n, enum key key, struct span value, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Reports a hint about an entry, with its text. */
void hint_entry(struct new_list *n, enum hint hint, const struct entry *entry);

/* True if the list has the values of VARS_LIST among these variables of an entry; else reports it.
 */
bool has_values(struct new_list *n, const struct entry *entry, uint64_t needs);

/* True if the domain is within the bounds of the list, or it has none. */
bool in_bounds(const struct new_list *n, struct span domain);

/* Sets the address, and the variables that come from it. */
void build_address(struct new_list *n);

/* Adds the list to the index by its addresses, senders and command addresses. */
void build_ways(struct new_list *n);

/* Bytes of the longest plain value of a list: one that means itself in a URI. */
#define PLAIN_MAX 255

/* Sets the texts of List-* fields and of Archived-At. */
void build_fields(struct new_list *n);

/* Returns the texts of List-* fields and of Archived-At from the sources of the list. */
const struct list_texts *make_list_texts(const struct new_list *n);

void build_nesting(struct new_list *n);

/* Sets all that is a choice or a boolean. */
void build_policies(struct new_list *n);

/* Sets `keep`, and what the list wants of the store; checks that `select` has its addresses. */
void build_keep(struct new_list *n);
void build_store(struct new_list *n);
void check_select(struct new_list *n);

/* Returns what is unwise about a text itself, or HINT_NONE. */
enum hint text_hint(const struct list_context *given, enum key key, const struct list_text *text);

/* Reports the hints about a list without errors. */
void report_hints(struct new_list *n);

#endif

/*
 * draft - a list while it is being built
 *
 * Shared by list_build, list_items, list_enter, list_hints and the other list_*; nobody else needs
 * it.
 */
#ifndef MLMILTER_CONFIG_LISTS_DRAFT_H
#define MLMILTER_CONFIG_LISTS_DRAFT_H

#include "config/lists/build.h"
#include "config/lists/international.h"
#include "config/lists/texts.h"
#include "config/report/say.h"
#include "config/settings.h"

/* Where a list stands. */
struct list_origin {
    const char *file;
    int line;
    int parents_line; /* of its own `parents`; 0: it has none, or those of the defaults */
    const struct delegate *delegate; /* whose list it is; NULL: the administrator's */
};

/* What is wrong with a name in `keep` that is never kept (RULINGS 26). */
#define KEEP_FAULT                                                                                 \
    "cannot be kept, as its specification has it removed from every post (expected one such as "   \
    "\"List-Unsubscribe\" or \"Archived-At\")"

struct list_draft {
    struct list_builder *builder;
    const struct raw_section *raw;
    struct list *list;             /* in the arena of the settings */
    struct variable_values values; /* of the list, as far as they are known */
    struct configured_address address;
    bool wrong;         /* an error has been reported */
    bool address_wrong; /* and it is about the address */
    bool too_many;      /* a key has too many values: none is looked at */
    struct config_texts own[KEY_COUNT];
};

/* The texts that count for a key: the list's own, else those of the defaults. */
const struct config_texts *draft_texts(const struct list_draft *draft, enum key key);

/* Where one of the texts stands. */
struct place draft_place(const struct list_draft *draft, enum key key,
                         const struct config_texts *texts, const struct config_text *text);

/* The line of a key in the list's section, or of the section when it is not there. */
int draft_line(const struct list_draft *draft, enum key key);

/* An error about a text. Always 1. */
int draft_wrong(struct list_draft *draft, enum key key, const struct config_texts *texts,
                const struct config_text *text, const char *fault);

/* The same for a key without variables: is its value the list's own, where does it stand (line 0:
 * nowhere), an error about the key as a whole. */
bool draft_is_own(const struct list_draft *draft, enum key key);
struct place draft_key_place(const struct list_draft *draft, enum key key);
void draft_key_wrong(struct list_draft *draft, enum key key, const char *fault);

/* The same for one of its values. */
void draft_item_wrong(struct list_draft *draft, enum key key, const struct raw_item *item,
                      const char *fault);

/* Puts the list's values into a template of a text. 0; 1: a value is missing, complained about
 * ({archive} is no complaint: it stays in out->needs); -1. */
int draft_bind(struct list_draft *draft, enum key key, const struct config_texts *texts,
               const struct config_text *text, const struct template *in, enum template_kind kind,
               struct arena *arena, struct template *out);

/* Binds and checks an address, which then lives in the arena of the settings. An alias may be a
 * name without a domain. 0, 1: wrong, and complained about; -1. */
int draft_bind_address(struct list_draft *draft, enum key key, const struct config_texts *texts,
                       const struct config_text *text, struct configured_address *address);

/* An error about the title of a list, which list_id_fault refuses. */
void list_builder_wrong_id(const struct list_builder *b, const struct raw_section *raw);

/* Enters the list into the index by its id. 0; 1: the id is taken, complained about; -1. */
int draft_enter_id(struct list_draft *draft);

/* The same by its address, its senders and its command addresses; also sets those of the list. 0 or
 * -1 (memory). */
int draft_enter_addresses(struct list_draft *draft);

/* Builds what comes from the items of List-* fields, and from archived_at. 0 or -1 (memory). */
int draft_items(struct list_draft *draft);
int draft_archived_at(struct list_draft *draft);

/* Sets what the list wants of the store; needs the templates of archived_at. */
void draft_numbers(struct list_draft *draft);

/* Sets the lists above this one. 0 or -1 (memory). */
int draft_nesting(struct list_draft *draft);

/* Which of VARS_RECIPIENT a request for the URI tells: whole, and not behind "#" (RFC 8058 3.1). */
uint64_t recipient_requested(const struct template *uri);

/* Checks unsubscribe_one_click against the items of `unsubscribe`. */
void draft_one_click(struct list_draft *draft);

/* Does the domain lie in those of the delegate whose list this is? 1 also when it is nobody's; 0;
 * -1 (memory). */
int draft_in_domains(struct list_draft *draft, struct span domain);

/* Checks the name space of the list's id, and its parents, against these domains. draft_check_id:
 * 0, 1: wrong, and complained about, -1; the other one 0 or -1. */
int draft_check_id(struct list_draft *draft);
int draft_check_parents(struct list_draft *draft);

/* The hints about a list without errors. */
void draft_hints(struct list_draft *draft);

#endif

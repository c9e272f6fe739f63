/*
 * draft - a list while it is being built, and what is said about it
 *
 * For the files of this folder that build a part of a list.
 */
#ifndef MLMILTER_CONFIG_LISTS_DRAFT_H
#define MLMILTER_CONFIG_LISTS_DRAFT_H

#include "config/lists/build.h"
#include "config/lists/texts.h"
#include "config/report/say.h"

struct configured_address {
    struct span text;    /* as written */
    struct span mailbox; /* as addresses are compared: spec/mailbox.h */
};

struct list_draft {
    struct list_builder *builder;
    const struct raw_section *raw;
    bool has_own; /* a value of any key; else all that the list has is of the defaults */
    const struct preset *preset;   /* what its `manager` stands for; NULL: it has none */
    struct list *list;             /* in the arena of the settings */
    struct variable_values values; /* of the list, as far as they are known */
    struct configured_address address;
    bool wrong;            /* an error has been reported */
    bool address_wrong;    /* and it is about the address */
    bool unsubscribe_made; /* List-Unsubscribe has items, and no error */
    size_t hints;          /* that the list has given */
    struct config_texts own[KEY_COUNT];
};

/* Where the value of a key comes from (RULINGS 90). */
enum value_source { FROM_LIST, FROM_DEFAULTS, FROM_MANAGER, BUILT_IN };
enum value_source draft_source(const struct list_draft *draft, enum key key);

/* The section that a key falls back to which the list does not have: `defaults`, or what its
 * manager stands for. */
const struct raw_section *draft_fallback(const struct list_draft *draft, enum key key);

/* The texts that count for a key, from where draft_source says. */
const struct config_texts *draft_texts(const struct list_draft *draft, enum key key);

/* The value that counts for a key without variables; NULL: none, or it is wrong. */
const struct raw_value *draft_value(const struct list_draft *draft, enum key key);

/* What the value of a key with a built-in default means. */
bool draft_bool(const struct list_draft *draft, enum key key);
int draft_choice(const struct list_draft *draft, enum key key);

/* Has the list a value of its own for the key? */
bool draft_is_own(const struct list_draft *draft, enum key key);

/* The line of a key in the list's section, or of the section when it is not there. */
int draft_line(const struct list_draft *draft, enum key key);

/* Where the value of a key stands (line 0: nowhere). */
struct place draft_key_place(const struct list_draft *draft, enum key key);

/* Reports what is wrong with a text, with a key as a whole, with one value of a key without
 * variables. draft_wrong returns false, for its caller to return. */
bool draft_wrong(struct list_draft *draft, const struct config_text *text, const char *fault);
void draft_key_wrong(struct list_draft *draft, enum key key, const char *fault);
void draft_item_wrong(struct list_draft *draft, enum key key, const struct raw_item *item,
                      const char *fault);

/* A hint, which lists may share (config/report/hint_groups.h): about a text, a key as a
 * whole, where the list or else the defaults have it, and the list, in which the key may be
 * missing. One of the defaults is told once. what: static, one text for each hint. */
void draft_hint(struct list_draft *draft, const struct config_text *text, const char *what);
void draft_hint_key(struct list_draft *draft, enum key key, const char *what);
void draft_hint_list(struct list_draft *draft, enum key key, const char *what);

/* True if the list has all values of VARS_LIST that a template of the text needs. */
bool draft_has_values(struct list_draft *draft, const struct config_text *text,
                      const struct template *t);

/* Returns the text with the list's values, in the scratch arena. */
struct span draft_expand(struct list_draft *draft, const struct template *t);

/* True if the text makes URIs that fit into the field, with samples for the values of messages. */
bool draft_try(struct list_draft *draft, const struct config_text *text, enum field_name name);

/* True if the domain is within the bounds of the list, or the list has none. */
bool draft_in_bounds(struct list_draft *draft, struct span domain);

#endif

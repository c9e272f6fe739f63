/*
 * schema - the one table of all keys and sections of the configuration
 *
 * A row says where a key may stand, what kind of value it has, and its built-in
 * default.
 */
#ifndef MLMILTER_CONFIG_SYNTAX_SCHEMA_H
#define MLMILTER_CONFIG_SYNTAX_SCHEMA_H

#include "text/span.h"

#include <stdbool.h>
#include <stddef.h>

/* In the order of sections. */
enum key {
    /* of the main file */
    KEY_SOCKET,
    KEY_LISTS,
    KEY_TRUSTED,
    KEY_USER,
    KEY_SOCKET_GROUP,
    KEY_SOCKET_MODE,
    KEY_PID_FILE,
    KEY_SYSLOG_FACILITY,
    KEY_DRY_RUN,
    KEY_STORE,
    KEY_METRICS,
    KEY_TOKEN_KEY_FILE,
    KEY_WATCH,
    KEY_RECIPIENT_DELIMITER,
    /* sections */
    KEY_LIST,
    KEY_DEFAULTS,
    KEY_DELEGATE,
    KEY_TOKEN,
    /* of `list` and `defaults` */
    KEY_DESCRIPTION,
    KEY_ADDRESS,
    KEY_ALIASES,
    KEY_MANAGER,
    KEY_SELECT,
    KEY_SENDERS,
    KEY_HELP,
    KEY_SUBSCRIBE,
    KEY_UNSUBSCRIBE,
    KEY_POST,
    KEY_OWNER,
    KEY_ARCHIVE,
    KEY_ARCHIVED_AT,
    KEY_COMMAND_ADDRESSES,
    KEY_KEEP,
    KEY_MESSAGE_ID_HASH,
    KEY_HONOR_NO_ARCHIVE,
    KEY_MISSING_MESSAGE_ID,
    KEY_DUPLICATE_MESSAGE_ID,
    KEY_CROSSPOST,
    KEY_PRIVATE_RECIPIENTS,
    KEY_OVERSIGNED,
    KEY_LIST_ID_HASH,
    KEY_SEQUENCE,
    KEY_ALT_MESSAGE_ID,
    KEY_UNSUBSCRIBE_ONE_CLICK,
    KEY_PARENTS,
    KEY_PARENT_SOURCES,
    KEY_REPLACE_POST,
    KEY_SEQUENCE_FROM,
    KEY_ARCHIVED_AT_REQUIRES,
    KEY_REUSED_MESSAGE_ID,
    KEY_ON_STORE_FAILURE,
    /* of `token` */
    KEY_DIGEST,
    KEY_OF,
    KEY_ENCODING,
    KEY_PADDING,
    /* of `delegate` */
    KEY_FILES,
    KEY_DOMAINS,
    KEY_LISTS_MAX,
    KEY_COUNT
};

enum key_section {
    SECTION_MAIN,
    SECTION_LIST /* and `defaults` */,
    SECTION_TOKEN,
    SECTION_DELEGATE
};

enum key_kind {
    KIND_TEXT,  /* one text */
    KIND_TEXTS, /* any number of texts in braces, or one without */
    KIND_BOOL,
    KIND_CHOICE,        /* one of a few words */
    KIND_SECTION,       /* name { ... } */
    KIND_TITLED_SECTION /* name title { ... } */
};

/* Octets of the name of a token or a delegate. */
#define SECTION_NAME_MAX 64

struct schema_key {
    const char *name;
    enum key_section section; /* a section keyword: SECTION_MAIN */
    enum key_kind kind;
    const char *fallback; /* built-in default; several texts are separated by LF; NULL: none */
    const char *const *choices; /* KIND_CHOICE: ends in NULL, in the order of the enum it means */
};

extern const struct schema_key schema[KEY_COUNT];

/* The key of that name in the section; KEY_COUNT when there is none. */
enum key schema_find(enum key_section section, struct span name);

/* True if the key is `list`, `defaults`, `delegate` or `token`. KEY_COUNT is none. */
bool schema_is_section(enum key key);

/* Returns the part of the table that has the keys of a section; of anything else SECTION_MAIN. */
enum key_section schema_keys_in(enum key section);

/* The name in that section that name was probably meant to be; NULL when none is near. */
const char *schema_nearest(enum key_section section, struct span name);

/* The index of text in the key's choices, or -1. Letter case does not matter. */
int schema_choice(enum key key, struct span text);

/* The choice that text was probably meant to be; NULL when none is near, or two are alike. */
const char *schema_nearest_choice(enum key key, struct span text);

/* true/yes/on, false/no/off in any letter case. false: text is none of them. */
bool schema_bool(struct span text, bool *value);

#endif

/*
 * schema - the one table of all keys and sections of the configuration
 */
#ifndef MLMILTER_CONFIG_READ_SCHEMA_H
#define MLMILTER_CONFIG_READ_SCHEMA_H

#include "config/read/choices.h"
#include "config/read/remarks.h"
#include "mail/field_name.h"
#include "text/span.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A row of a key is its member of enum key, its struct schema_key (schema.c), and, of a list's
 * switch or choice, the member of struct list that has its name (lists/policies.c), so that they
 * cannot differ. Columns: key, name, section (MAIN for the name of a section), kind, other members.
 */
/* clang-format off */
#define SCHEMA(ROW) \
    ROW(KEY_SOCKET, socket, MAIN, KIND_TEXT, ONE("unix:" RUN("mlmilter.sock")), .check = socket_fault, .hint = socket_hint, .also = "listen") \
    ROW(KEY_LISTS, lists, MAIN, KIND_TEXTS, ONE("lists.d/*.conf"), .check = pattern_fault) \
    ROW(KEY_TRUSTED, trusted, MAIN, KIND_TEXTS, SOME(trusted), .check = trust_fault, .hint = trust_hint) \
    ROW(KEY_USER, user, MAIN, KIND_TEXT, ONE("mlmilter"), .check = account_fault) \
    ROW(KEY_SOCKET_GROUP, socket_group, MAIN, KIND_TEXT, .check = account_fault, .also = "group") \
    ROW(KEY_SOCKET_MODE, socket_mode, MAIN, KIND_TEXT, ONE("0660"), .check = mode_fault, .hint = mode_hint, .also = "mode") \
    ROW(KEY_PID_FILE, pid_file, MAIN, KIND_TEXT, ONE(RUN("mlmilter.pid")), .check = file_fault) \
    ROW(KEY_SYSLOG_FACILITY, syslog_facility, MAIN, KIND_CHOICE, OF(FACILITY_CHOICE, "mail")) \
    ROW(KEY_DRY_RUN, dry_run, MAIN, KIND_BOOL, ONE("false")) \
    ROW(KEY_STORE, store, MAIN, KIND_TEXT, ONE("sqlite:" LIB("mlmilter.db")), .also = "database") \
    ROW(KEY_METRICS, metrics, MAIN, KIND_TEXT, .check = file_fault) \
    ROW(KEY_TOKEN_KEY_FILE, token_key_file, MAIN, KIND_TEXT, .check = file_fault) \
    ROW(KEY_WATCH, watch, MAIN, KIND_BOOL, ONE("false")) \
    ROW(KEY_RECIPIENT_DELIMITER, recipient_delimiter, MAIN, KIND_TEXT, ONE("+"), .check = delimiter_fault) \
    ROW(KEY_LIST, list, MAIN, KIND_TITLED_SECTION) \
    ROW(KEY_DEFAULTS, defaults, MAIN, KIND_SECTION) \
    ROW(KEY_DELEGATE, delegate, MAIN, KIND_TITLED_SECTION) \
    ROW(KEY_TOKEN, token, MAIN, KIND_TITLED_SECTION) \
    ROW(KEY_DESCRIPTION, description, LIST, KIND_TEXT, .variables = VARS_LIST, .missing = HINT_NO_DESCRIPTION, .also = "name title desc list_name display_name") \
    ROW(KEY_ADDRESS, address, LIST, KIND_TEXT, .variables = VARS_LIST & ~VARS_ADDRESS, .missing = HINT_NO_ADDRESS, .also = "email mail list_address posting_address") \
    ROW(KEY_ALIASES, aliases, LIST, KIND_TEXTS, .variables = VARS_LIST) \
    ROW(KEY_MANAGER, manager, LIST, KIND_CHOICE, .choices = WORDS(MANAGER_CHOICE), .also = "type") \
    ROW(KEY_SELECT, select, LIST, KIND_CHOICE, OF(SELECT_CHOICE, "list-id"), .missing = HINT_NO_SELECT) \
    ROW(KEY_SENDERS, senders, LIST, KIND_TEXTS, .variables = VARS_LIST) \
    ROW(KEY_HELP, help, LIST, KIND_TEXTS, .field = FIELD_LIST_HELP, .variables = VARS_LIST, .hint = item_hint) \
    ROW(KEY_SUBSCRIBE, subscribe, LIST, KIND_TEXTS, .field = FIELD_LIST_SUBSCRIBE, .variables = VARS_LIST, .hint = item_hint, .also = "join") \
    ROW(KEY_UNSUBSCRIBE, unsubscribe, LIST, KIND_TEXTS, .field = FIELD_LIST_UNSUBSCRIBE, \
        .variables = VARS_LIST | VARS_RECIPIENT, .hint = item_hint, .missing = HINT_NO_UNSUBSCRIBE, .also = "leave") \
    ROW(KEY_POST, post, LIST, KIND_TEXTS, .field = FIELD_LIST_POST, .variables = VARS_LIST, .hint = item_hint) \
    ROW(KEY_OWNER, owner, LIST, KIND_TEXTS, .field = FIELD_LIST_OWNER, .variables = VARS_LIST, .hint = item_hint, .also = "moderator admin") \
    ROW(KEY_ARCHIVE, archive, LIST, KIND_TEXTS, .field = FIELD_LIST_ARCHIVE, .variables = VARS_LIST, .hint = item_hint, .also = "archive_url archives") \
    ROW(KEY_ARCHIVED_AT, archived_at, LIST, KIND_TEXTS, .variables = VARS_URL, .hint = link_hint, .also = "permalink") \
    ROW(KEY_COMMAND_ADDRESSES, command_addresses, LIST, KIND_TEXTS, .variables = VARS_LIST) \
    ROW(KEY_KEEP, keep, LIST, KIND_TEXTS, .check = keep_fault, .hint = keep_hint) \
    ROW(KEY_MESSAGE_ID_HASH, message_id_hash, LIST, KIND_BOOL, ONE("true")) \
    ROW(KEY_HONOR_NO_ARCHIVE, honor_no_archive, LIST, KIND_BOOL, ONE("true")) \
    ROW(KEY_MISSING_MESSAGE_ID, missing_message_id, LIST, KIND_CHOICE, OF(MISSING_CHOICE, "add")) \
    ROW(KEY_DUPLICATE_MESSAGE_ID, duplicate_message_id, LIST, KIND_CHOICE, OF(DUPLICATE_CHOICE, "first")) \
    ROW(KEY_CROSSPOST, crosspost, LIST, KIND_CHOICE, OF(CROSSPOST_CHOICE, "defer")) \
    ROW(KEY_PRIVATE_RECIPIENTS, private_recipients, LIST, KIND_CHOICE, OF(PRIVATE_CHOICE, "stamp")) \
    ROW(KEY_OVERSIGNED, oversigned, LIST, KIND_CHOICE, OF(OVERSIGNED_CHOICE, "stamp")) \
    ROW(KEY_LIST_ID_HASH, list_id_hash, LIST, KIND_BOOL, ONE("false")) \
    ROW(KEY_SEQUENCE, sequence, LIST, KIND_BOOL, ONE("false")) \
    ROW(KEY_ALT_MESSAGE_ID, alt_message_id, LIST, KIND_BOOL, ONE("false")) \
    ROW(KEY_UNSUBSCRIBE_ONE_CLICK, unsubscribe_one_click, LIST, KIND_BOOL, ONE("false"), .also = "one_click") \
    ROW(KEY_PARENTS, parents, LIST, KIND_TEXTS, .check = parent_fault, .hint = parent_hint) \
    ROW(KEY_PARENT_SOURCES, parent_sources, LIST, KIND_TEXTS, .check = trust_fault, .hint = trust_hint) \
    ROW(KEY_REPLACE_POST, replace_post, LIST, KIND_BOOL, ONE("false")) \
    ROW(KEY_SEQUENCE_FROM, sequence_from, LIST, KIND_CHOICE, OF(SEQUENCE_CHOICE, "store")) \
    ROW(KEY_ARCHIVED_AT_REQUIRES, archived_at_requires, LIST, KIND_CHOICE, OF(ARCHIVED_AT_CHOICE, "any")) \
    ROW(KEY_REUSED_MESSAGE_ID, reused_message_id, LIST, KIND_CHOICE, OF(REUSED_CHOICE, "accept")) \
    ROW(KEY_ON_STORE_FAILURE, on_store_failure, LIST, KIND_CHOICE, OF(STORE_FAILURE_CHOICE, "tempfail")) \
    ROW(KEY_PRECEDENCE, precedence, LIST, KIND_BOOL, ONE("false")) \
    ROW(KEY_DIGEST, digest, TOKEN, KIND_TEXT) \
    ROW(KEY_OF, of, TOKEN, KIND_TEXT, .variables = VARS_TOKEN_OF) \
    ROW(KEY_ENCODING, encoding, TOKEN, KIND_CHOICE, OF(ENCODING_CHOICE, "base32")) \
    ROW(KEY_PADDING, padding, TOKEN, KIND_BOOL, ONE("false")) \
    ROW(KEY_FILES, files, DELEGATE, KIND_TEXTS, .check = delegated_pattern_fault) \
    ROW(KEY_DOMAINS, domains, DELEGATE, KIND_TEXTS) \
    ROW(KEY_LISTS_MAX, lists_max, DELEGATE, KIND_TEXT, ONE("10000"), .check = number_fault) \
    ROW(KEY_VIRTUAL, virtual, DELEGATE, KIND_BOOL, ONE("false"))
/* clang-format on */

#define SCHEMA_ENUM(key, ...) key,
enum key { SCHEMA(SCHEMA_ENUM) KEY_COUNT };

/* The keys of SECTION_LIST may be in `defaults`, too. */
enum key_section { SECTION_MAIN, SECTION_LIST, SECTION_TOKEN, SECTION_DELEGATE };

enum key_kind {
    KIND_TEXT,  /* one text */
    KIND_TEXTS, /* any number of texts in braces, or one without */
    KIND_BOOL,
    KIND_CHOICE,        /* one of a few words */
    KIND_SECTION,       /* name { ... } */
    KIND_TITLED_SECTION /* name title { ... } */
};

struct list_text;

/* One text of a value. */
struct entry {
    struct span text; /* without quotes and escapes; KEY = {} has one entry whose text.p is NULL */
    int line;         /* 0: it is in no file */
    enum key key;
    bool is_wrong;                    /* an error in it has been reported */
    const struct list_text *compiled; /* of a key with variables, without "from:" or "always:" */
};

#define ENTRY(key_, text_)                                                                         \
    {                                                                                              \
        .text = {text_, sizeof text_ - 1}, .key = key_                                             \
    }

struct schema_key {
    const char *name;
    enum key_section section;
    enum key_kind kind;
    const char *const *choices;   /* of KIND_CHOICE, in the order of the enum for them; then NULL */
    const struct entry *built_in; /* the value of a key that is not set; NULL: none */
    size_t built_in_count;
    enum field_name field; /* the List-* field whose items the values are, or FIELD_OTHER */
    uint64_t variables;    /* VAR_BITs of those that the texts may have (RULINGS 47) */

    /* Return what is wrong with a text, and what is unwise about one that is right (RULINGS 84), or
     * REMARK_NONE. NULL: the text alone shows nothing. */
    enum remark (*check)(struct span text);
    enum remark (*hint)(struct span text);
    enum remark missing; /* the hint about a list that does not have the key */
    const char *also;    /* names that others have for it, or NULL */
};

extern const struct schema_key schema[KEY_COUNT];

/* Returns the key of that name in the section, or KEY_COUNT. */
enum key schema_find(enum key_section section, struct span name);

/* True if the key is `list`, `defaults`, `delegate` or `token`. */
bool schema_is_section(enum key key);

/* Returns where the keys of a section are; SECTION_MAIN if the key is no section. */
enum key_section schema_keys_in(enum key section);

/* Returns the name in the section that is nearest to this one, or NULL if none is near. */
const char *schema_nearest(enum key_section section, struct span name);

/* Returns the index of the text among the choices of the key, or -1. Letter case does not count. */
int schema_choice(enum key key, struct span text);

/* Returns the choice that is nearest to the text, or NULL if none is near. */
const char *schema_nearest_choice(enum key key, struct span text);

/* Returns 1 for "true", "yes" or "on", 0 for "false", "no" or "off", in any letter case, or -1. */
int schema_bool(struct span text);

#endif

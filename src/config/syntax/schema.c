/* schema - the table of keys, and the search in it. */
#include "config/syntax/schema.h"

#include "text/edit_distance.h"

#include <string.h>

static const char *const facilities[] = {"mail",   "daemon", "local0", "local1", "local2",
                                         "local3", "local4", "local5", "local6", "local7",
                                         "user",   "auth",   "syslog", NULL};
static const char *const selects[] = {"list-id", "recipient", "sender", NULL};
static const char *const managers[] = {"mailman3", "mailman2",  "mlmmj", "sympa",
                                       "ezmlm",    "majordomo", NULL};
static const char *const missing[] = {"add", "reject", "ignore", NULL};
static const char *const duplicate[] = {"first", "delete", "reject", NULL};
static const char *const crosspost[] = {"defer", "first", NULL};
static const char *const private_recipients[] = {"stamp", "defer", NULL};
static const char *const oversigned[] = {"stamp", "spare", NULL};
static const char *const sequence_from[] = {"store", "envelope-sender", NULL};
static const char *const requires[] = {"any", "well-formed", NULL};
static const char *const reused[] = {"accept", "omit", "reject", NULL};
static const char *const encodings[] = {"base32", "base64url", "hex", NULL};
static const char *const on_failure[] = {"tempfail", "omit", NULL};

#define RUNSTATE(file)   MLMILTER_RUNSTATEDIR "/mlmilter/" file
#define LOCALSTATE(file) MLMILTER_LOCALSTATEDIR "/lib/mlmilter/" file

/* clang-format off */
const struct schema_key schema[KEY_COUNT] = {
    [KEY_SOCKET]           = {"socket", SECTION_MAIN, KIND_TEXT, "unix:" RUNSTATE("mlmilter.sock"), NULL},
    [KEY_LISTS]            = {"lists", SECTION_MAIN, KIND_TEXTS, "lists.d/*.conf", NULL},
    [KEY_TRUSTED]          = {"trusted", SECTION_MAIN, KIND_TEXTS, "127.0.0.0/8\n::1\nlocal", NULL},
    [KEY_USER]             = {"user", SECTION_MAIN, KIND_TEXT, "mlmilter", NULL},
    [KEY_SOCKET_GROUP]     = {"socket_group", SECTION_MAIN, KIND_TEXT, NULL, NULL},
    [KEY_SOCKET_MODE]      = {"socket_mode", SECTION_MAIN, KIND_TEXT, "0660", NULL},
    [KEY_PID_FILE]         = {"pid_file", SECTION_MAIN, KIND_TEXT, RUNSTATE("mlmilter.pid"), NULL},
    [KEY_SYSLOG_FACILITY]  = {"syslog_facility", SECTION_MAIN, KIND_CHOICE, "mail", facilities},
    [KEY_DRY_RUN]          = {"dry_run", SECTION_MAIN, KIND_BOOL, "false", NULL},
    [KEY_STORE]            = {"store", SECTION_MAIN, KIND_TEXT, "sqlite:" LOCALSTATE("mlmilter.db"), NULL},
    [KEY_METRICS]          = {"metrics", SECTION_MAIN, KIND_TEXT, NULL, NULL},
    [KEY_TOKEN_KEY_FILE]   = {"token_key_file", SECTION_MAIN, KIND_TEXT, NULL, NULL},
    [KEY_WATCH]            = {"watch", SECTION_MAIN, KIND_BOOL, "false", NULL},
    [KEY_RECIPIENT_DELIMITER] = {"recipient_delimiter", SECTION_MAIN, KIND_TEXT, "+", NULL},

    [KEY_LIST]             = {"list", SECTION_MAIN, KIND_TITLED_SECTION, NULL, NULL},
    [KEY_DEFAULTS]         = {"defaults", SECTION_MAIN, KIND_SECTION, NULL, NULL},
    [KEY_DELEGATE]         = {"delegate", SECTION_MAIN, KIND_TITLED_SECTION, NULL, NULL},
    [KEY_TOKEN]            = {"token", SECTION_MAIN, KIND_TITLED_SECTION, NULL, NULL},

    [KEY_DESCRIPTION]      = {"description", SECTION_LIST, KIND_TEXT, NULL, NULL},
    [KEY_ADDRESS]          = {"address", SECTION_LIST, KIND_TEXT, NULL, NULL},
    [KEY_ALIASES]          = {"aliases", SECTION_LIST, KIND_TEXTS, NULL, NULL},
    [KEY_MANAGER]          = {"manager", SECTION_LIST, KIND_CHOICE, NULL, managers},
    [KEY_SELECT]           = {"select", SECTION_LIST, KIND_CHOICE, "list-id", selects},
    [KEY_SENDERS]          = {"senders", SECTION_LIST, KIND_TEXTS, NULL, NULL},
    [KEY_HELP]             = {"help", SECTION_LIST, KIND_TEXTS, NULL, NULL},
    [KEY_SUBSCRIBE]        = {"subscribe", SECTION_LIST, KIND_TEXTS, NULL, NULL},
    [KEY_UNSUBSCRIBE]      = {"unsubscribe", SECTION_LIST, KIND_TEXTS, NULL, NULL},
    [KEY_POST]             = {"post", SECTION_LIST, KIND_TEXTS, NULL, NULL},
    [KEY_OWNER]            = {"owner", SECTION_LIST, KIND_TEXTS, NULL, NULL},
    [KEY_ARCHIVE]          = {"archive", SECTION_LIST, KIND_TEXTS, NULL, NULL},
    [KEY_ARCHIVED_AT]      = {"archived_at", SECTION_LIST, KIND_TEXTS, NULL, NULL},
    [KEY_COMMAND_ADDRESSES] = {"command_addresses", SECTION_LIST, KIND_TEXTS, NULL, NULL},
    [KEY_KEEP]             = {"keep", SECTION_LIST, KIND_TEXTS, NULL, NULL},
    [KEY_MESSAGE_ID_HASH]  = {"message_id_hash", SECTION_LIST, KIND_BOOL, "true", NULL},
    [KEY_HONOR_NO_ARCHIVE] = {"honor_no_archive", SECTION_LIST, KIND_BOOL, "true", NULL},
    [KEY_MISSING_MESSAGE_ID] = {"missing_message_id", SECTION_LIST, KIND_CHOICE, "add", missing},
    [KEY_DUPLICATE_MESSAGE_ID] = {"duplicate_message_id", SECTION_LIST, KIND_CHOICE, "first", duplicate},
    [KEY_CROSSPOST]        = {"crosspost", SECTION_LIST, KIND_CHOICE, "defer", crosspost},
    [KEY_PRIVATE_RECIPIENTS] = {"private_recipients", SECTION_LIST, KIND_CHOICE, "stamp", private_recipients},
    [KEY_OVERSIGNED]       = {"oversigned", SECTION_LIST, KIND_CHOICE, "stamp", oversigned},
    [KEY_LIST_ID_HASH]     = {"list_id_hash", SECTION_LIST, KIND_BOOL, "false", NULL},
    [KEY_SEQUENCE]         = {"sequence", SECTION_LIST, KIND_BOOL, "false", NULL},
    [KEY_ALT_MESSAGE_ID]   = {"alt_message_id", SECTION_LIST, KIND_BOOL, "false", NULL},
    [KEY_UNSUBSCRIBE_ONE_CLICK] = {"unsubscribe_one_click", SECTION_LIST, KIND_BOOL, "false", NULL},
    [KEY_PARENTS]          = {"parents", SECTION_LIST, KIND_TEXTS, NULL, NULL},
    [KEY_PARENT_SOURCES]   = {"parent_sources", SECTION_LIST, KIND_TEXTS, NULL, NULL},
    [KEY_REPLACE_POST]     = {"replace_post", SECTION_LIST, KIND_BOOL, "false", NULL},
    [KEY_SEQUENCE_FROM]    = {"sequence_from", SECTION_LIST, KIND_CHOICE, "store", sequence_from},
    [KEY_ARCHIVED_AT_REQUIRES] = {"archived_at_requires", SECTION_LIST, KIND_CHOICE, "any", requires},
    [KEY_REUSED_MESSAGE_ID] = {"reused_message_id", SECTION_LIST, KIND_CHOICE, "accept", reused},
    [KEY_ON_STORE_FAILURE] = {"on_store_failure", SECTION_LIST, KIND_CHOICE, "tempfail", on_failure},

    [KEY_DIGEST]           = {"digest", SECTION_TOKEN, KIND_TEXT, NULL, NULL},
    [KEY_OF]               = {"of", SECTION_TOKEN, KIND_TEXT, NULL, NULL},
    [KEY_ENCODING]         = {"encoding", SECTION_TOKEN, KIND_CHOICE, "base32", encodings},
    [KEY_PADDING]          = {"padding", SECTION_TOKEN, KIND_BOOL, "false", NULL},

    [KEY_FILES]            = {"files", SECTION_DELEGATE, KIND_TEXTS, NULL, NULL},
    [KEY_DOMAINS]          = {"domains", SECTION_DELEGATE, KIND_TEXTS, NULL, NULL},
    [KEY_LISTS_MAX]        = {"lists_max", SECTION_DELEGATE, KIND_TEXT, "10000", NULL},
};
/* clang-format on */

enum key schema_find(enum key_section section, struct span name)
{
    for (int key = 0; key < KEY_COUNT; key++) {
        const struct schema_key *row = &schema[key];
        /* Nearly all rows are told apart by the first octet. */
        if (row->section == section && name.n > 0 && name.p[0] == row->name[0] &&
            span_eq(name, span_cstr(row->name)))
            return (enum key)key;
    }
    return KEY_COUNT;
}

bool schema_is_section(enum key key)
{
    return key != KEY_COUNT && schema[key].kind >= KIND_SECTION;
}

enum key_section schema_keys_in(enum key section)
{
    return section == KEY_TOKEN         ? SECTION_TOKEN
           : section == KEY_DELEGATE    ? SECTION_DELEGATE
           : schema_is_section(section) ? SECTION_LIST
                                        : SECTION_MAIN;
}

const char *schema_nearest(enum key_section section, struct span name)
{
    struct edit_nearest nearest = edit_nearest_to(name);
    for (int key = 0; key < KEY_COUNT; key++)
        if (schema[key].section == section)
            edit_nearest_try(&nearest, span_cstr(schema[key].name));
    return nearest.nearest.p;
}

int schema_choice(enum key key, struct span text)
{
    const char *const *choices = schema[key].choices;
    for (int i = 0; choices[i] != NULL; i++)
        if (span_eq_nocase(text, span_cstr(choices[i])))
            return i;
    return -1;
}

/* Asked in both orders, the nearest is the same where it is one. */
const char *schema_nearest_choice(enum key key, struct span text)
{
    const char *const *choices = schema[key].choices;
    struct edit_nearest first = edit_nearest_to(text), last = first;
    int count = 0;
    for (; choices[count] != NULL; count++)
        edit_nearest_try(&first, span_cstr(choices[count]));
    while (count-- > 0)
        edit_nearest_try(&last, span_cstr(choices[count]));
    return first.nearest.p == last.nearest.p ? first.nearest.p : NULL;
}

bool schema_bool(struct span text, bool *value)
{
    static const char *const words[] = {"false", "true", "no", "yes", "off", "on"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (span_eq_nocase(text, span_cstr(words[i]))) {
            *value = i % 2 == 1;
            return true;
        }
    return false;
}

/*
 * settings - a checked configuration
 *
 * Built by config/settings_load.h, checked, published, and never changed after:
 * any number of threads may read it.  It owns everything that it points to; one
 * settings_free gives all back.
 */
#ifndef MLMILTER_CONFIG_SETTINGS_H
#define MLMILTER_CONFIG_SETTINGS_H

#include "config/list_index.h"
#include "config/trust.h"
#include "mail/field_name.h"
#include "spec/digest.h"
#include "spec/uri_template.h"
#include "text/arena.h"
#include "text/span.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum list_select { SELECT_LIST_ID, SELECT_RECIPIENT, SELECT_SENDER };
enum missing_policy { MISSING_ADD, MISSING_REJECT, MISSING_IGNORE };
enum duplicate_policy { DUPLICATE_FIRST, DUPLICATE_DELETE, DUPLICATE_REJECT };
enum crosspost_policy { CROSSPOST_DEFER, CROSSPOST_FIRST };
enum error_policy { ON_ERROR_TEMPFAIL, ON_ERROR_ACCEPT };

/* An item of List-Unsubscribe that names the recipient, or stands beside one that does. */
struct item_template {
    struct template uri; /* bound to the list; needs at most {recipient} */
    struct span comment; /* with its parentheses, or empty */
};

#define LIST_FIRST_FIELD FIELD_LIST_ID
#define LIST_LAST_FIELD  FIELD_LIST_ARCHIVE

struct list {
    struct span id;      /* as configured */
    struct span address; /* empty: none */
    struct span archive; /* first archive URI, or empty */

    /* Rendered values, ready to be inserted; empty: the list has no such field. Ask list_field().
     */
    struct span fields[LIST_LAST_FIELD - LIST_FIRST_FIELD + 1];

    /* When an item of `unsubscribe` needs the recipient: all of its items, and no rendered value.
     */
    const struct item_template *unsubscribe;
    size_t unsubscribe_count;

    const struct template *archived_at; /* bound to the list */
    size_t archived_at_count;

    const struct span *command_addresses;
    size_t command_address_count;

    uint64_t keep; /* FIELD_BITs */
    enum list_select select;
    enum missing_policy missing_message_id;
    enum duplicate_policy duplicate_message_id;
    enum crosspost_policy crosspost;
    bool message_id_hash;
    bool honor_no_archive;
    bool has_senders; /* select = "sender" with `senders`: none is derived from the address */
};

struct settings {
    struct arena arena;
    struct digest *sha1;

    /* For the daemon. Texts end in a NUL. Relative paths, in socket and pid_file, have the folder
     * of the main file before them. */
    const char *socket;
    const char *user;
    bool user_is_set;         /* written in the file, not the default */
    const char *socket_group; /* NULL: none */
    unsigned socket_mode;
    const char *pid_file;
    const char *syslog_facility; /* its name as the schema has it; lives for ever */
    enum error_policy on_error;
    bool dry_run;

    struct trust_rules trusted;
    struct list_index index; /* the lists */
};

void settings_free(struct settings *s);

/* The rendered value of a List-* field of the list; empty when it has none. */
struct span list_field(const struct list *list, enum field_name name);

/* Sets the values of the variables of a list (VARS_LIST and VAR_ARCHIVE) that it has. */
void list_variables(const struct list *list, struct variable_values *values);

#endif

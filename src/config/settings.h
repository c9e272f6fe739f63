/*
 * settings - a checked configuration
 *
 * Built by config/load.h, checked, published, and never changed after:
 * any number of threads may read it.  It owns everything that it points to; one
 * settings_free gives all back.
 */
#ifndef MLMILTER_CONFIG_SETTINGS_H
#define MLMILTER_CONFIG_SETTINGS_H

#include "config/files/fingerprint.h"
#include "config/files/watched.h"
#include "config/lists/list.h"
#include "config/lists/list_index.h"
#include "config/lists/trust.h"
#include "spec/digest.h"
#include "spec/token.h"
#include "spec/uri_template.h"
#include "text/arena.h"
#include "text/span.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* In the order of the table of keys (config/syntax/schema.c), which has the names. */
enum syslog_facility {
    FACILITY_MAIL,
    FACILITY_DAEMON,
    FACILITY_LOCAL0,
    FACILITY_LOCAL1,
    FACILITY_LOCAL2,
    FACILITY_LOCAL3,
    FACILITY_LOCAL4,
    FACILITY_LOCAL5,
    FACILITY_LOCAL6,
    FACILITY_LOCAL7,
    FACILITY_USER,
    FACILITY_AUTH,
    FACILITY_SYSLOG,
    FACILITY_COUNT
};

struct delegated_file;

struct settings {
    struct arena arena;

    /* For the daemon. Texts end in a NUL. Relative paths, in socket, pid_file, store and metrics,
     * have the folder of the main file before them. */
    const char *socket;
    const char *user;
    bool user_is_set;         /* written in the file, not the default */
    const char *socket_group; /* NULL: none */
    unsigned socket_mode;
    const char *pid_file;
    bool pid_file_is_set; /* written in the file, not the default */
    enum syslog_facility syslog_facility;
    bool dry_run;
    struct span recipient_delimiter; /* any of these octets; empty: none */

    bool watch;             /* take a change of the files without being asked */
    struct watched watched; /* where they are */
    /* Of all texts that are in force, keys included. */
    struct fingerprint fingerprint;

    const char *store; /* "sqlite:/..." or "sqlite:./...", or "postgresql:" and what libpq takes */
    bool needs_store;  /* some list asks it */

    const char *metrics; /* the file; NULL: none */

    /* For {recipient_token}: the first signs, all verify. None: no token_key_file, or it was not
     * read (then recipient_keys_unread). */
    const struct span *recipient_keys;
    size_t recipient_key_count;
    const char *recipient_keys_path; /* NULL: no token_key_file */
    bool recipient_keys_unread;
    const char *recipient_keys_fault; /* then "PATH: reason"; NULL: nobody tried */

    struct token *tokens; /* named tokens */
    struct token_names token_names;

    struct trust_rules trusted;
    struct list_index index; /* the lists */

    const struct delegated_file *delegated; /* the good ones; each in the next one's `next` */
    size_t delegated_wrong;                 /* files, and folders that could not be looked into */
};

/* Creates empty ones, for a load to fill; the seed is for their maps. */
struct settings *settings_new(uint64_t seed);

void settings_free(struct settings *s);

#endif

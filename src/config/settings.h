/*
 * settings - a checked configuration
 *
 * config/load.h makes it.  Then it never changes, so any number of threads may read it.  It owns
 * everything that it points to.
 */
#ifndef MLMILTER_CONFIG_SETTINGS_H
#define MLMILTER_CONFIG_SETTINGS_H

#include "config/lists/list.h"
#include "config/lists/list_index.h"
#include "config/read/trust.h"
#include "spec/token.h"
#include "spec/uri_template.h"
#include "text/arena.h"
#include "text/span.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct settings {
    struct arena arena;
    const char *path; /* of the main file; borrowed */

    /* Values of the main file, by its keys. Relative paths in socket, pid_file, store and metrics
     * have the folder of the main file before them. NULL: not set, and nothing is built in. A line
     * is 0 for a built-in value. */
    const char *socket, *pid_file, *store, *metrics, *user, *socket_group;
    int user_line, socket_group_line;
    unsigned socket_mode;
    bool pid_file_is_set;
    int syslog_facility; /* the number of its word in config/read/choices.h */
    bool dry_run, watch;
    struct span recipient_delimiter; /* any of these characters; empty: none */
    struct trust_rules trusted;
    struct token *tokens;
    struct token_names token_names;

    /* For {recipient_token}: the first signs, all verify. None: no file of them was read. */
    const struct span *recipient_keys;
    size_t recipient_key_count;
    const char *recipient_keys_path;  /* NULL: no token_key_file */
    const char *recipient_keys_fault; /* "PATH: reason" if reading was tried, or NULL */

    struct list_index index; /* the lists */
    bool lists_unread;       /* the main file has an error of its form */
    bool needs_store;        /* some list asks it */

    /* The good texts of delegated files, for the next load, sorted by path. */
    struct delegated_file {
        const char *path;
        struct span text;
    } * delegated;
    size_t delegated_count, delegated_capacity;
    size_t delegated_wrong; /* files, and folders that cannot be read */

    const char **watched; /* patterns for glob(3) of all files that were read */
    size_t watched_count, watched_capacity;
    struct evp_md_ctx_st *digest; /* of libcrypto, until the fingerprint is complete */
    /* Digest of all texts in force, keys included, in hexadecimal: equal for equal files. */
    char fingerprint[32 + 1];
};

/* Creates empty settings for a load to fill; the seed is for their maps. */
struct settings *settings_new(uint64_t seed);

/* Adds a pattern, or a path, to those that are watched. */
void settings_watch(struct settings *s, const char *pattern);
void settings_watch_path(struct settings *s, const char *path);

/* Adds a text, and the name of its file, to the fingerprint, and completes it. */
void settings_add_text(struct settings *s, const char *name, struct span text);
void settings_fingerprint(struct settings *s);

void settings_free(struct settings *s);

#endif

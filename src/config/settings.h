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

/* A good text of a delegated file, for the next load. */
struct delegated_file {
    const char *path;
    struct span text;
};

struct settings {
    struct arena arena;
    const char *path; /* of the main file; borrowed */

    /* For the daemon. Texts end in a NUL. Relative paths, in socket, pid_file, store and metrics,
     * have the folder of the main file before them. */
    const char *socket;
    const char *user;
    int user_line;            /* 0: the default */
    const char *socket_group; /* NULL: none */
    int socket_group_line;
    unsigned socket_mode;
    const char *pid_file;
    bool pid_file_is_set; /* in the file, not the default */
    int syslog_facility;  /* the number of its word in config/read/choices.h */
    bool dry_run;
    struct span recipient_delimiter; /* any of these characters; empty: none */

    bool watch;           /* reload when a file changes */
    const char **watched; /* patterns for glob(3) of all files that were read */
    size_t watched_count, watched_capacity;
    struct evp_md_ctx_st *digest; /* of libcrypto, until the fingerprint is complete */
    /* Digest of all texts in force, keys included, in hexadecimal: equal for equal files. */
    char fingerprint[32 + 1];

    const char *store; /* "sqlite:/..." or "sqlite:./...", or "postgresql:" and what libpq takes */
    bool needs_store;  /* some list asks it */

    const char *metrics; /* the file; NULL: none */

    /* For {recipient_token}: the first signs, all verify. None: no file of them was read. */
    const struct span *recipient_keys;
    size_t recipient_key_count;
    const char *recipient_keys_path;  /* NULL: no token_key_file */
    const char *recipient_keys_fault; /* "PATH: reason" if reading was tried, or NULL */

    struct token *tokens; /* named tokens */
    struct token_names token_names;

    struct trust_rules trusted;
    struct list_index index; /* the lists */
    bool lists_unread;       /* the main file has an error of its form */

    struct delegated_file *delegated; /* sorted by path */
    size_t delegated_count, delegated_capacity;
    size_t delegated_wrong; /* files, and folders that cannot be read */
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

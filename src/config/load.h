/*
 * load - from configuration files to settings
 *
 * Everything is checked when it is read, and all errors are collected.  One thread at a time.
 */
#ifndef MLMILTER_CONFIG_LOAD_H
#define MLMILTER_CONFIG_LOAD_H

#include "config/read/report.h"
#include "config/settings.h"
#include "config/store_kinds.h"

/* The main file, if none is named. */
#define MAIN_FILE_DEFAULT MLMILTER_SYSCONFDIR "/mlmilter/mlmilter.conf"

enum settings_extent {
    SETTINGS_ALL,
    SETTINGS_MAIN_FILE, /* the main file and the lists in it; no list files and no key files */
    SETTINGS_MAIN_KEYS  /* the main file without its lists, and the key files */
};

/* How token_key_file is read. */
enum key_reading {
    KEYS_NEEDED,      /* a file that cannot be read is an error */
    KEYS_IF_READABLE, /* a file that is missing, or closed to this user, is no error */
    KEYS_NOT_READ
};

/* All is borrowed; path until the settings are freed. */
struct settings_request {
    const char *path; /* of the main file; NULL: built-in values */
    struct span text; /* the main file itself, if .p is not NULL: for tests and fuzzers */
    enum settings_extent extent;
    enum key_reading keys; /* not used with SETTINGS_MAIN_FILE */
    /* The settings in force, or NULL: a delegated file that has become wrong stays as it was in
     * them (RULINGS 73). */
    const struct settings *previous;
    store_fault_ask *store_fault; /* or NULL */
    /* List files to read instead of those that the main file names, or NULL. */
    char *const *files;
    size_t file_count;
    bool with_hints; /* also report hints */
    bool with_wrong; /* also return settings that are wrong */
};

/* Reads the main file and the list files that it names. Fills diagnostics, which are empty. Returns
 * the settings, or NULL if there is any error; hints and errors in delegated files do no harm. */
struct settings *settings_load(const struct settings_request *request,
                               struct diagnostics *diagnostics);

/* True if a file can be read, and has statements of a main file alone. */
bool settings_is_main_file(char *path);

#endif

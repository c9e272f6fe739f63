/*
 * load - from configuration files to settings
 *
 * Everything is checked when it is read, all errors are collected.  One thread at
 * a time, because of config/syntax/parse.h.
 */
#ifndef MLMILTER_CONFIG_LOAD_H
#define MLMILTER_CONFIG_LOAD_H

#include "config/files/key_file.h"
#include "config/lists/build.h"
#include "config/main_keys.h"
#include "config/report/diagnostics.h"
#include "config/settings.h"
#include "text/span.h"

#include <stdbool.h>
#include <stddef.h>

/* The main file where nobody names another one. */
#define MAIN_FILE_DEFAULT MLMILTER_SYSCONFDIR "/mlmilter/mlmilter.conf"

enum settings_extent {
    SETTINGS_ALL,
    SETTINGS_MAIN_FILE, /* the main file and the lists in it; no list files and no key files */
    SETTINGS_MAIN_KEYS  /* the main file without its lists, and the key files */
};

struct settings_request {
    const char *path; /* of the main file */
    enum settings_extent extent;
    enum key_reading keys; /* of all files; of the main file alone no keys are read */
    /* The settings in force, or NULL: a delegated file that has become wrong stays as it was in
     * them (RULINGS 73). */
    const struct settings *previous;
    /* Where there is an error: what was read, for its `watched` alone, or NULL; the caller frees
     * it. NULL: nobody wants it. */
    struct settings **wrong;
    store_fault_ask *store_fault;         /* NULL: nobody is asked */
    const struct list_observer *observer; /* of the lists; NULL: nobody */
};

/* Reads the main file and the list files that it names. NULL when there is any error; hints, and
 * what is wrong with delegated files, do no harm. The caller frees with settings_free. */
struct settings *settings_load(const struct settings_request *request,
                               struct diagnostics *diagnostics);

/* Checks list files alone: with the keys of the main file at main_path (its `defaults` above all)
 * or with the built-in ones when main_path is NULL, and without the lists that the main file names.
 */
struct settings *settings_load_files(const char *main_path, char *const *paths, size_t count,
                                     struct diagnostics *diagnostics);

/* True if a file is a main file: it has a key of one, `defaults`, `token` or `delegate`. False if
 * it cannot be read. */
bool settings_is_main_file(const char *path);

/* Does what settings_load does with a main file that is given as text; name is used in messages and
 * relative patterns are relative to its folder. For tests and fuzzers. */
struct settings *settings_load_text(const char *name, struct span text,
                                    struct diagnostics *diagnostics);

#endif

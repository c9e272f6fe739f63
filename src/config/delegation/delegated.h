/*
 * delegated - the list files of delegates, read after all files of the administrator
 *
 * A wrong file costs its own lists and one line (LI-03, RULINGS 59).  On a reload its last good
 * text stays in force (RULINGS 73).
 */
#ifndef MLMILTER_CONFIG_DELEGATION_DELEGATED_H
#define MLMILTER_CONFIG_DELEGATION_DELEGATED_H

#include "config/delegation/delegate.h"
#include "config/files/fingerprint.h"
#include "config/files/watched.h"
#include "config/lists/build.h"
#include "config/report/diagnostics.h"

#include <stddef.h>

#define DELEGATE_FILES_MAX 10000 /* of one delegate */
#define DELEGATE_MIB_MAX   16    /* of all its files (RULINGS 98) */

/* A good text of a delegated file; the settings keep it for the next load. */
struct delegated_file {
    const struct delegated_file *next;
    const char *path;
    struct span text;
};

struct delegated {
    const struct delegates *delegates;
    struct list_builder *builder;    /* has all lists of the administrator */
    struct arena *names;             /* gets the names of files; lives as long as the builder */
    struct watched *watched;         /* gets the patterns */
    struct fingerprint *fingerprint; /* gets the texts in force, or NULL */
    struct diagnostics *diagnostics;
    const struct delegated_file *previous; /* of the settings in force, or NULL */
    const struct delegated_file *kept;     /* output: the good texts */
    size_t wrong;                          /* output: files, and folders that cannot be read */
};

/* Reads the files of all delegates. */
void delegated_read(struct delegated *delegated);

/* Returns the first delegate with a pattern that a file fits, whatever links lead to it, or NULL.
 */
const struct delegate *delegates_match(const struct delegates *delegates, const char *path);

#endif

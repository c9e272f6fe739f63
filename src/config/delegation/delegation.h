/*
 * delegation - the list files of delegates, after all that is the administrator's
 *
 * Whatever such a file holds, or is, costs its own lists and nothing else (LI-03,
 * RULINGS 59): see trial.h.  On a reload its last good version stands in for a
 * wrong one (RULINGS 73).
 */
#ifndef MLMILTER_CONFIG_DELEGATION_DELEGATION_H
#define MLMILTER_CONFIG_DELEGATION_DELEGATION_H

#include "config/delegation/delegate.h"
#include "config/delegation/previous.h"
#include "config/files/file_walk.h"
#include "config/files/watched.h"
#include "config/lists/build.h"
#include "config/report/diagnostics.h"

#include <stddef.h>

#define DELEGATE_FILES_MAX 10000 /* of one delegate */

struct delegation {
    const struct delegates *delegates;
    struct list_builder *builder; /* has seen all of the administrator's lists */
    struct file_walk *walk;
    struct watched *watched; /* gets the patterns */
    struct diagnostics *diagnostics;
    const struct delegated_file *previous; /* of the settings in force; NULL: none */
    const struct delegated_file *kept;     /* the good ones */
    size_t wrong;                          /* files, and folders that could not be looked into */
};

/* Reads all of them. */
void delegation_read(struct delegation *delegation);

#endif

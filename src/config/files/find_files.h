/*
 * find_files - patterns of paths, as glob(3) reads them
 *
 * No wildcard fits a slash, or a dot at the begin of a name.
 */
#ifndef MLMILTER_CONFIG_FILES_FIND_FILES_H
#define MLMILTER_CONFIG_FILES_FIND_FILES_H

#include "text/span.h"
#include "text/strbuf.h"

#include <stdbool.h>

/* Appends a path that is meant as it stands: nothing in it counts as a wildcard. */
void path_pattern_add_plain(struct strbuf *out, struct span path);

bool path_pattern_fits(const char *pattern, const char *path);

#endif

/*
 * replace_file - replaces a file at once: readers see either the old or the new text
 */
#ifndef MLMILTER_SYSTEM_REPLACE_FILE_H
#define MLMILTER_SYSTEM_REPLACE_FILE_H

#include "text/span.h"

#include <sys/types.h>

/* Writes PATH.new, with exactly that mode, and renames it to path. Does not flush: the text may be
 * lost in a crash of the system. Returns 0, or -1 with errno; then path is unchanged. */
int replace_file(const char *path, struct span text, mode_t mode);

#endif

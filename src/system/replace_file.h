/*
 * replace_file - a file whose readers see all of the old text or all of the new
 */
#ifndef MLMILTER_SYSTEM_REPLACE_FILE_H
#define MLMILTER_SYSTEM_REPLACE_FILE_H

#include "text/span.h"

#include <sys/types.h>

/* Writes PATH.new, with exactly that mode, and renames it to path. What stood there stays when this
 * fails. Not for what must outlive a crash of the system: nothing is flushed. 0 or -1 with errno.
 */
int replace_file(const char *path, struct span text, mode_t mode);

#endif

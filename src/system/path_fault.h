/*
 * path_fault - what keeps this process from writing a file
 *
 * For messages only: whoever writes the file finds out for himself.
 */
#ifndef MLMILTER_SYSTEM_PATH_FAULT_H
#define MLMILTER_SYSTEM_PATH_FAULT_H

#include <stdbool.h>

/* Can files be made in the directory that path lies in? NULL, or why not; what a start as root
 * would make (makes_directory) may be missing. Static storage. */
const char *path_directory_fault(const char *path, bool makes_directory);

/* The same for a file that is to be read and written, and need not be there. */
const char *path_file_fault(const char *path, bool makes_directory);

#endif

/*
 * path_fault - what keeps this process from writing a file
 *
 * For messages only: writing the file is what finds out.
 */
#ifndef MLMILTER_SYSTEM_PATH_FAULT_H
#define MLMILTER_SYSTEM_PATH_FAULT_H

#include <stdbool.h>

/* Can files be made in the directory that path lies in? NULL, or why not; what a start as root
 * would make (makes_directory) may be missing. Static storage. */
const char *path_directory_fault(const char *path, bool makes_directory);

/* Can the file be read and written, or made? NULL, or why not, as above. */
const char *path_file_fault(const char *path, bool makes_directory);

#endif

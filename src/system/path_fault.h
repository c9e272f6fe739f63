/*
 * path_fault - reasons why this process cannot write a file
 *
 * For messages only: a write may fail all the same.
 */
#ifndef MLMILTER_SYSTEM_PATH_FAULT_H
#define MLMILTER_SYSTEM_PATH_FAULT_H

#include <stdbool.h>

/* Returns the reason why no file can be created in the directory of path, or NULL. With
 * makes_directory, a directory may be missing that a start as root creates. Static storage. */
const char *path_directory_fault(const char *path, bool makes_directory);

/* Returns the reason why the file can be neither read and written nor created, or NULL. Static
 * storage. */
const char *path_file_fault(const char *path, bool makes_directory);

#endif

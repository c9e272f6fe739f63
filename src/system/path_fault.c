/* path_fault - see path_fault.h */
#include "system/path_fault.h"

#include "text/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* Root would make this directory ("PATH/"), but none above it, and not everywhere. */
static const char *making_fault(char *directory)
{
    struct statvfs fs;
    char *slash;
    directory[strlen(directory) - 1] = '\0';
    slash = strrchr(directory, '/');
    if (slash != NULL)
        slash[slash == directory ? 1 : 0] = '\0';
    if (statvfs(slash != NULL ? directory : ".", &fs) == 0)
        return (fs.f_flag & ST_RDONLY) != 0
                   ? "its directory is not there, and cannot be made in a read-only file system"
                   : NULL;
    return errno == ENOENT ? "its directory is not there, nor the one above it" : NULL;
}

const char *path_directory_fault(const char *path, bool makes_directory)
{
    const char *slash = strrchr(path, '/');
    char *directory = memory_copy(slash != NULL ? path : "./");
    const char *fault = NULL;
    if (slash != NULL)
        directory[slash - path + 1] = '\0';
    if (access(directory, W_OK | X_OK) != 0) {
        if (errno != ENOENT)
            fault = "its directory cannot be written";
        else if (!makes_directory)
            fault = "its directory is not there";
        else
            fault = making_fault(directory);
    }
    free(directory);
    return fault;
}

const char *path_file_fault(const char *path, bool makes_directory)
{
    const char *fault = path_directory_fault(path, makes_directory);
    if (fault == NULL && access(path, R_OK | W_OK) != 0 && errno != ENOENT)
        fault = "it cannot be read and written";
    return fault;
}

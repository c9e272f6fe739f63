/*
 * read_file - the one way to read a file of the configuration
 */
#ifndef MLMILTER_CONFIG_FILES_READ_FILE_H
#define MLMILTER_CONFIG_FILES_READ_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

struct file_rules {
    size_t octets_max;
    const char *too_large; /* what to say of a file with more */
    bool is_foreign;       /* its owner may try anything: no symbolic link, no second name */
    bool is_secret;        /* no copy of it is left behind when something goes wrong */
};

struct file_text {
    char *text; /* for the caller to free; has room for one more octet */
    size_t length;
    struct stat status;
    int error;         /* the errno of a call that failed; 0: it is the file that is not right */
    const char *fault; /* static or of strerror: a phrase behind the name of the file */
};

/* Reads a regular file in an open folder (AT_FDCWD: wherever the name leads). Never waits. Returns
 * true, or false with out->fault. */
bool read_file(int folder, const char *name, const struct file_rules *rules, struct file_text *out);

#endif

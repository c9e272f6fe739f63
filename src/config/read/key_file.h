/*
 * key_file - the keys of token_key_file (RULINGS 17, 88)
 *
 *   file = [ byte-order-mark ] *( key / "#" comment / "" )
 *
 * A line has one key: all bytes before its LF or CRLF.  A key does not begin with blanks and "#".
 * Messages name the file and never quote it.
 */
#ifndef MLMILTER_CONFIG_READ_KEY_FILE_H
#define MLMILTER_CONFIG_READ_KEY_FILE_H

#include "config/read/report.h"
#include "text/arena.h"

#define KEY_FILE_MAX ((size_t)64 * 1024)

enum key_reading {
    KEYS_NEEDED,      /* a file that cannot be read is an error */
    KEYS_IF_READABLE, /* a file that is missing, or closed to this user, is no error */
    KEYS_NOT_READ
};

struct key_file {
    const struct span *keys; /* in the arena; key_file_forget overwrites each before it is freed */
    size_t count;            /* 0: there is an error, or the keys were not read */
    const char *why;         /* "PATH: reason" if they could not be read; no error */
};

/* Reads the keys of a file. Reports errors at the place that names it as value. */
struct key_file key_file_read(const char *path, struct place place, struct span value,
                              enum key_reading reading, struct arena *arena,
                              struct diagnostics *diagnostics);

/* Overwrites a key. */
void key_file_forget(struct span key);

#endif

/*
 * key_file - reading files of keys (RULINGS 17, 88)
 *
 *   file = [ byte-order-mark ] *( key / "#" comment / "" )
 *
 * One a line; a key is all octets before its LF or CRLF, and does not begin with blanks and "#".
 *
 * No message ever holds anything of such a file but its name.
 */
#ifndef MLMILTER_CONFIG_FILES_KEY_FILE_H
#define MLMILTER_CONFIG_FILES_KEY_FILE_H

#include "config/report/diagnostics.h"
#include "config/syntax/raw_section.h"
#include "config/syntax/schema.h"
#include "text/arena.h"
#include "text/span.h"

#include <stddef.h>

#define KEY_FILE_MAX ((size_t)64 * 1024)

/* A first key of fewer octets is an error, a later one, which only verifies, gets a hint: RFC 2104
 * 3 discourages keys that are short. */
#define KEY_OCTETS_FEW 16

enum key_reading {
    KEYS_NEEDED,      /* a file that cannot be read is an error */
    KEYS_IF_READABLE, /* one that is missing, or that this user may not open, is none: what needs
                         its keys has no value */
    KEYS_NOT_READ
};

enum key_file_result {
    KEY_FILE_READ,
    KEY_FILE_UNREAD, /* and that is no error */
    KEY_FILE_WRONG   /* complained about */
};

/* The value of a key of the main file. */
struct key_file {
    enum key key;
    const char *main_file; /* a relative path is relative to its folder */
    struct raw_item item;
};

/* Reads the keys into the arena; *keys and *count are set when there are any. The caller takes
 * every key off with key_file_forget before the arena is freed. KEY_FILE_UNREAD: *why is "PATH:
 * reason", in the arena, or NULL if it was not tried. */
enum key_file_result key_file_read(const struct key_file *file, enum key_reading reading,
                                   struct arena *arena, struct diagnostics *diagnostics,
                                   struct span **keys, size_t *count, const char **why);

/* Overwrites a key. */
void key_file_forget(struct span key);

#endif

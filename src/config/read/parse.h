/*
 * parse - from the text of a configuration file to its sections, as libConfuse reads it
 *
 * mlmilter.conf(5), GRAMMAR.  libConfuse has state of its own, so one thread may parse at a time.
 */
#ifndef MLMILTER_CONFIG_READ_PARSE_H
#define MLMILTER_CONFIG_READ_PARSE_H

#include "config/read/section.h"
#include "text/arena.h"

#include <stdbool.h>
#include <stddef.h>

/* The sections of a file before the first error of syntax. */
struct parsed {
    struct section top; /* the keys outside of all sections; of a main file only */
    const struct section *sections;
    size_t count;
    bool lacks_only_lists; /* the file was read whole, or all of it except lists */
};

/* Parses a text, which is changed and has room for one more byte. A list file has lists only. The
 * sections live as long as the arena and the file's name. Reports one error of syntax, and entries
 * that are wrong on their own. */
struct parsed parse(const char *file, bool is_main, char *text, size_t length, struct arena *arena,
                    struct diagnostics *diagnostics);

/* True if a text has statements that only a main file may have. The text is changed. */
bool parse_is_main(char *text, size_t length);

#endif

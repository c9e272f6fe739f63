/*
 * parse - from the text of a configuration file to its sections, as libConfuse reads it
 *
 * libConfuse decides what is a key, a value and a section (mlmilter.conf(5), GRAMMAR).  Has state
 * of its own as libConfuse has: one thread at a time.
 */
#ifndef MLMILTER_CONFIG_SYNTAX_PARSE_H
#define MLMILTER_CONFIG_SYNTAX_PARSE_H

#include "config/report/diagnostics.h"
#include "config/syntax/raw_section.h"
#include "text/arena.h"

#include <stdbool.h>
#include <stddef.h>

/* The sections of a file up to the first error of syntax. */
struct parsed {
    struct section top; /* the keys outside of all sections; of a main file only */
    const struct section *sections;
    size_t count;
    bool lacks_lists_only; /* all else was read: there is no error, or it is in the lists */
};

/* Parses a text, which is changed and has room for one more byte. A list file has lists only. The
 * sections live as long as the arena and the file's name. Reports one error of syntax. */
struct parsed parse(const char *file, bool is_main, char *text, size_t length, struct arena *arena,
                    struct diagnostics *diagnostics);

/* True if a text has statements that only a main file may have. The text is changed. */
bool parse_is_main(char *text, size_t length);

#endif

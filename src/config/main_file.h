/*
 * main_file - the parts of a main file: its keys, tokens and delegates
 *
 * For the files of this folder.  A delegate owns list files, but is not the administrator: it makes
 * list ids only in the domains that it has authority for (LI-03, RULINGS 59).
 */
#ifndef MLMILTER_CONFIG_MAIN_FILE_H
#define MLMILTER_CONFIG_MAIN_FILE_H

#include "config/lists/build.h"
#include "config/load.h"

/* Fills the settings from the keys outside of all sections, and from the built-in values. Reads the
 * keys of token_key_file. ask may be NULL. */
void main_keys_apply(const struct section *top, enum key_reading keys, store_fault_ask *ask,
                     struct settings *settings, struct diagnostics *diagnostics);

/* Reads the keys of token_key_file into the settings. Errors have this place and this value, and
 * never a text of the file. */
void key_file_read(struct settings *settings, enum key_reading reading, struct place place,
                   struct span value, struct diagnostics *diagnostics);

/* Adds the tokens of the sections `token` (SU-24, SU-25, RULINGS 48). A wrong token is added, too,
 * so that lists that use it cause no more errors. */
void tokens_apply(const struct parsed *main, struct settings *settings,
                  struct diagnostics *diagnostics);

struct delegate {
    struct delegate *next; /* or NULL */
    struct sources from;   /* its section */
    struct value files;
    /* For each value of `files`, the pattern for find_files, and its folder as seen from here,
     * which the administrator chose and which has no wildcards. */
    const char **patterns, **folders;
    struct domains domains;
    size_t lists_max; /* of all its files */
};

/* Returns the first delegate of the sections `delegate`, in the arena, or NULL. Sections and
 * entries are borrowed. Reports errors. */
struct delegate *delegates_read(const struct parsed *main, struct arena *arena,
                                struct diagnostics *diagnostics);

/* Returns the first delegate that has the file, whatever links lead to it, or NULL. */
const struct delegate *delegates_match(const struct delegate *delegates, const char *path,
                                       struct arena *scratch);

/* Reads the files of all delegates, after all files of the administrator. A wrong file costs its
 * own lists and one line; on a reload its last good text stays in force (RULINGS 59, 73).
 * previous: the settings in force, or NULL. */
void delegated_read(const struct delegate *delegates, struct list_builder *builder,
                    struct settings *settings, const struct settings *previous,
                    struct diagnostics *diagnostics);

#endif

/*
 * delegate - owners of list files other than the administrator, and their domains
 *
 * A delegate makes list ids only in the domains that it has authority for (LI-03, RULINGS 59).
 */
#ifndef MLMILTER_CONFIG_DELEGATE_H
#define MLMILTER_CONFIG_DELEGATE_H

#include "config/lists/build.h"
#include "config/settings.h"

/* A pattern of the key `files`. Its folder is the administrator's word, without wildcards. */
struct delegate_pattern {
    const struct entry *entry;
    const char *folder;  /* as seen from here */
    const char *pattern; /* for find_files */
};

struct delegate {
    const struct section *section;
    const struct delegate_pattern *patterns;
    size_t pattern_count;
    struct domains domains;
    size_t lists_max; /* of all its files */
};

/* The delegates of a main file, in an arena. */
struct delegates {
    struct delegate *items;
    size_t count;
};

/* Reads the sections `delegate` among these, which live as long. Reports errors. */
struct delegates delegates_read(const struct section *sections, size_t count, struct arena *arena,
                                struct diagnostics *diagnostics);

/* Returns the first delegate that has the file, whatever links lead to it, or NULL. */
const struct delegate *delegates_match(const struct delegates *delegates, const char *path,
                                       struct arena *scratch);

/* Reads the files of all delegates, after all files of the administrator. A wrong file costs its
 * own lists and one line; on a reload its last good text stays in force (RULINGS 59, 73). Names of
 * files live in the arena `names`. previous: the settings in force, or NULL. */
void delegated_read(const struct delegates *delegates, struct list_builder *builder,
                    struct arena *names, struct settings *settings, const struct settings *previous,
                    struct diagnostics *diagnostics);

#endif

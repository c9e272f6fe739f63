/*
 * section - sections of a configuration file, and the values of their keys
 *
 * parse.c makes sections of a text, as libConfuse reads it (mlmilter.conf(5), GRAMMAR).  libConfuse
 * has state of its own, so one thread may parse at a time.
 */
#ifndef MLMILTER_CONFIG_READ_SECTION_H
#define MLMILTER_CONFIG_READ_SECTION_H

#include "config/read/report.h"
#include "config/read/schema.h"
#include "text/arena.h"
#include "text/span.h"

#include <stdbool.h>
#include <stddef.h>

struct section {
    enum key kind; /* KEY_LIST ...; KEY_COUNT: the keys outside of all sections */
    const char *file;
    int line;                    /* where it begins */
    struct span title;           /* empty: none */
    const struct entry *entries; /* those of a key one after the other */
    size_t count;
    uint64_t lacks; /* the bits of keys that it does not have; 0: not known */
};

_Static_assert(KEY_COUNT <= 64, "a key is a bit");
#define KEY_BIT(key) ((uint64_t)1 << (key))

/* The sections of a file before the first error of syntax. */
struct parsed {
    struct section top; /* the keys outside of all sections; of a main file only */
    const struct section *sections;
    size_t count;
    bool lacks_only_lists; /* the file was read whole, or all of it except lists */
};

/* Parses a main file, or a list file, which has lists only. The sections live as long as the arena
 * and the name of the file. Reports one error of syntax, and entries that are wrong on their own.
 */
struct parsed parse(const char *file, struct span text, bool is_main, struct arena *arena,
                    struct diagnostics *diagnostics);

/* True if the entry is one of the section (or NULL) itself. */
bool section_has(const struct section *section, const struct entry *entry);

/* Where a value is from. The first that sets a key counts (RULINGS 52, 90). */
enum source { FROM_SECTION, FROM_DEFAULTS, FROM_MANAGER, BUILT_IN };

struct sources {
    const struct section *sections[BUILT_IN]; /* NULL: none */
};

struct value {
    const struct entry *entries; /* NULL: the key is not set, and nothing is built in */
    size_t count;                /* 0: KEY = {} */
    bool is_wrong;               /* an entry is */
    enum source source;
};

/* Returns the value of the first source that sets the key. All readers of keys call it. */
struct value value_of(const struct sources *from, enum key key);

/* Returns the text of a key with one text; empty if it is not set. A wrong one is the built-in. */
struct entry value_entry(const struct sources *from, enum key key);

/* Returns the value of a key that the section must have. Reports an error if it is missing. After
 * an error, count is 0. */
struct value value_needed(struct diagnostics *d, const struct sources *from, enum key key,
                          const char *expected);

/* Return the meaning of a value of KIND_BOOL or KIND_CHOICE. A wrong one is false or the first. */
bool value_bool(const struct sources *from, enum key key);
int value_choice(const struct sources *from, enum key key);

/* Returns the place of an entry of one of the sources, for messages. */
struct place entry_place(const struct sources *from, const struct entry *entry);

/* Reports an error in an entry of one of the sources, with its text; the detail is for "$1". */
void say_entry(struct diagnostics *d, const struct sources *from, const struct entry *entry,
               enum remark remark, const char *detail);

/* Returns the place of a key in a section: of its first entry, or the section's line. */
struct place key_place(const struct section *section, enum key key);

/* Reports an entry of a file that is wrong on its own, and sets is_wrong. */
void entry_check(const char *file, struct entry *entry, struct diagnostics *d);

/* Reports what is unwise about the values of a section's keys (RULINGS 84). */
void values_hint(struct diagnostics *d, const struct sources *from, enum key_section section);

/* Checks the title of one of the sections. Reports `fault` unless it is REMARK_NONE, else a name
 * that is too long, else an earlier section of this kind with an equal title. Returns true if the
 * title is right. */
bool title_check(const struct section *sections, const struct section *section, enum remark fault,
                 struct diagnostics *d);

#endif

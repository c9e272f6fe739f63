/*
 * import - what an import prints: list sections, and comments for what could not be told
 *
 * Names and texts are those of others and may hold any octets.  What is printed passes
 * `mlmilterctl check` whatever they hold: a list that would not becomes a comment (RULINGS 92).
 * One thread.
 */
#ifndef MLMILTER_CTL_IMPORT_IMPORT_H
#define MLMILTER_CTL_IMPORT_IMPORT_H

#include "text/arena.h"
#include "text/span.h"
#include "text/strbuf.h"
#include "text/strmap.h"

#include <stdbool.h>
#include <stddef.h>

struct folder;
struct import;

/* Where lists come from: a kind reads folders, or texts. */
struct import_kind {
    const char *name;
    const char *manager; /* the value of the key; NULL: the lists have none */

    /* Is it the folder of a list? Then its section is printed, or why not. */
    bool (*folder)(struct import *import, const struct folder *folder);

    /* All lists of a text, whose name is that of a file or "standard input". */
    void (*text)(struct import *import, const char *name, struct span text);
};

struct import {
    const struct import_kind *kind;
    struct span domain; /* of names that have none; empty: it was not said */
    struct arena arena; /* what lives until the end */
    struct strmap ids;
    struct strmap addresses; /* of the lists and their list managers; the values mean nothing */
    size_t lists;            /* that were printed */
    bool is_incomplete;      /* something could not be read, or was left out */
    bool lacks_domain;       /* names were left out for want of --domain */
};

void import_init(struct import *import, const struct import_kind *kind, struct span domain);
void import_free(struct import *import);

/* A line that begins with "# ". */
void import_comment(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* What could not be read, or is left out, and why: a comment, and the same on standard error. */
void import_left_out(struct import *import, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Values of the key `post`. */
#define IMPORT_POST_NO        "{\"NO\"}"
#define IMPORT_POST_MODERATED "{\"mailto:{address} (Postings are Moderated)\"}"

/* A list section in the making. The first trouble is kept; section_end says it. */
struct section {
    struct import *import;
    const char *where; /* borrowed: the folder, or the name in a text */
    const char *manager;
    struct span id;      /* empty: made from the address */
    struct span address; /* these two live in import->arena */
    struct span *claims; /* addresses that no other list may have; the first is its own */
    size_t claim_count;
    size_t claim_capacity;
    struct strbuf aliases;
    struct strbuf lines; /* of its other keys, and comments */
    const char *fault;   /* why it cannot be printed; static */
    struct span culprit; /* what has that fault */
};

void section_begin(struct section *section, struct import *import, const char *where);

/* The address of the list. Without a domain it gets that of --domain. */
void section_address(struct section *section, struct span local, struct span domain);

/* Another address of the list. */
void section_alias(struct section *section, struct span address);

/* The local part of the list's address with that suffix is its list manager's. */
void section_claim(struct section *section, const char *suffix);

/* A line "KEY = VALUE" with a value that is ours, written as the configuration has it. */
void section_set(struct section *section, const char *key, const char *value);

/* The description, of unknown character set; what cannot stand in one is replaced, and a comment
 * says so. Nothing where it is empty. */
void section_description(struct section *section, struct span text);

/* The id and the description of a List-Id's value. false, and nothing is set: it has no id. */
bool section_list_id(struct section *section, struct span value);

void section_comment(struct section *section, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Prints the section, or why not, and frees it. */
void section_end(struct section *section);

#endif

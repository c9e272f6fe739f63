/*
 * postfix_tables - what stands in Postfix' lookup tables, as far as they can be listed
 */
#ifndef MLMILTER_CTL_DOCTOR_POSTFIX_TABLES_H
#define MLMILTER_CTL_DOCTOR_POSTFIX_TABLES_H

#include "ctl/doctor/postfix.h"
#include "text/arena.h"
#include "text/strmap.h"

#include <stdbool.h>

struct table_entry {
    struct span key, value; /* a word alone has no value */
    struct table_entry *next;
};

struct postfix_table {
    struct table_entry *all; /* newest first */
    struct strmap entries;   /* key -> the first entry of that key */
    struct arena arena;
    bool is_partial; /* something of it could not be listed, and that was said */
};

/* Empties the table; it is for postfix_table_free. */
void postfix_table_init(struct postfix_table *table);
void postfix_table_free(struct postfix_table *table);

/* Adds what a parameter's value holds: words, and what its tables list. program: "postalias" for
 * tables of aliases(5), else "postmap". Tables that were not built since their text was written are
 * said. */
void postfix_table_add(struct postfix_table *table, const struct postfix *p, const char *program,
                       struct span value);

/* The entry of a key; NULL: there is none. */
const struct table_entry *postfix_table_get(const struct postfix_table *table, struct span key);

#endif

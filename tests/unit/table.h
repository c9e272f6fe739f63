/*
 * table - tests of functions of text: each row of a text file is a case
 *
 *     == address_before_delimiter: RULINGS 112
 *     dev+x-y | + -> dev
 *     dev+x | -> dev+x  # no delimiters
 *
 * A section names its function, a row has the function's arguments and its result. A function of
 * one argument is called for each of a row. Blanks around an argument do not count. "~ TEXT" is a
 * result that contains TEXT. A line with four blanks before it continues the row, with one blank
 * between them, after \n with none. Escapes: \n, \r, \t, \s (a blank), \xHH, \\, \", \$, and \[N
 * TEXT], which is N times TEXT, in which \# is the number of the time, from 0. "# " begins a
 * comment.
 */
#ifndef MLMILTER_TESTS_TABLE_H
#define MLMILTER_TESTS_TABLE_H

#include "check.h"
#include "text/arena.h"
#include "text/strbuf.h"

#define TABLE_ARGUMENTS 16

/* Has one of the functions. */
struct table_function {
    const char *name;
    /* Appends the result. The argument after the last one is {NULL, 0}. A row with less than
     * `least` or more than `most` arguments is wrong; 0 stands for one, and for `least`. */
    void (*call)(const struct span *arguments, struct strbuf *result);
    size_t least, most;
    /* Of one argument: the result is "yes" or "no", a text or "none", a span. */
    bool (*is)(struct span argument);
    const char *(*text)(struct span argument);
    struct span (*part)(struct span argument);
    struct span (*make)(struct span argument, struct arena *arena);
    void (*test)(void **state); /* a test without rows */
    const char *missing;        /* why it cannot be called here, or NULL */
};

#ifdef HAVE_LIBIDN2
#define LIBIDN2_MISSING     NULL
#define LIBIDN2_IS_BUILT_IN "libidn2 is built in"
#else
#define LIBIDN2_MISSING     "libidn2 is not built in"
#define LIBIDN2_IS_BUILT_IN NULL
#endif

/* Reset before each row. */
extern struct arena table_arena;

/* The texts that \A to \Z are; NULL: no escape. */
extern const char *table_texts[26];

/* Reads a file of tests/unit. */
void table_read(const char *file, struct strbuf *text);

/* Takes a line, with those that continue it, and counts them. Returns false at the end. */
bool table_next_row(struct span *rest, struct strbuf *row, int *line);

/* Appends the bytes that a text with escapes means, without blanks around it. */
void table_unescape(struct span text, struct strbuf *out);

/* Runs a test for each function, with the rows of a file of tests/unit. Returns the exit status. */
int table_run(const char *file, const struct table_function *functions, size_t count);

/* Appends "yes" or "no". */
void table_add_bool(struct strbuf *result, bool is);

/* Appends a text, or "none" for NULL. */
void table_add_text(struct strbuf *result, const char *text);

/* Appends a text, with a mark before each but the first. */
void table_add_item(struct strbuf *result, const char *mark, struct span text);

/* Returns the number that an argument is. */
int64_t table_number(struct span argument);

#endif

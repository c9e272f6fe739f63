/*
 * statements - a configuration text, cut into the statements of its top level
 *
 *   statement = word "=" ( value / "{" ... "}" ) / word [ value ] "{" ... "}"
 *   value     = word / string
 *   word      = 1*( printable ASCII but blank # " ' = { } ( ) + , * )
 *               no ";" at its begin or end, where people put one out of habit
 *   string    = DQUOTE ... DQUOTE / "'" ... "'"            on one line
 *   comment   = ( "#" / "//" ) to the end of the line / "/" "*" ... "*" "/"
 *
 * Knows no key: what stands in braces is libConfuse's (config/syntax/confuse_reader.h), one
 * statement at a time, so that an error in one hides none in the next.  Refuses the octets that
 * libConfuse 3.3 reads in an unexpected way (measured): it expands "${NAME}" from the environment,
 * ends a value at "\0", drops an octet it does not know, reports a missing quote lines later.
 */
#ifndef MLMILTER_CONFIG_SYNTAX_STATEMENTS_H
#define MLMILTER_CONFIG_SYNTAX_STATEMENTS_H

#include "config/report/diagnostics.h"
#include "text/span.h"

#include <stdbool.h>
#include <stdint.h>

enum statement_form {
    FORM_NONE,       /* not finished, or nonsense */
    FORM_ASSIGNMENT, /* "=" follows its first word */
    FORM_SECTION     /* it has braces */
};

/* Small, as there may be very many. A file has at most FILE_MIB_MAX (config/files/file_walk.h). */
struct statement {
    uint32_t begin, end;  /* octets of the text */
    uint32_t name_length; /* of its first word; 0: something else comes first */
    int line, end_line;
    uint16_t form; /* enum statement_form */
    bool is_open;  /* its braces are not closed */
};

struct statements {
    const char *file;        /* borrowed */
    char *text;              /* borrowed, changed: comments are blank, "{}" is EMPTY_LIST */
    struct statement *items; /* owned */
    size_t count;
    size_t capacity;
};

/* Cuts the text. Returns true, or false after an error: nothing behind that octet can be trusted.
 * The caller frees with statements_free in both cases. */
bool statements_cut(struct statements *statements, const char *file, char *text, size_t length,
                    struct diagnostics *diagnostics);
void statements_free(struct statements *statements);

/* The first word of a statement; it points into the text. */
struct span statement_name(const struct statements *statements, size_t i);

#endif

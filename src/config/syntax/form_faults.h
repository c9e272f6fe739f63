/*
 * form_faults - what is said about statements that are none, and names that are no keys
 *
 * libConfuse's own messages name a token at best.  These name the key and what is expected.
 */
#ifndef MLMILTER_CONFIG_SYNTAX_FORM_FAULTS_H
#define MLMILTER_CONFIG_SYNTAX_FORM_FAULTS_H

#include "config/report/diagnostics.h"
#include "config/syntax/schema.h"
#include "text/span.h"

/* What may be wrong with a statement as with a key in its braces. */
#define FORM_NO_VALUE  "has no value (expected one behind \"=\")"
#define FORM_NO_EQUALS "is not followed by \"=\" (expected KEY = VALUE)"
#define FORM_COMMA     "there is a \",\" here, and none is needed (expected nothing between keys)"
#define FORM_SECOND_WORD                                                                           \
    "has a value of several words (they must stand in quotes, as in KEY = \"two words\")"

/* What libConfuse stumbles over. */
enum form_fault_kind {
    FAULT_UNKNOWN, /* a name that it does not know */
    FAULT_EQUALS,  /* a name without "=" behind it */
    FAULT_TITLE,   /* a section that should have a title, and has none */
    FAULT_BRACE,   /* the reverse */
    FAULT_TOKEN,   /* something else than a key or a value */
    FAULT_END,     /* the end of the text */
    FAULT_OTHER
};

struct form_fault {
    enum form_fault_kind kind;
    enum key statement; /* the key or section that the statement begins with */
    int statement_line;
    int line;            /* of the fault */
    const char *text;    /* the name or token; FAULT_OTHER: a message */
    int name_line;       /* where that name stands, if it is no key; else 0 */
    const char *waiting; /* the key whose first value is expected; NULL: none is */
    const char *before;  /* the key that was read before; NULL: none */
    int before_line;     /* of its value, if that has no braces; else 0 */
};

/* Why the octet at p cannot stand outside of quotes, where it is part of no word. */
const char *form_octet_fault(const char *p, const char *end);

void form_fault_tell(struct diagnostics *d, const char *file, const struct form_fault *fault);

/* In which part of the table are the keys that may stand in such a statement? */
enum key_section form_keys_in(enum key statement);

/* An error about a name that is no key in such a section. */
void form_wrong_name(struct diagnostics *d, const char *file, int line, enum key_section section,
                     struct span name);

/* An error about the name of a statement in a list file that is not `list`. */
void form_wrong_in_list_file(struct diagnostics *d, const char *file, int line, struct span name);

#endif

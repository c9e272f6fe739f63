/*
 * alias_file - the aliases of a file, as Postfix and Sendmail read it (aliases(5))
 *
 *   alias   = name ":" target *( "," target )
 *   target  = address / "|" command / "/" file / ":include:" file
 *
 * A line that begins with a blank goes on with the alias before it; empty lines and those whose
 * first character is "#" do not count, wherever they are.  Any part may stand in double quotes; an
 * address may have comments in parentheses, and a name before its "<" and ">".
 *
 * Nothing is expanded: what an alias or an :include: leads to is for the caller to ask.  Time is
 * linear.  Any octets are read; what is handed on may hold any of them.  One thread.
 */
#ifndef MLMILTER_CTL_IMPORT_ALIAS_FILE_H
#define MLMILTER_CTL_IMPORT_ALIAS_FILE_H

#include "text/span.h"

#include <stddef.h>

#define ALIAS_FILE_MIB_MAX 64

enum alias_target_kind {
    ALIAS_ADDRESS, /* or the name of an alias or a local mailbox */
    ALIAS_COMMAND,
    ALIAS_MAILBOX_FILE,
    ALIAS_INCLUDE
};

struct alias_target {
    enum alias_target_kind kind;
    struct span text; /* quotes undone; without the "|" and without the ":include:" */
};

/* Lives for one call of the visitor. */
struct alias {
    struct span name; /* quotes undone, letter case as written; never empty */
    const struct alias_target *targets;
    size_t count;
    const char *file; /* as it was given */
    int line;         /* where it begins */
};

struct alias_visitor {
    void *context;

    void (*alias)(void *context, const struct alias *alias);

    /* Gets each line that is no alias, and a file (line 0) that cannot be read. */
    void (*fault)(void *context, const char *file, int line, const char *fault);
};

/* Calls the visitor for each alias of a text. */
void alias_text_each(const char *file, struct span text, const struct alias_visitor *visitor);

/* Calls the visitor for each alias of a regular file of at most ALIAS_FILE_MIB_MAX. Never waits. */
void alias_file_each(const char *path, const struct alias_visitor *visitor);

#endif

/*
 * uri_template - texts with {variables} (RULINGS 42 to 47; LH-15, SU-09, SU-10, SU-17, AT-10)
 *
 *   template = *( text / variable )
 *   variable = "{" name [ ":" width ] "}"       width = 1 to 64
 *
 * A template is compiled once, bound to a list's own values when the
 * configuration is read, and expanded per message with what is left.
 *
 * Escaping: in a URI, a value is escaped for the part of the URI it stands in,
 * which is the query after the first "?" or "#" of the text before it, else the
 * path, that of a mailto: by its own rule (RULINGS 44, 85).  Only literal text and
 * {archive} can hold a "?" or "#", so binding knows the part of every variable.  {archive} stands
 * only at the very start; one "/" follows it, however many end it or stand behind it (SU-09,
 * RULINGS 42).  In plain text nothing is escaped.
 */
#ifndef MLMILTER_SPEC_URI_TEMPLATE_H
#define MLMILTER_SPEC_URI_TEMPLATE_H

#include "spec/uri.h"
#include "spec/variables.h"
#include "text/arena.h"
#include "text/span.h"
#include "text/strbuf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum template_kind { TEMPLATE_TEXT, TEMPLATE_URI };

struct template_part {
    struct span literal; /* when variable is VAR_COUNT */
    uint8_t variable;    /* enum variable, or VAR_COUNT for literal text */
    uint8_t width;       /* 0: none */
    uint8_t part;        /* enum uri_part, set by template_bind */
};

struct template
{
    const struct template_part *parts; /* in the arena that template_compile or _bind was given */
    size_t count;
    uint64_t needs; /* VAR_BITs of all variables in it */
};

/* Compiles text (copied into the arena). `allowed` says which variables may stand in it; tokens
 * (may be NULL) is only looked at here. 0; 1: it is wrong and *fault (in the arena) says how, as a
 * phrase behind `"...": `; -1: out of memory. */
int template_compile(struct span text, uint64_t allowed, const struct token_names *tokens,
                     struct arena *arena, struct template *out, const char **fault);

/* Puts the values in that are set, joins neighbouring literals and finds the part of the URI of
 * each variable left. `in` may be a template that was bound before (with other values). 0 or -1
 * (memory). */
int template_bind(const struct template *in, enum template_kind kind,
                  const struct variable_values *values, struct arena *arena, struct template *out);

/* Appends the text of a bound template. 0: done; 1: a value is missing; 2: it is there, but the
 * segment of the path that it stands in leads elsewhere with it (uri_ends_elsewhere;
 * RULINGS 86, AT-14): that of a list does not count. With 1 and 2 nothing is appended, and *lacking
 * says which one (unless NULL). Memory: see strbuf_failed. */
int template_expand(const struct template *t, enum template_kind kind,
                    const struct variable_values *values, struct strbuf *out,
                    enum variable *lacking);

/* The literal text of a template that needs no variables after binding. */
struct span template_literal(const struct template *t);

#endif

/*
 * uri_template - texts with {variables} (RULINGS 42 to 47; LH-15, SU-09, SU-10, SU-17, AT-10)
 *
 *   template = *( text / variable )
 *   variable = "{" name [ ":" width ] "}"       width = 1 to 64
 *
 * A template is compiled once and expanded for each message.  Plain text gets values as they are;
 * in a URI, each value is escaped for its part of the URI (RULINGS 44, 85).  {archive} is not
 * escaped. It may only be at the start, and exactly one "/" follows it (SU-09).
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
    const char *text; /* literal text, or NULL */
    uint32_t length;
    uint8_t variable;    /* enum variable, or VAR_COUNT for literal text */
    uint8_t width;       /* 0: none */
    bool is_before_path; /* a variable in the scheme or the host name of a URI */
};

struct template
{
    const struct template_part *parts;
    uint64_t needs; /* VAR_BITs of all its variables */
    uint32_t count; /* of parts */
    bool is_uri;
    bool has_domain_in_host; /* {address_domain} is in its host name */
};

/* Returns the text of a literal part; empty for a variable. */
static inline struct span template_literal(const struct template_part *part)
{
    return span_of(part->text, part->length);
}

/* Returns the literal text that a template begins with; empty if a variable is first. */
static inline struct span template_begin(const struct template *t)
{
    return t->count > 0 ? template_literal(&t->parts[0]) : span_of(NULL, 0);
}

/* Compiles text, which is copied into the arena. `allowed` are the variables that it may have;
 * tokens may be NULL. Returns NULL, or the fault as a phrase to follow the quoted text (in the
 * arena). */
const char *template_compile(struct span text, enum template_kind kind, uint64_t allowed,
                             const struct token_names *tokens, struct arena *arena,
                             struct template *out);

/* Appends the text with these values and returns VAR_COUNT. Or appends nothing and returns the
 * first variable without a usable value: it has none, or would make a segment of the path ".", ".."
 * or empty (RULINGS 86, AT-14). */
enum variable template_expand(const struct template *t, const struct variable_values *values,
                              struct strbuf *out);

/* Appends the text with these values; variables without a value stay as they are written. */
void template_show(const struct template *t, const struct variable_values *values,
                   const struct token_names *tokens, struct strbuf *out);

/* Appends the URI with a sample for each value that is not set: `sample`, or a text of usual length
 * if that is NULL or the variable is {archive}. Returns NULL, or the fault as a static phrase to
 * follow the quoted text: the template makes no URI, or its host name has a value of the message or
 * the recipient (RULINGS 47). */
const char *template_try(const struct template *uri, const struct variable_values *values,
                         const char *sample, struct strbuf *out);

#endif

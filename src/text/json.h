/*
 * json - text as a JSON string (RFC 8259), quotation marks included
 */
#ifndef MLMILTER_TEXT_JSON_H
#define MLMILTER_TEXT_JSON_H

#include "text/span.h"
#include "text/strbuf.h"

#include <stdint.h>

/* Appends s as a JSON string. The result is valid UTF-8: a byte that is not part of valid UTF-8
 * becomes U+FFFD. Control characters and Unicode's line separators are escaped, so that the result
 * is one line for every reader and cannot steer a terminal. */
void json_add_string(struct strbuf *out, struct span s);

/* Appends "name":, after a comma unless an object or array begins here. */
void json_add_name(struct strbuf *out, const char *name);

/* Append a name and its value. */
void json_add_text(struct strbuf *out, const char *name, struct span value);
void json_add_number(struct strbuf *out, const char *name, uint64_t value);

#endif

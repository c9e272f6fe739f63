/*
 * json - text as a JSON string (RFC 8259), quotation marks included
 */
#ifndef MLMILTER_TEXT_JSON_H
#define MLMILTER_TEXT_JSON_H

#include "text/span.h"
#include "text/strbuf.h"

/* Appends s as a JSON string. The result is valid UTF-8 whatever s holds: an octet that is not part
 * of valid UTF-8 becomes U+FFFD. It is one line for every reader and steers no terminal: control
 * characters and line separators of Unicode are escaped too. */
void json_add_string(struct strbuf *out, struct span s);

#endif

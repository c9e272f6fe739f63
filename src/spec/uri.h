/*
 * uri - Uniform Resource Identifiers (RFC 3986)
 *
 * Pure; any thread.
 */
#ifndef MLMILTER_SPEC_URI_H
#define MLMILTER_SPEC_URI_H

#include "text/span.h"
#include "text/strbuf.h"

#include <stdbool.h>

/* Which part of a URI a text is put into decides what is escaped; each keeps less than those above
 * it.
 */
enum uri_part {
    URI_PATH,   /* pchar stays: A-Za-z0-9 - . _ ~ ! $ & ' ( ) * + , ; = : @ */
    URI_MAILTO, /* of a mailto: the same but & ; = (RFC 6068 2, RULINGS 85) */
    URI_QUERY   /* unreserved characters only: A-Za-z0-9 - . _ ~ */
};

/* Appends text; every octet that the part does not keep becomes %HH, upper case (RULINGS 44). */
void uri_escape(struct strbuf *out, struct span text, enum uri_part part);

/* Is the last segment of the path, which is escaped, one that whoever follows it takes away, and
 * more with it, or none at all? Escaping is no help: "%2E%2E" is ".." (RFC 3986 6.2.2.2 and 5.2.4),
 * and many servers take "%2F" and "%5C" for separators. A segment between these may be empty
 * (RULINGS 86). */
bool uri_ends_elsewhere(struct span path);

/* NULL when uri may be shown to people's mail programs (LH-05, LH-14, RULINGS 35, 63): it has a
 * scheme that is none of file, javascript, data and vbscript, and only characters of a URI, each in
 * a place where it may stand; "%" has two hexadecimal digits behind it; http, https and ftp have
 * "//" and a host. Else what is wrong, as a phrase behind `"...": `. Static storage. */
const char *uri_fault(struct span uri);

/* The scheme of uri, empty when it has none. */
struct span uri_scheme(struct span uri);

/* Is it one of those of IANA's registry that a mailing list may have a use for (RULINGS 84)? */
bool uri_scheme_is_known(struct span scheme);

/* Is it one that may not be shown to people's mail programs (LH-14, RULINGS 63)? */
bool uri_scheme_is_harmful(struct span scheme);

/* The scheme is this one, ASCII letter case aside ("mailto"). */
bool uri_has_scheme(struct span uri, const char *scheme);

#endif

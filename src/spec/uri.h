/*
 * uri - Uniform Resource Identifiers (RFC 3986)
 *
 * Pure; any thread.
 */
#ifndef MLMILTER_SPEC_URI_H
#define MLMILTER_SPEC_URI_H

#include "text/arena.h"
#include "text/span.h"
#include "text/strbuf.h"

#include <stdbool.h>

/* The part of a URI that a text is put into, ordered from least to most escaped. */
enum uri_part {
    URI_PATH,   /* pchar stays: A-Za-z0-9 - . _ ~ ! $ & ' ( ) * + , ; = : @ */
    URI_MAILTO, /* of a mailto: as in a path, except & ; = (RFC 6068 2, RULINGS 85) */
    URI_QUERY   /* unreserved characters only: A-Za-z0-9 - . _ ~ */
};

/* Appends text; every byte that the part does not keep becomes %HH, in upper case (RULINGS 44). */
void uri_escape(struct strbuf *out, struct span text, enum uri_part part);

/* Returns the text with each "%HH" decoded (RFC 3986 2.1), in the arena. */
struct span uri_decode(struct span text, struct arena *arena);

/* Returns NULL if uri may be given to mail programs (LH-05, LH-14, RULINGS 35, 63), else the fault
 * as a phrase to follow the quoted URI (static). The scheme must not be file, javascript, data or
 * vbscript. Each character must be allowed at its place, with two hexadecimal digits after "%".
 * http, https and ftp need a host, mailto an address with a local part and a domain. */
const char *uri_fault(struct span uri);

/* True if a mailto: has an "@" in each address, and "=" in each field, with "&" between fields only
 * (RFC 6068 2). */
bool uri_mailto_is_right(struct span uri);

/* Returns the scheme of uri, empty if it has none. */
struct span uri_scheme(struct span uri);

/* True if the scheme is in IANA's registry, and a list may have a use for it (RULINGS 84). */
bool uri_scheme_is_known(struct span scheme);

/* True if the scheme of uri is this one ("mailto"), ASCII letter case aside. */
bool uri_has_scheme(struct span uri, const char *scheme);

#endif

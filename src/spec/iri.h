/*
 * iri - Internationalized Resource Identifiers become URIs (RFC 3987 3.1; AT-07, RULINGS 51, 67)
 *
 * What stands in a header is always a URI.  Texts of the configuration are
 * converted when they are read.
 */
#ifndef MLMILTER_SPEC_IRI_H
#define MLMILTER_SPEC_IRI_H

#include "text/arena.h"
#include "text/span.h"

/* Converts text, which may be a template: braces and what is in them stay as they are. A host name
 * with other than ASCII behind "scheme://" becomes A-labels (user and port aside); every other
 * octet from 0x80 becomes %HH. *uri is text itself when it is ASCII, else it lives in the arena. 0;
 * 1: *fault (static) says what is wrong, as a phrase behind `"...": ` (not UTF-8, no host name, a
 * variable within an international label, or libidn2 is not built in); -1: out of memory. */
int iri_to_uri(struct span text, struct arena *arena, struct span *uri, const char **fault);

/* The domain with its international labels as A-labels. *ascii is domain itself when it is ASCII,
 * else it lives in the arena. Returns as iri_to_uri. */
int domain_to_ascii(struct span domain, struct arena *arena, struct span *ascii,
                    const char **fault);

#endif

/*
 * iri - Internationalized Resource Identifiers become URIs (RFC 3987 3.1; AT-07, RULINGS 51, 67)
 *
 * A header contains URIs only.  Texts of the configuration are converted when they are read.
 */
#ifndef MLMILTER_SPEC_IRI_H
#define MLMILTER_SPEC_IRI_H

#include "text/arena.h"
#include "text/span.h"

/* Converts text, which may be a template: braces and what is in them stay. An international host
 * name after "scheme://" becomes A-labels; every other byte from 0x80 becomes %HH. *uri is text
 * itself if that is ASCII, else it lives in the arena. Returns NULL, or the fault as a phrase to
 * follow the quoted text (static): text is not UTF-8, or its host name is wrong, has a variable
 * (RULINGS 108) or needs libidn2, which is not built in. */
const char *iri_to_uri(struct span text, struct arena *arena, struct span *uri);

/* Converts an international domain to A-labels. *ascii is domain itself if that is ASCII, else it
 * lives in the arena. Returns as iri_to_uri does. */
const char *domain_to_ascii(struct span domain, struct arena *arena, struct span *ascii);

#endif

/*
 * archived_at - Archived-At (RFC 5064): its value, and which messages get none
 *
 * Pure; any thread.
 */
#ifndef MLMILTER_SPEC_ARCHIVED_AT_H
#define MLMILTER_SPEC_ARCHIVED_AT_H

#include "mail/header.h"
#include "text/arena.h"
#include "text/span.h"

/* Returns the URI of an Archived-At value, without white space and brackets (AT-03, RULINGS 29). It
 * is a part of value or lives in the arena. */
struct span archived_at_uri(struct span value, struct arena *arena);

enum content_kind { CONTENT_OTHER, CONTENT_FIRST_FRAGMENT, CONTENT_FRAGMENT, CONTENT_DIGEST };

/* Returns the kind of the text of a Content-Type: message/partial (AT-06), with number=1 or not,
 * multipart/digest, or any other. */
enum content_kind archived_at_content_kind(struct span content_type);

/* Returns the name of the first field that asks for no archiving (AT-04, RULINGS 13), or
 * FIELD_OTHER. */
enum field_name archived_at_wish(const struct header *header, struct arena *arena);

#endif

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

#include <stdbool.h>

/* A value, unfolded and trimmed, taken apart: what stands within its angle brackets, and behind
 * them, as it is. false: it is not in angle brackets. */
struct archived_at_parts {
    struct span inside, behind;
};
bool archived_at_split(struct span text, struct archived_at_parts *parts);

/* The URI of an Archived-At value: white space deleted, brackets off (AT-03, RULINGS 29). It lives
 * in the arena. 0 or -1 (memory). */
int archived_at_uri(struct span value, struct arena *arena, struct span *uri);

enum content_kind { CONTENT_OTHER, CONTENT_FRAGMENT, CONTENT_DIGEST };

/* By the text of Content-Type: message/partial (AT-06), multipart/digest, or anything else. */
enum content_kind archived_at_content_kind(struct span content_type);

/* Does the message ask not to be archived (AT-04, RULINGS 13)? *field is the one that says so, or
 * FIELD_OTHER. 0 or -1 (memory). */
int archived_at_wish(const struct header *header, struct arena *arena, enum field_name *field);

#endif

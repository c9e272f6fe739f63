/*
 * dkim_signature - the fields that a DKIM-Signature covers, and its domain (RFC 6376 3.5)
 *
 * An ARC-Message-Signature (RFC 8617 4.1.2) has these tags, too.  No signature is verified: callers
 * want to know which signatures an edit breaks.  Pure; any thread.
 */
#ifndef MLMILTER_SPEC_DKIM_SIGNATURE_H
#define MLMILTER_SPEC_DKIM_SIGNATURE_H

#include "mail/field_name.h"
#include "text/span.h"

#include <stdbool.h>
#include <stddef.h>

/* Counts how often the tag h= of an unfolded value names each field; FIELD_OTHER is always 0. A
 * count may be larger than the message's number of fields ("oversigned"): then adding a field
 * breaks the signature. */
void dkim_signed_counts(struct span value, size_t counts[FIELD_NAME_COUNT]);

/* True if the signer's domain is aligned with the author's (RFC 7489 3.1.1, relaxed): they are
 * equal, or one is a parent of the other, and the shorter one has two labels at least. There is no
 * list of public suffixes. ASCII letter case aside. */
bool dkim_is_aligned(struct span signer, struct span author);

/* Returns the tag d= of the value without blanks, or an empty span. It is a part of value. */
struct span dkim_domain(struct span value);

#endif

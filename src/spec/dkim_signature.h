/*
 * dkim_signature - which fields a DKIM-Signature covers (RFC 6376 3.5), and whose it is
 *
 * An ARC-Message-Signature (RFC 8617 4.1.2) has the same tags.
 *
 * Signatures are not checked here: it is only to be known which of them an edit
 * breaks.
 */
#ifndef MLMILTER_SPEC_DKIM_SIGNATURE_H
#define MLMILTER_SPEC_DKIM_SIGNATURE_H

#include "mail/field_name.h"
#include "text/span.h"

#include <stdbool.h>
#include <stddef.h>

/* How often the tag h= of an unfolded value names each field; a name may stand there more often
 * than the message has fields ("over-signed"): then a further field breaks the signature, too. All
 * 0 when the value has no h=; FIELD_OTHER is always 0. One pass for all names: this is asked of
 * every signed post. Pure. */
void dkim_signed_counts(struct span value, size_t counts[FIELD_NAME_COUNT]);

/* Is the signer's domain that of an author (RFC 7489 3.1.1, relaxed, without a list of public
 * suffixes): the same, or one is a parent of the other and the shorter one has two labels at least?
 * ASCII letter case aside. Pure. */
bool dkim_is_aligned(struct span signer, struct span author);

/* The tag d= of the value, blanks off; empty when it has none. Points into value. */
struct span dkim_domain(struct span value);

#endif

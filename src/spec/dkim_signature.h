/*
 * dkim_signature - which fields a DKIM-Signature covers (RFC 6376 3.5)
 *
 * Signatures are not checked here: it is only to be known which of them an edit
 * breaks.
 */
#ifndef MLMILTER_SPEC_DKIM_SIGNATURE_H
#define MLMILTER_SPEC_DKIM_SIGNATURE_H

#include "mail/field_name.h"
#include "text/span.h"

#include <stddef.h>

/* How often the tag h= of an unfolded value names each field; a name may stand there more often
 * than the message has fields ("over-signed"): then a further field breaks the signature, too. All
 * 0 when the value has no h=; FIELD_OTHER is always 0. One pass for all names: this is asked of
 * every signed post. Pure. */
void dkim_signed_counts(struct span value, size_t counts[FIELD_NAME_COUNT]);

/* The tag d= of the value, blanks off; empty when it has none. Points into value. */
struct span dkim_domain(struct span value);

#endif

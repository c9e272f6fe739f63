/*
 * plan_signatures - the signatures that cover what the plan edits (RFC 6376; RULINGS 83)
 *
 * 0, or -1 when out of memory, where nothing else is said.
 */
#ifndef MLMILTER_PLAN_PLAN_SIGNATURES_H
#define MLMILTER_PLAN_PLAN_SIGNATURES_H

#include "plan/plan_builder.h"

/* Sets b->spared: what is not added for the sake of an author's signature. */
int plan_spare_signed(struct builder *b);

/* Notes which DKIM-Signatures and ARC-Message-Signatures cover fields that the plan edits. */
int plan_note_signatures(struct builder *b);

#endif

/*
 * apply_edits - a plan becomes calls of libmilter
 */
#ifndef MLMILTER_MILTER_APPLY_EDITS_H
#define MLMILTER_MILTER_APPLY_EDITS_H

#include "plan/plan.h"
#include "text/strbuf.h"

#include <libmilter/mfapi.h>

/* Sends all edits of the plan, in one write if libmilter lets us; to be called within xxfi_eom.
 * packets is overwritten. 0; -1: an edit could not be sent, some before it may have
 * been: the message must not be accepted. */
int apply_edits(SMFICTX *ctx, const struct plan *plan, struct strbuf *packets);

/* libmilter takes char * for texts that it only reads. */
char *libmilter_text(const char *text);

#endif

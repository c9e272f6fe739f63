/*
 * apply_edits - sends the edits of a plan
 */
#ifndef MLMILTER_MILTER_APPLY_EDITS_H
#define MLMILTER_MILTER_APPLY_EDITS_H

#include "plan/plan.h"
#include "text/strbuf.h"

#include <libmilter/mfapi.h>

/* Sends all edits of the plan, within xxfi_eom, in one write if libmilter permits. Overwrites
 * packets. Returns 0, or -1 if an edit could not be sent; then the message must not be accepted. */
int apply_edits(SMFICTX *ctx, const struct plan *plan, struct strbuf *packets);

/* Returns text as char *, which libmilter wants for texts that it only reads. */
char *libmilter_text(const char *text);

#endif

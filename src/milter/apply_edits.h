/*
 * apply_edits - sends the edits of a plan
 */
#ifndef MLMILTER_MILTER_APPLY_EDITS_H
#define MLMILTER_MILTER_APPLY_EDITS_H

#include "plan/plan.h"

#include <libmilter/mfapi.h>

/* Makes all edits of the plan, within xxfi_eom. They leave together with SMFIS_ACCEPT, or not at
 * all (libmilter/connection.h). Returns 0, or -1 if libmilter took one not; then the message must
 * not be accepted. */
int apply_edits(SMFICTX *ctx, const struct plan *plan);

/* Returns text as char *, which libmilter wants for texts that it only reads. */
char *libmilter_text(const char *text);

#endif

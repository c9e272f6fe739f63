/*
 * check_signatures - one-click unsubscription (RFC 8058), DKIM, and what large providers ask for
 */
#ifndef MLMILTER_LINT_CHECK_SIGNATURES_H
#define MLMILTER_LINT_CHECK_SIGNATURES_H

#include "lint/context.h"

/* List-Unsubscribe and List-Unsubscribe-Post. */
void lint_check_unsubscribe(struct lint_context *c);

/* Which fields the list's signatures cover, and whether one speaks for the author. Nothing is
 * verified. */
void lint_check_signatures(struct lint_context *c);

#endif

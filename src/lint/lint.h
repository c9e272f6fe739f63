/*
 * lint - what is wrong in the header of a list's message, clause by clause (RULINGS 93)
 *
 * Any message, not mlmilter's alone.  What mlmilter writes gives advice at most, but for
 * what nobody can tell from others' faults: a token of 32 characters of A-Z and 2-7 at the
 * end of Archived-At, comments that look like broken encoded words, and one-click beside
 * an author's signature of the list's own domain.
 * One struct lint serves any number of messages, one after the other; one thread.
 */
#ifndef MLMILTER_LINT_LINT_H
#define MLMILTER_LINT_LINT_H

#include "lint/findings.h"
#include "lint/memo.h"
#include "mail/message.h"
#include "text/span.h"

#include <stdbool.h>

struct lint {
    struct span domain; /* set by the caller: the list's, or empty where it is to be told from the
                           message */
    struct lint_memo memos[FIELD_NAME_COUNT];
    struct lint_findings findings; /* of the message that was looked at last */
    struct span id;                /* the text of its Message-ID; .p is NULL when there is none */
};

void lint_init(struct lint *lint);
void lint_free(struct lint *lint);

/* Looks at a message: lint->findings and lint->id are what was found, and live until the next call;
 * so must m. 0, or -1: memory or libcrypto. */
int lint_message(struct lint *lint, const struct message *m);

#endif

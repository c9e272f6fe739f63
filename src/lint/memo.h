/*
 * memo - what was found in a field that is the same in all messages of a list
 *
 * Half the time that lint took for an mbox of 60,000 posts (0.49 s, then 0.28 s) went into
 * List-Help and the others, which are the same from one message to the next.  One thread.
 */
#ifndef MLMILTER_LINT_MEMO_H
#define MLMILTER_LINT_MEMO_H

#include "lint/findings.h"
#include "text/strbuf.h"

#include <stdbool.h>

#define LINT_MEMO_RULES 8

/* Of one name: all zero at first. */
struct lint_memo {
    struct strbuf value; /* the last one */
    enum lint_rule rules[LINT_MEMO_RULES];
    size_t count;
    bool is_set;
};

/* Finds again what was found in that value; false: it is another one, or texts are wanted. */
bool lint_memo_replay(const struct lint_memo *memo, struct lint_findings *findings,
                      const struct field *field, size_t place);

/* Keeps what was found in the value: the findings from number `from` on. */
void lint_memo_keep(struct lint_memo *memo, const struct lint_findings *findings,
                    const struct field *field, size_t from);

#endif

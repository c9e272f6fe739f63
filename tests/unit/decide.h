/*
 * decide - one decision from texts: a configuration, a transaction and a message
 *
 * For the tests of plan/.  The outcome is a compact text that a table can hold:
 *
 *     distribution a.example rule             also "response", "removes only"
 *     -List-Id 2|value [LI-12]
 *     +Archived-At|value [AT-01]
 *     550 5.7.1 text
 *     note text
 */
#ifndef MLMILTER_TESTS_DECIDE_H
#define MLMILTER_TESTS_DECIDE_H

#include "config/load.h"
#include "mail/message.h"
#include "plan/plan.h"
#include "plan/plan_print.h"

#include <stdbool.h>

struct decide {
    struct settings *settings;
    struct envelope envelope;
    struct message message;
    struct arena arena;
    struct facts facts;
    struct span deferred[8];
    struct post_record record; /* what the store says, if the post asks it */
    struct decided made;
    struct strbuf outcome;
};

/* A transaction in words: space-separated "client=ADDR", "auth", "daemon=NAME", "from=ADDR",
 * "to=ADDR" (repeatable), "mta=ADDR" ({rcpt_addr} of the "to=" before
 * it), after these "local" ({rcpt_mailer}), "cleanup" (Postfix' local submission), "msgid=TEXT"
 * ({msg_id}), "list=ID" (forced). Without a client: local. What the store says: "number=N", "next"
 * (N is not given yet), "reused" (the first fingerprint is all octets AB), "known" (nothing but
 * that it knows the post), "storefail".
 */
void decide_open(struct decide *d, const char *configuration);
const char *decide_message(struct decide *d, const char *transaction, const char *message);
void decide_close(struct decide *d);

/* A decision and what must come of it. */
struct decide_row {
    const char *transaction;
    const char *message;
    const char *outcome;
};

/* Decides each row with this configuration, and fails when one is wrong. */
void decide_table(const char *configuration, const struct decide_row *rows, size_t count);

/* Adds the recipients of a transaction. answers (may be NULL) becomes a letter for each: "a"
 * accepted, "d" deferred because of another list, "p" because of a private recipient. */
void decide_recipients(struct decide *d, const char *transaction, char *answers);

#endif

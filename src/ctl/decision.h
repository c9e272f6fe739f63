/*
 * decision - decides one message of one transaction as the daemon does
 *
 * For filter and explain: options, configuration, message, selection and plan.
 */
#ifndef MLMILTER_CTL_DECISION_H
#define MLMILTER_CTL_DECISION_H

#include "config/load.h"
#include "ctl/command.h"
#include "ctl/transaction.h"
#include "mail/message.h"
#include "plan/decide.h"
#include "plan/envelope.h"
#include "text/arena.h"
#include "text/strbuf.h"

struct decision {
    struct arena arena;
    struct strbuf text; /* the message as it came */
    struct message message;
    struct envelope envelope;
    struct facts facts;
    struct decided made;
    const char *store_note; /* of explain, about a store that cannot be used; NULL: none */
};

/* Writes the decision. Returns the exit status. */
typedef int decision_writer(const struct decision *d, const struct transaction *transaction);

struct decision_kind {
    const char *own_option; /* "json" or "diff" */
    bool look_only;         /* the store is read, not written, and need not exist (RULINGS 55) */
    enum key_reading keys;  /* RULINGS 82 */
    decision_writer *writer;
};

/* Runs the command: reads, decides and calls the writer. Returns the exit status. */
int decision_command(const struct decision_kind *kind, struct invocation *invocation, int argc,
                     char **argv);

#endif

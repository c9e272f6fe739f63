/*
 * decision - one message and one transaction, taken through the core
 *
 * What filter and explain have in common: options, configuration, the message on
 * standard input, and the same selection and plan as in the daemon.
 */
#ifndef MLMILTER_CTL_DECISION_H
#define MLMILTER_CTL_DECISION_H

#include "ctl/command.h"
#include "ctl/transaction.h"
#include "mail/message.h"
#include "plan/envelope.h"
#include "plan/facts.h"
#include "plan/plan.h"
#include "plan/selection.h"
#include "text/arena.h"
#include "text/strbuf.h"

struct decision {
    struct arena arena;
    struct strbuf text; /* the message as it came */
    struct message message;
    struct envelope envelope;
    struct facts facts;
    struct selection selection;
    struct plan plan;
};

/* Says what was decided, as the command does. Returns the exit status. */
typedef int decision_writer(const struct decision *d, const struct transaction *transaction);

/* Runs the command: reads, decides and calls the writer. Returns the exit status. */
int decision_command(const char *command, bool takes_json, struct invocation *invocation, int argc,
                     char **argv, decision_writer *writer);

#endif

/*
 * decide_message - decides one message of one transaction as the daemon does, for explain and
 * filter
 */
#ifndef MLMILTER_CTL_DECIDE_MESSAGE_H
#define MLMILTER_CTL_DECIDE_MESSAGE_H

#include "config/load.h"
#include "ctl/options.h"
#include "mail/message.h"
#include "plan/decide.h"
#include "plan/envelope.h"
#include "text/arena.h"
#include "text/strbuf.h"

struct decision {
    struct arena arena;
    struct settings *settings;
    struct strbuf text; /* the message as it came */
    struct message message;
    struct envelope envelope;
    struct facts facts;
    struct decided made;
    struct strbuf store_note; /* of explain, about a store that it cannot use; empty: none */
};

/* Reads message and configuration and decides. look_only: the store is read, not written, and need
 * not exist (RULINGS 55). Returns EX_OK, or another exit status after a message. Call decision_free
 * in any case. */
int decide_message(struct decision *d, const struct options *o, bool look_only,
                   enum key_reading keys);
void decision_free(struct decision *d);

#endif

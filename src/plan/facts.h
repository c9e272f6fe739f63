/*
 * facts - the input of a decision (types only)
 */
#ifndef MLMILTER_PLAN_FACTS_H
#define MLMILTER_PLAN_FACTS_H

#include "config/settings.h"
#include "mail/header.h"
#include "plan/envelope.h"

/* The facts about one message, borrowed from the caller for one decision. */
struct facts {
    const struct settings *settings;
    const struct envelope *envelope;
    const struct header *header;
    struct span mta_message_id; /* Sendmail's {msg_id}, or empty */
    int64_t arrival;            /* seconds since 1970 UTC */
    /* Recipients that must come in another transaction, as given; for explain. */
    const struct span *deferred;
    size_t deferred_count;
};

#endif

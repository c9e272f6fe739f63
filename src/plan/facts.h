/*
 * facts - all that is known about one message
 *
 * Borrowed from the caller for one decision; nothing is copied.
 */
#ifndef MLMILTER_PLAN_FACTS_H
#define MLMILTER_PLAN_FACTS_H

#include "mail/header.h"
#include "plan/envelope.h"
#include "text/arena.h"
#include "text/span.h"

#include <stdint.h>

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

/* Returns the text (unfolded, trimmed) of the first field of that name; its p is NULL if there is
 * none. */
struct span facts_first(const struct facts *facts, enum field_name name, struct arena *arena);

/* Returns the text (unfolded, trimmed) of the field at that place of the header. */
struct span facts_text(const struct facts *facts, size_t place, struct arena *arena);

#endif

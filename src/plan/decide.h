/*
 * decide - the decision about one message: which list, which post, which edits
 *
 * The daemon, mlmilterctl and the tests decide by this function alone.  It is pure except for the
 * store, which the caller asks.
 */
#ifndef MLMILTER_PLAN_DECIDE_H
#define MLMILTER_PLAN_DECIDE_H

#include "plan/plan.h"

struct decided {
    struct selection selection;
    struct post post;
    struct post_record record;
    struct plan plan;
};

struct decide_store {
    /* Looks up d->post in the store and fills d->record. */
    void (*ask)(void *self, struct decided *d);
    void *self;
};

/* Decides about a message. With `forced` it is a distribution of this list, else (NULL) the rules
 * choose the list. Texts are borrowed from the facts or live in the arena. */
void decide(const struct facts *facts, const struct list *forced, const struct decide_store *store,
            struct arena *arena, struct decided *d);

#endif

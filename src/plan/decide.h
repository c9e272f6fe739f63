/*
 * decide - the decision about one message, from what is known of it to its edits
 *
 * Which list, which post, what the store says about that, and the plan: the one
 * way there, for the daemon, mlmilterctl and the tests.  Pure but for the store,
 * which the caller asks.
 */
#ifndef MLMILTER_PLAN_DECIDE_H
#define MLMILTER_PLAN_DECIDE_H

#include "plan/facts.h"
#include "plan/plan.h"
#include "plan/post.h"
#include "plan/selection.h"
#include "text/arena.h"

struct decided {
    struct selection selection;
    struct post post;
    struct post_record record;
    struct plan plan;
};

/* How the store is asked. */
struct decide_store {
    /* Fills d->record with what the store says about d->post, which is one to ask about. */
    void (*ask)(void *self, struct decided *d);
    void *self;
};

/* Decides; texts are borrowed from the facts or live in the arena. forced: distribution of this
 * list, whatever the rules say (NULL: they say). NULL; or a phrase that says what could not be
 * done, for want of memory or because libcrypto failed. */
const char *decide(const struct facts *facts, const struct list *forced,
                   const struct decide_store *store, struct arena *arena, struct decided *d);

#endif

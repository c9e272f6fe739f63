/* decide - see decide.h */
#include "plan/decide.h"

void decide(const struct facts *facts, const struct list *forced, const struct decide_store *store,
            struct arena *arena, struct decided *d)
{
    *d = (struct decided){.selection = forced != NULL ? selection_force(facts, forced, arena)
                                                      : selection_make(facts, arena)};
    d->post = post_identify(facts, &d->selection, arena);
    if (post_needs_store(&d->post))
        store->ask(store->self, d);
    plan_build(facts, &d->selection, &d->post, &d->record, arena, &d->plan);
}

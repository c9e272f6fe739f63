/* decide - selection, post, the store's word, plan: see decide.h */
#include "plan/decide.h"

#include <string.h>

const char *decide(const struct facts *facts, const struct list *forced,
                   const struct decide_store *store, struct arena *arena, struct decided *d)
{
    int result = forced != NULL ? selection_force(facts, forced, arena, &d->selection)
                                : selection_make(facts, arena, &d->selection);
    if (result != 0)
        return "no list could be chosen, out of memory";
    if (post_identify(facts, &d->selection, arena, &d->post) != 0)
        return "the post could not be identified, out of memory";
    memset(&d->record, 0, sizeof d->record);
    if (d->post.asks_store)
        store->ask(store->self, d);
    if (plan_build(facts, &d->selection, &d->post, &d->record, arena, &d->plan) != 0)
        return "no plan could be made, out of memory or no digest";
    return NULL;
}

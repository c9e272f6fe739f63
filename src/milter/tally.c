/* Counting messages by what was done with them. */
#include "milter/tally.h"

void tally_one(const struct milter_host *host, enum host_count what)
{
    host->count(host->self, what, 1);
}

void tally_not_ours(const struct milter_host *host, bool early)
{
    tally_one(host, COUNT_NOT_OURS);
    if (early)
        tally_one(host, COUNT_ACCEPTED_EARLY);
}

static enum host_count done(enum role role, enum plan_action action, bool dry_run)
{
    bool feed = role == ROLE_FEED;
    if (dry_run)
        return feed ? COUNT_FEED_DRY_RUN : COUNT_DISTRIBUTION_DRY_RUN;
    switch (action) {
    case ACTION_REJECT:
        return feed ? COUNT_FEED_REJECT : COUNT_DISTRIBUTION_REJECT;
    case ACTION_TEMPFAIL:
        return feed ? COUNT_FEED_TEMPFAIL : COUNT_DISTRIBUTION_TEMPFAIL;
    case ACTION_ACCEPT:
        break;
    }
    return feed ? COUNT_FEED_ACCEPT : COUNT_DISTRIBUTION_ACCEPT;
}

/* What plan_build refuses a post for, in its order. */
static enum host_count why_refused(const struct decided *d)
{
    switch (d->post.fault) {
    case POST_TOO_LARGE:
        return COUNT_REFUSED_TOO_LARGE;
    case POST_NO_ID:
        return COUNT_REFUSED_NO_MESSAGE_ID;
    case POST_SEVERAL_IDS:
        return COUNT_REFUSED_SEVERAL_MESSAGE_IDS;
    case POST_FINE:
        break;
    }
    return d->plan.action == ACTION_REJECT ? COUNT_REFUSED_REUSED_MESSAGE_ID : COUNT_REFUSED_STORE;
}

void tally_done(const struct milter_host *host, const struct decided *d, bool dry_run)
{
    const struct plan *plan = &d->plan;
    tally_one(host, done(d->selection.role, plan->action, dry_run));
    if (plan_has_error(plan))
        tally_one(host, COUNT_ERROR_POST);
    if (dry_run)
        return;
    if (plan->action != ACTION_ACCEPT)
        tally_one(host, why_refused(d));
    if (plan->removed > 0)
        host->count(host->self, COUNT_FIELDS_REMOVED, plan->removed);
    if (plan->added > 0)
        host->count(host->self, COUNT_FIELDS_ADDED, plan->added);
}

void tally_not_done(const struct milter_host *host, enum role role, bool accepted,
                    enum host_count why)
{
    if (accepted)
        tally_one(host, COUNT_UNDECIDED_ACCEPT);
    else if (role == ROLE_NONE)
        tally_one(host, COUNT_UNDECIDED_TEMPFAIL);
    else
        tally_one(host, done(role, ACTION_TEMPFAIL, false));
    if (!accepted)
        tally_one(host, why);
}

/* Counts the generations that use a store, and says what happens while it fails. */
#include "daemon/shared_store.h"

#include "config/store_kinds.h"
#include "daemon/log.h"
#include "store/drivers.h"
#include "text/strbuf.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>

struct shared_store {
    char *url;
    struct store *store;
    bool tried;
    atomic_uint uses;
};

static struct shared_store *make(const char *url, struct store_error *error)
{
    struct shared_store *shared = calloc(1, sizeof *shared);

    strcpy(error->text, "out of memory");
    if (shared == NULL)
        return NULL;
    atomic_init(&shared->uses, 1);
    shared->url = strdup(url);
    if (shared->url != NULL)
        shared->store = store_new(url, error);
    if (shared->store != NULL)
        return shared;
    free(shared->url);
    free(shared);
    return NULL;
}

struct shared_store *shared_store_for(const struct settings *settings,
                                      struct shared_store *in_force)
{
    struct shared_store *shared;
    struct store_error error;

    if (!settings->needs_store)
        return NULL;
    if (in_force != NULL && strcmp(in_force->url, settings->store) == 0) {
        atomic_fetch_add(&in_force->uses, 1);
        return in_force;
    }
    shared = make(settings->store, &error);
    if (shared == NULL)
        shared_store_complain(settings->store, shared_store_effect(settings), "error", LOG_ERR,
                              error.text);
    return shared;
}

void shared_store_release(struct shared_store *shared, unsigned milliseconds)
{
    if (shared == NULL || atomic_fetch_sub(&shared->uses, 1) > 1)
        return;
    store_leave(shared->store, milliseconds);
    free(shared->url);
    free(shared);
}

int shared_store_try(struct shared_store *shared, struct store_error *error)
{
    if (shared == NULL || shared->tried)
        return 0;
    shared->tried = true;
    return store_try(shared->store, error);
}

void shared_store_set_last_moment(struct shared_store *shared, int64_t moment)
{
    if (shared != NULL)
        store_set_last_moment(shared->store, moment);
}

struct store *shared_store_of(const struct shared_store *shared)
{
    return shared != NULL ? shared->store : NULL;
}

/* What libpq takes may hold a password. */
static int shown_octets(const char *url)
{
    return (int)(url[store_key_path(span_cstr(url))] != '\0' ? strlen(url) : strcspn(url, ":"));
}

struct store_effect shared_store_effect(const struct settings *settings)
{
    struct store_effect effect = {0, 0};

    for (size_t i = 0; i < settings->index.count; i++) {
        const struct list *list = settings->index.lists[i];

        if (list->asks_store && list->on_store_failure == STORE_FAILURE_TEMPFAIL)
            effect.deferred++;
        else if (list->asks_store)
            effect.unnumbered++;
    }
    return effect;
}

void shared_store_complain(const char *url, struct store_effect effect, const char *severity,
                           int priority, const char *why)
{
    struct strbuf line = STRBUF_INIT;

    strbuf_addf(&line, "%s: store \"%.*s\": %s: until it answers, ", severity, shown_octets(url),
                url, why);
    if (effect.deferred > 0)
        strbuf_addf(&line, "posts of %zu list%s are deferred (on_store_failure = \"tempfail\")",
                    effect.deferred, effect.deferred == 1 ? "" : "s");
    if (effect.unnumbered > 0)
        strbuf_addf(&line, "%sposts of %zu list%s have no number (on_store_failure = \"omit\")",
                    effect.deferred > 0 ? ", " : "", effect.unnumbered,
                    effect.unnumbered == 1 ? "" : "s");
    strbuf_add_str(&line, "; each post tries again");
    log_line(priority, strbuf_failed(&line) ? "error: the store fails" : strbuf_str(&line));
    strbuf_free(&line);
}

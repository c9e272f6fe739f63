/* Counts the generations that use a store, and says what happens while it fails. */
#include "daemon/shared_store.h"

#include "daemon/log.h"
#include "text/strbuf.h"

#include <stdlib.h>
#include <string.h>
#include <syslog.h>

struct shared_store {
    char *url;
    struct store *store;
    unsigned uses;
};

static struct shared_store *make(const char *url, struct store_error *error)
{
    struct shared_store *shared = calloc(1, sizeof *shared);

    strcpy(error->text, "out of memory");
    if (shared == NULL)
        return NULL;
    shared->uses = 1;
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
        in_force->uses++;
        return in_force;
    }
    shared = make(settings->store, &error);
    if (shared == NULL)
        shared_store_complain(settings, "error", LOG_ERR, error.text);
    return shared;
}

void shared_store_release(struct shared_store *shared)
{
    if (shared == NULL || --shared->uses > 0)
        return;
    store_free(shared->store);
    free(shared->url);
    free(shared);
}

struct store *shared_store_of(const struct shared_store *shared)
{
    return shared != NULL ? shared->store : NULL;
}

/* What libpq takes may hold a password. */
static int shown_octets(const char *url)
{
    return (int)(strncmp(url, "sqlite:", 7) == 0 ? strlen(url) : strcspn(url, ":"));
}

void shared_store_complain(const struct settings *settings, const char *severity, int priority,
                           const char *why)
{
    size_t deferred = 0, unnumbered = 0;
    struct strbuf line = STRBUF_INIT;

    for (size_t i = 0; i < settings->index.count; i++) {
        const struct list *list = settings->index.lists[i];

        if (list->asks_store && list->on_store_failure == STORE_FAILURE_TEMPFAIL)
            deferred++;
        else if (list->asks_store)
            unnumbered++;
    }
    strbuf_addf(&line, "%s: store \"%.*s\": %s: until it answers, ", severity,
                shown_octets(settings->store), settings->store, why);
    if (deferred > 0)
        strbuf_addf(&line, "posts of %zu list%s are deferred (on_store_failure = \"tempfail\")",
                    deferred, deferred == 1 ? "" : "s");
    if (unnumbered > 0)
        strbuf_addf(&line, "%sposts of %zu list%s have no number (on_store_failure = \"omit\")",
                    deferred > 0 ? ", " : "", unnumbered, unnumbered == 1 ? "" : "s");
    strbuf_add_str(&line, "; each post tries again");
    log_line(priority, strbuf_failed(&line) ? "error: the store fails" : strbuf_str(&line));
    strbuf_free(&line);
}

/* Counts the generations of settings that use a store, and says what happens while it fails. */
#include "daemon/store_in_force.h"

#include "config/store_kinds.h"
#include "daemon/log.h"
#include "store/drivers.h"
#include "system/path_fault.h"
#include "text/memory.h"
#include "text/strbuf.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>

struct store_in_force {
    char *url;
    struct store *store;
    bool tried;
    unsigned uses;
};

static struct store_in_force *make(const char *url, struct store_error *error)
{
    struct store *store = store_new(url, error);
    struct store_in_force *in_force;
    if (store == NULL)
        return NULL;
    in_force = memory_new(1, sizeof *in_force);
    in_force->uses = 1;
    in_force->url = memory_copy(url);
    in_force->store = store;
    return in_force;
}

struct store_in_force *store_in_force_for(const struct settings *settings,
                                          struct store_in_force *before)
{
    struct store_in_force *in_force;
    struct store_error error;
    if (!settings->needs_store)
        return NULL;
    if (before != NULL && strcmp(before->url, settings->store) == 0) {
        before->uses++;
        return before;
    }
    in_force = make(settings->store, &error);
    if (in_force == NULL)
        store_in_force_complain(settings, "error", LOG_ERR, error.text);
    return in_force;
}

void store_in_force_release(struct store_in_force *in_force, unsigned milliseconds)
{
    if (in_force == NULL || --in_force->uses > 0)
        return;
    store_leave(in_force->store, milliseconds);
    free(in_force->url);
    free(in_force);
}

int store_in_force_try(struct store_in_force *in_force, struct store_error *error)
{
    if (in_force == NULL || in_force->tried)
        return 0;
    in_force->tried = true;
    return store_try(in_force->store, error);
}

void store_in_force_set_last_moment(struct store_in_force *in_force, int64_t moment)
{
    if (in_force != NULL)
        store_set_last_moment(in_force->store, moment);
}

struct store *store_in_force_of(const struct store_in_force *in_force)
{
    return in_force != NULL ? in_force->store : NULL;
}

/* What libpq takes may hold a password. */
static int shown_octets(const char *url)
{
    return (int)(url[store_key_path(span_cstr(url))] != '\0' ? strlen(url) : strcspn(url, ":"));
}

void store_in_force_complain(const struct settings *settings, const char *severity, int priority,
                             const char *why)
{
    const char *url = settings->store;
    struct strbuf line = STRBUF_INIT;
    size_t deferred = 0, unnumbered = 0;
    for (size_t i = 0; i < settings->index.count; i++) {
        const struct list *list = settings->index.lists[i];
        if (list->asks_store && list->on_store_failure == STORE_FAILURE_TEMPFAIL)
            deferred++;
        else if (list->asks_store)
            unnumbered++;
    }
    strbuf_addf(&line, "%s: store \"%.*s\": %s: until it answers, ", severity, shown_octets(url),
                url, why);
    if (deferred > 0)
        strbuf_addf(&line, "posts of %zu list%s are deferred (on_store_failure = \"tempfail\")",
                    deferred, deferred == 1 ? "" : "s");
    if (unnumbered > 0)
        strbuf_addf(&line, "%sposts of %zu list%s have no number (on_store_failure = \"omit\")",
                    deferred > 0 ? ", " : "", unnumbered, unnumbered == 1 ? "" : "s");
    strbuf_add_str(&line, "; each post tries again");
    log_line(priority, strbuf_str(&line));
    strbuf_free(&line);
}

/* A look-up of a post that was never seen. */
static int look(const char *url, struct span list, struct store_error *error)
{
    const struct store_post nobody = {.list = list, .numbered = true};
    struct store *store = store_new(url, error);
    struct store_answer answer;
    int result;
    if (store == NULL)
        return -1;
    result = store_look_up(store, &nobody, &answer, error);
    store_free(store);
    return result;
}

void store_in_force_check(const struct settings *settings, bool makes_directory)
{
    const char *path = settings->store + store_key_path(span_cstr(settings->store));
    struct store_error error;
    const char *fault = NULL;
    if (!settings->needs_store)
        return;
    /* SQLite writes the file and makes others beside it. */
    if (*path != '\0')
        fault = path_file_fault(path, makes_directory);
    if (fault == NULL && look(settings->store, settings->index.lists[0]->id, &error) != 0)
        fault = error.text;
    if (fault != NULL)
        store_in_force_complain(settings, "warning", LOG_WARNING, fault);
}

/* A look at the store for -n: the files of SQLite must be writable, and a look-up must succeed. At
 * a start it is opened, as the first post would do it. */
#include "daemon/store_check.h"

#include "config/store_kinds.h"
#include "daemon/shared_store.h"
#include "store/drivers.h"
#include "system/path_fault.h"

#include <syslog.h>

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

void store_check(const struct settings *settings, bool makes_directory)
{
    struct store_error error;
    const char *path = settings->store + store_key_path(span_cstr(settings->store));
    const char *fault = NULL;

    if (!settings->needs_store)
        return;
    /* SQLite writes the file and makes others beside it. */
    if (*path != '\0')
        fault = path_file_fault(path, makes_directory);
    if (fault == NULL && look(settings->store, settings->index.lists[0]->id, &error) != 0)
        fault = error.text;
    if (fault != NULL)
        shared_store_complain(settings->store, shared_store_effect(settings), "warning",
                              LOG_WARNING, fault);
}

void store_check_in_force(struct snapshot_store *snapshots, struct metrics *metrics)
{
    struct held_settings held = snapshot_acquire(snapshots);
    struct store_error error;

    if (held.store != NULL && !held.settings->dry_run &&
        shared_store_try(snapshot_shared_store(snapshots), &error) != 0) {
        metrics_count(metrics, COUNT_ERROR_STORE, 1);
        shared_store_complain(held.settings->store, shared_store_effect(held.settings), "error",
                              LOG_ERR, error.text);
    }
    snapshot_release(snapshots, held);
}

/* A look at the store for -n: the files of SQLite must be writable, and a look-up must succeed. */
#include "daemon/store_check.h"

#include "daemon/shared_store.h"
#include "store/store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include <unistd.h>

/* SQLite writes the file and makes others beside it. NULL, or what keeps it from that. */
static const char *file_fault(const char *path, bool makes_directory)
{
    const char *slash = strrchr(path, '/');
    char *directory = slash != NULL ? strndup(path, (size_t)(slash - path) + 1) : strdup("./");
    const char *fault = NULL;

    if (directory == NULL)
        return "out of memory";
    if (access(directory, W_OK | X_OK) != 0) {
        if (errno != ENOENT)
            fault = "its directory cannot be written";
        else if (!makes_directory)
            fault = "its directory is not there";
    } else if (access(path, R_OK | W_OK) != 0 && errno != ENOENT)
        fault = "it cannot be read and written";
    free(directory);
    return fault;
}

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
    const char *fault = NULL;
    struct store_error error;

    if (!settings->needs_store)
        return;
    if (strncmp(settings->store, "sqlite:", 7) == 0)
        fault = file_fault(settings->store + 7, makes_directory);
    if (fault == NULL && look(settings->store, settings->index.lists[0]->id, &error) != 0)
        fault = error.text;
    if (fault != NULL)
        shared_store_complain(settings, "warning", LOG_WARNING, fault);
}

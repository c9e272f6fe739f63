/*
 * host - what the milter floor needs from the program that runs it
 *
 * The floor above gives these functions once, before libmilter starts; floor 6
 * never looks up.  Every function may be called from any thread at any time.
 */
#ifndef MLMILTER_MILTER_HOST_H
#define MLMILTER_MILTER_HOST_H

#include "config/settings.h"
#include "store/store.h"

#include <stdbool.h>
#include <stdint.h>

enum host_log { HOST_LOG_INFO, HOST_LOG_WARNING, HOST_LOG_ERROR };

/* Settings that are held until they are given back. */
struct held_settings {
    const struct settings *settings; /* NULL: the program is stopping, take no new message */
    struct store *store;             /* NULL: the settings need none, or it could not be made */
    void *handle;
};

struct milter_host {
    void *self; /* given back to each function */

    /* The settings of this moment; every hold ends with one release. */
    struct held_settings (*acquire)(void *self);
    void (*release)(void *self, struct held_settings held);

    /* Edits of one message are sent between these two, so that a stop cannot cut them in half.
     * false: the program is about to end, send none. */
    bool (*begin_edits)(void *self);
    void (*end_edits)(void *self);

    /* One line, no line end. Octets that are not printable are made harmless there. */
    void (*log)(void *self, enum host_log level, const char *text);

    /* Seconds since 1970 UTC. */
    int64_t (*now)(void *self);
};

#endif

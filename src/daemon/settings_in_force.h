/*
 * settings_in_force - the settings in force, and older ones that messages still use
 *
 * A message holds the settings of its beginning, and their store, until it ends.  A
 * reload publishes new settings.  The main thread frees old ones that no message
 * holds, so that no message waits for it.  Main thread, except where "any thread" is
 * said.
 */
#ifndef MLMILTER_DAEMON_SETTINGS_IN_FORCE_H
#define MLMILTER_DAEMON_SETTINGS_IN_FORCE_H

#include "config/settings.h"
#include "daemon/store_in_force.h"
#include "milter/host.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

struct generation;

struct settings_in_force {
    pthread_mutex_t mutex;
    pthread_cond_t none_held;       /* signalled when `held` falls to 0 */
    struct generation *generations; /* newest first: the settings in force */
    size_t held;                    /* holds of all generations */
    unsigned published;             /* generations */
    bool stopped;
    void (*on_unused)(void); /* called in any thread when settings can be freed; not NULL */
};

/* Initialises it without settings. */
void settings_in_force_init(struct settings_in_force *in_force, void (*on_unused)(void));

/* Takes settings over and puts them in force, with the store that they need
 * (daemon/store_in_force.h). */
void settings_in_force_publish(struct settings_in_force *in_force, struct settings *settings);

/* Holds the settings in force until they are released. Returns none before the first were published
 * and after settings_in_force_stop. Any thread. */
struct held_settings settings_in_force_acquire(struct settings_in_force *in_force);
void settings_in_force_release(struct settings_in_force *in_force, struct held_settings held);

/* Returns the store of the settings in force until the next are published, or NULL. */
struct store_in_force *settings_in_force_store(const struct settings_in_force *in_force);

/* Returns the number of lists in force. */
size_t settings_in_force_list_count(const struct settings_in_force *in_force);

/* True if messages hold eight old settings or more. */
bool settings_in_force_is_full(struct settings_in_force *in_force);

/* Frees old settings that no message holds. */
void settings_in_force_free_unused(struct settings_in_force *in_force);

/* Permits no more holds. From now on a message waits for a store at most this many milliseconds
 * (store_set_last_moment). */
void settings_in_force_stop(struct settings_in_force *in_force, unsigned milliseconds);

/* Waits until there is no hold, at most this many milliseconds. True if there is none. */
bool settings_in_force_wait_idle(struct settings_in_force *in_force, unsigned milliseconds);

/* Frees all settings, or only unused ones while a message holds settings. Waits a moment for the
 * store in force to close. */
void settings_in_force_free(struct settings_in_force *in_force);

#endif

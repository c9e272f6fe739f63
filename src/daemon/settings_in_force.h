/*
 * settings_in_force - the settings that are in force, and those that a message still uses
 *
 * A message holds the settings that it began with, and their store, until it ends.
 * A reload publishes new ones; the old ones are freed by the main thread once
 * no message holds them, so that none waits for it.  Main thread, where it does not
 * say "any thread".
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
    struct generation *generations; /* the newest first: the settings in force */
    size_t held;                    /* holds of all generations */
    unsigned published;             /* generations */
    bool stopped;
    void (*on_unused)(void); /* told, in any thread, that there is something to free; never NULL */
};

void settings_in_force_init(struct settings_in_force *in_force, void (*on_unused)(void));

/* Takes settings over and puts them in force, with the store that they need
 * (daemon/store_in_force.h). */
void settings_in_force_publish(struct settings_in_force *in_force, struct settings *settings);

/* Any thread. The settings in force, held until released; none before the first were published and
 * after settings_in_force_stop. */
struct held_settings settings_in_force_acquire(struct settings_in_force *in_force);
void settings_in_force_release(struct settings_in_force *in_force, struct held_settings held);

/* The store of the settings in force, until the next ones are published. NULL: none. */
struct store_in_force *settings_in_force_store(const struct settings_in_force *in_force);

/* How many lists the settings in force have. */
size_t settings_in_force_list_count(const struct settings_in_force *in_force);

/* True if messages hold eight old settings or more. */
bool settings_in_force_is_full(struct settings_in_force *in_force);

/* Frees old settings that no message holds. */
void settings_in_force_free_unused(struct settings_in_force *in_force);

/* No more holds from now on, and a message that waits for a store does so for at most this many
 * milliseconds more (store_set_last_moment). */
void settings_in_force_stop(struct settings_in_force *in_force, unsigned milliseconds);

/* Waits until there is no hold, at most this many milliseconds. Says whether there is none. */
bool settings_in_force_wait_idle(struct settings_in_force *in_force, unsigned milliseconds);

/* Frees everything, unless a message still holds something: then only what is unused. Gives the
 * store in force a moment to close. */
void settings_in_force_free(struct settings_in_force *in_force);

#endif

/*
 * Settings with a count of the messages that use them.  The mutex is held for a few instructions
 * only; the main thread, which alone publishes and frees, reads the newest generation without it.
 */
#include "daemon/settings_in_force.h"

#include "system/memory.h"
#include "system/monotonic.h"
#include "system/patience.h"
#include "system/wait_for_none.h"
#include "text/memory.h"

#include <stdlib.h>
#include <string.h>

struct generation {
    struct settings *settings;
    struct store_in_force *store;
    size_t held;
    struct generation *next; /* the one before it */
};

void settings_in_force_init(struct settings_in_force *in_force, void (*on_unused)(void))
{
    memset(in_force, 0, sizeof *in_force);
    in_force->on_unused = on_unused;
    pthread_mutex_init(&in_force->mutex, NULL);
    monotonic_cond_init(&in_force->none_held);
}

void settings_in_force_publish(struct settings_in_force *in_force, struct settings *settings)
{
    struct generation *generation = memory_new(1, sizeof *generation);
    generation->settings = settings;
    generation->store = store_in_force_for(settings, settings_in_force_store(in_force));
    pthread_mutex_lock(&in_force->mutex);
    generation->next = in_force->generations;
    in_force->generations = generation;
    in_force->published++;
    pthread_mutex_unlock(&in_force->mutex);
    settings_in_force_free_unused(in_force);
}

struct held_settings settings_in_force_acquire(struct settings_in_force *in_force)
{
    struct held_settings held = {0};
    struct generation *newest;
    pthread_mutex_lock(&in_force->mutex);
    newest = in_force->generations;
    if (!in_force->stopped && newest != NULL) {
        newest->held++;
        in_force->held++;
        held.settings = newest->settings;
        held.store = store_in_force_of(newest->store);
        held.handle = newest;
    }
    pthread_mutex_unlock(&in_force->mutex);
    return held;
}

void settings_in_force_release(struct settings_in_force *in_force, struct held_settings held)
{
    struct generation *generation = held.handle;
    bool is_unused;
    if (generation == NULL)
        return;
    pthread_mutex_lock(&in_force->mutex);
    is_unused = --generation->held == 0 && generation != in_force->generations;
    if (--in_force->held == 0 && in_force->stopped)
        pthread_cond_broadcast(&in_force->none_held);
    pthread_mutex_unlock(&in_force->mutex);
    if (is_unused)
        in_force->on_unused();
}

struct store_in_force *settings_in_force_store(const struct settings_in_force *in_force)
{
    return in_force->generations != NULL ? in_force->generations->store : NULL;
}

size_t settings_in_force_list_count(const struct settings_in_force *in_force)
{
    return in_force->generations != NULL ? in_force->generations->settings->index.count : 0;
}

#define OLD_SETTINGS_MAX 8

bool settings_in_force_is_full(struct settings_in_force *in_force)
{
    size_t old = 0;
    pthread_mutex_lock(&in_force->mutex);
    for (const struct generation *one = in_force->generations; one != NULL; one = one->next)
        old += one != in_force->generations && one->held > 0;
    pthread_mutex_unlock(&in_force->mutex);
    return old >= OLD_SETTINGS_MAX;
}

static void free_generation(struct generation *generation, unsigned milliseconds)
{
    settings_free(generation->settings);
    store_in_force_release(generation->store, milliseconds);
    free(generation);
}

void settings_in_force_free_unused(struct settings_in_force *in_force)
{
    struct generation *unused = NULL;
    pthread_mutex_lock(&in_force->mutex);
    if (in_force->generations != NULL)
        for (struct generation **at = &in_force->generations->next; *at != NULL;) {
            struct generation *old = *at;
            if (old->held > 0) {
                at = &old->next;
                continue;
            }
            *at = old->next;
            old->next = unused;
            unused = old;
        }
    pthread_mutex_unlock(&in_force->mutex);
    if (unused == NULL)
        return;
    while (unused != NULL) {
        struct generation *old = unused;
        unused = old->next;
        free_generation(old, 0);
    }
    memory_give_back();
}

void settings_in_force_stop(struct settings_in_force *in_force, unsigned milliseconds)
{
    int64_t moment = monotonic_now() + milliseconds;
    pthread_mutex_lock(&in_force->mutex);
    in_force->stopped = true;
    for (const struct generation *one = in_force->generations; one != NULL; one = one->next)
        store_in_force_set_last_moment(one->store, moment);
    pthread_mutex_unlock(&in_force->mutex);
}

bool settings_in_force_wait_idle(struct settings_in_force *in_force, unsigned milliseconds)
{
    bool idle;
    pthread_mutex_lock(&in_force->mutex);
    idle = wait_for_none(&in_force->held, &in_force->none_held, &in_force->mutex, milliseconds);
    pthread_mutex_unlock(&in_force->mutex);
    return idle;
}

void settings_in_force_free(struct settings_in_force *in_force)
{
    struct generation *last = NULL;
    settings_in_force_free_unused(in_force);
    pthread_mutex_lock(&in_force->mutex);
    if (in_force->held == 0) {
        last = in_force->generations;
        in_force->generations = NULL;
    }
    pthread_mutex_unlock(&in_force->mutex);
    if (last != NULL)
        free_generation(last, patience.store_close);
}

/*
 * strmap - a map from text to pointers, ASCII letter case aside, in constant time
 *
 * Keys and values are borrowed: they must outlive the map.  Writing is for one
 * thread; once nobody writes any more, any number of threads may look up.
 * The hash is seeded so that a list operator cannot choose keys that collide.
 */
#ifndef MLMILTER_TEXT_STRMAP_H
#define MLMILTER_TEXT_STRMAP_H

#include "text/span.h"

#include <stddef.h>
#include <stdint.h>

struct strmap_slot;

struct strmap {
    struct strmap_slot *slots;
    size_t capacity; /* a power of two, or 0 */
    size_t count;
    uint64_t seed;
};

void strmap_init(struct strmap *m, uint64_t seed);
void strmap_free(struct strmap *m);

/* Adds key unless it is there. 0: added; 1: it is there already (*present is its value, nothing
 * changed); -1: out of memory. value must not be NULL; present may be. */
int strmap_put(struct strmap *m, struct span key, void *value, void **present);

/* Makes room for a number of keys more, which strmap_put then adds without taking memory. 0 or -1
 * (memory). */
int strmap_reserve(struct strmap *m, size_t more);

/* Adds all keys of a map with the same seed, but for those that are there; strmap_reserve has made
 * room for them. */
void strmap_add_all(struct strmap *m, const struct strmap *others);

/* The value of key, or NULL. */
void *strmap_get(const struct strmap *m, struct span key);

#endif

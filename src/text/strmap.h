/*
 * strmap - a map from text to pointers; ASCII letter case does not count
 *
 * Keys and values are borrowed, and live longer than the map.  One thread may write; any number of
 * threads may read while none writes.  A random seed keeps the hashes from being guessed.
 */
#ifndef MLMILTER_TEXT_STRMAP_H
#define MLMILTER_TEXT_STRMAP_H

#include "text/span.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct strmap_slot;

/* The memory of a key: its slot, and as large a share of free slots. */
#define STRMAP_KEY_BYTES 48

struct strmap {
    struct strmap_slot *slots;
    size_t capacity; /* a power of two, or 0 */
    size_t count;
    uint64_t seed;
};

void strmap_init(struct strmap *m, uint64_t seed);
void strmap_free(struct strmap *m);

/* Adds key with its value, which is not NULL. Returns true, or false if the map has the key
 * already: then *present (unless NULL) is its value, and nothing changes. */
bool strmap_put(struct strmap *m, struct span key, void *value, void **present);

/* Adds the keys of another map that the map does not have. */
void strmap_join(struct strmap *m, const struct strmap *from);

/* Returns the value of key, or NULL. */
void *strmap_get(const struct strmap *m, struct span key);

#endif

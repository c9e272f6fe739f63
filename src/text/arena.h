/*
 * arena - memory that is freed all at once
 *
 * An arena owns everything that was taken from it: a plan's texts, a configuration's.  One thread
 * may take memory at a time; any thread may read what was taken.  The functions never fail
 * (text/memory.h).
 */
#ifndef MLMILTER_TEXT_ARENA_H
#define MLMILTER_TEXT_ARENA_H

#include "text/span.h"

#include <stddef.h>

/* Under the address sanitizer each object has a malloc of its own, so that it sees an access behind
 * an object, or after arena_reset. */
#if defined(__SANITIZE_ADDRESS__)
#define ARENA_OBJECTS_ALONE 1
#elif defined(__has_feature)
#define ARENA_OBJECTS_ALONE __has_feature(address_sanitizer)
#else
#define ARENA_OBJECTS_ALONE 0
#endif

struct arena_chunk;

struct arena {
    struct arena_chunk *chunks; /* newest first */
    size_t filled;              /* bytes taken from the newest chunk */
    size_t chunk_size;          /* bytes of a usual chunk */
    size_t used;                /* bytes taken, for statistics */
};

/* Initialises an arena that takes chunk_size bytes at a time from malloc (0: 4096), none yet. */
void arena_init(struct arena *a, size_t chunk_size);
void arena_free(struct arena *a);

/* Frees everything that was taken; keeps one chunk for the next use. */
void arena_reset(struct arena *a);

/* Frees everything that was taken after *mark, a copy of the arena, was made. The arena was not
 * reset in between. */
void arena_rewind(struct arena *a, const struct arena *mark);

/* Takes n bytes, aligned for any object, not initialised. n may be 0. */
void *arena_alloc(struct arena *a, size_t n);

/* Takes zeroed memory for count objects of size bytes. */
void *arena_calloc(struct arena *a, size_t count, size_t size);

/* Takes a copy of s with a NUL after it; not aligned. */
char *arena_strdup(struct arena *a, struct span s);

/* Takes a copy of s with a NUL after it, as a span. */
struct span arena_dup(struct arena *a, struct span s);

#endif

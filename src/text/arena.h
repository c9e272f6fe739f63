/*
 * arena - memory that is given back all at once
 *
 * What belongs together dies together: a plan's texts with the message, a
 * configuration's with the configuration.  An arena owns everything taken from
 * it.  Not shared between threads while it grows; what was taken may be read
 * from any thread.
 */
#ifndef MLMILTER_TEXT_ARENA_H
#define MLMILTER_TEXT_ARENA_H

#include "text/span.h"

#include <stddef.h>

struct arena_chunk;

struct arena {
    struct arena_chunk *chunks; /* newest first */
    size_t chunk_size;          /* octets of a usual chunk */
    size_t used;                /* octets handed out, for statistics */
};

/* chunk_size: octets to ask malloc for at a time (0: 4096). Takes no memory yet. */
void arena_init(struct arena *a, size_t chunk_size);
void arena_free(struct arena *a);

/* Forgets everything taken, keeps one chunk for the next use. */
void arena_reset(struct arena *a);

/* How far an arena is filled. */
struct arena_mark {
    struct arena_chunk *newest; /* NULL: nothing was taken yet */
    struct arena_chunk *behind;
    size_t front, back;
    size_t used;
};

struct arena_mark arena_mark(const struct arena *a);

/* Gives back everything that was taken since the mark; there was no reset in between. */
void arena_rewind(struct arena *a, struct arena_mark mark);

/* n octets, aligned for any object, not initialised; NULL when out of memory. n = 0 gives a valid
 * pointer. */
void *arena_alloc(struct arena *a, size_t n);

/* Zeroed memory for count objects of size octets; NULL also when the product overflows. */
void *arena_calloc(struct arena *a, size_t count, size_t size);

/* A copy of s with a NUL behind it (packed: no alignment is lost); NULL when out of memory. */
char *arena_strdup(struct arena *a, struct span s);

/* A copy of s with a NUL behind it, as a span; .p is NULL when out of memory (an empty s has a
 * valid .p). */
struct span arena_dup(struct arena *a, struct span s);

#endif

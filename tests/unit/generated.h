/*
 * generated - input for tests of properties: the same in every run
 */
#ifndef MLMILTER_TESTS_GENERATED_H
#define MLMILTER_TESTS_GENERATED_H

#include "text/span.h"

#include <stddef.h>
#include <stdint.h>

struct generator {
    uint64_t state; /* the seed; not 0 */
};

/* A number below `limit` (xorshift64*). */
static inline size_t generated_number(struct generator *g, size_t limit)
{
    g->state ^= g->state >> 12;
    g->state ^= g->state << 25;
    g->state ^= g->state >> 27;
    return (size_t)((g->state * UINT64_C(2685821657736338717)) >> 33) % limit;
}

/* Up to size - 1 characters of the set (a C string; its characters may repeat) in buffer. */
static inline struct span generated_text(struct generator *g, const char *set, char *buffer,
                                         size_t size)
{
    struct span all = span_cstr(set);
    size_t n = generated_number(g, size);
    for (size_t i = 0; i < n; i++)
        buffer[i] = all.p[generated_number(g, all.n)];
    return span_of(buffer, n);
}

/* The same with any bytes. */
static inline struct span generated_octets(struct generator *g, char *buffer, size_t size)
{
    size_t n = generated_number(g, size);
    for (size_t i = 0; i < n; i++)
        buffer[i] = (char)(unsigned char)generated_number(g, 256);
    return span_of(buffer, n);
}

#endif

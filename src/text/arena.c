/*
 * arena - see arena.h
 *
 * Objects fill a chunk from its front, aligned; texts fill the same chunk from its back, packed. So
 * neither costs the other padding, and one chunk serves both.
 */
#include "text/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { ARENA_CHUNK_SIZE = 4096, ARENA_CHUNK_MIN = 256 };

struct arena_chunk {
    struct arena_chunk *next;
    size_t size; /* octets of data */
    size_t front, back;
    max_align_t data[]; /* free from front to back */
};

void arena_init(struct arena *a, size_t chunk_size)
{
    a->chunks = NULL;
    a->chunk_size = chunk_size == 0                ? ARENA_CHUNK_SIZE
                    : chunk_size < ARENA_CHUNK_MIN ? ARENA_CHUNK_MIN
                                                   : chunk_size;
    a->used = 0;
}

/* Frees the chunks before `end`, which may be NULL. */
static void free_until(struct arena_chunk *chunk, const struct arena_chunk *end)
{
    while (chunk != end) {
        struct arena_chunk *next = chunk->next;
        free(chunk);
        chunk = next;
    }
}

void arena_free(struct arena *a)
{
    if (a == NULL)
        return;
    free_until(a->chunks, NULL);
    a->chunks = NULL;
    a->used = 0;
}

static size_t usual_size(const struct arena *a)
{
    return a->chunk_size - sizeof(struct arena_chunk);
}

/* Keeps the smallest chunk of at least the usual size: one large message should not hold its memory
 * for as long as its connection lives. */
void arena_reset(struct arena *a)
{
    struct arena_chunk **kept = NULL;
    for (struct arena_chunk **at = &a->chunks; *at != NULL; at = &(*at)->next)
        if ((*at)->size >= usual_size(a) && (kept == NULL || (*at)->size < (*kept)->size))
            kept = at;
    if (kept != NULL) {
        struct arena_chunk *chunk = *kept;
        *kept = chunk->next;
        free_until(a->chunks, NULL);
        chunk->next = NULL;
        chunk->front = 0;
        chunk->back = chunk->size;
        a->chunks = chunk;
    } else {
        free_until(a->chunks, NULL);
        a->chunks = NULL;
    }
    a->used = 0;
}

struct arena_mark arena_mark(const struct arena *a)
{
    struct arena_mark mark = {.newest = a->chunks, .used = a->used};
    if (mark.newest != NULL) {
        mark.behind = mark.newest->next;
        mark.front = mark.newest->front;
        mark.back = mark.newest->back;
    }
    return mark;
}

/* New chunks stand in front of the one that was the newest, or (large ones) right behind it. */
void arena_rewind(struct arena *a, struct arena_mark mark)
{
    free_until(a->chunks, mark.newest);
    a->chunks = mark.newest;
    a->used = mark.used;
    if (mark.newest == NULL)
        return;
    free_until(mark.newest->next, mark.behind);
    mark.newest->next = mark.behind;
    mark.newest->front = mark.front;
    mark.newest->back = mark.back;
}

/* A chunk with n free octets. What is large gets a chunk of its own, behind the newest one, whose
 * room stays in use. */
static struct arena_chunk *chunk_with(struct arena *a, size_t n)
{
    struct arena_chunk *newest = a->chunks;
    if (newest != NULL && n <= newest->back - newest->front)
        return newest;
    if (n > SIZE_MAX / 2)
        return NULL;
    bool large = n > usual_size(a) / 4;
    size_t size = n > usual_size(a) || (large && newest != NULL) ? n : usual_size(a);
    struct arena_chunk *chunk = malloc(sizeof *chunk + size);
    if (chunk == NULL)
        return NULL;
    chunk->size = size;
    chunk->front = 0;
    chunk->back = size;
    if (large && newest != NULL) {
        chunk->next = newest->next;
        newest->next = chunk;
    } else {
        chunk->next = newest;
        a->chunks = chunk;
    }
    return chunk;
}

void *arena_alloc(struct arena *a, size_t n)
{
    const size_t unit = _Alignof(max_align_t);
    if (n > SIZE_MAX / 2)
        return NULL;
    size_t rounded = n == 0 ? unit : (n + unit - 1) / unit * unit;
    struct arena_chunk *chunk = chunk_with(a, rounded);
    if (chunk == NULL)
        return NULL;
    void *p = (char *)chunk->data + chunk->front; /* front stays a multiple of the unit */
    chunk->front += rounded;
    a->used += n;
    return p;
}

void *arena_calloc(struct arena *a, size_t count, size_t size)
{
    if (size != 0 && count > SIZE_MAX / size)
        return NULL;
    void *p = arena_alloc(a, count * size);
    if (p != NULL)
        memset(p, 0, count * size);
    return p;
}

char *arena_strdup(struct arena *a, struct span s)
{
    if (s.n >= SIZE_MAX / 2)
        return NULL;
    struct arena_chunk *chunk = chunk_with(a, s.n + 1);
    if (chunk == NULL)
        return NULL;
    chunk->back -= s.n + 1;
    char *copy = (char *)chunk->data + chunk->back;
    if (s.n > 0)
        memcpy(copy, s.p, s.n);
    copy[s.n] = '\0';
    a->used += s.n + 1;
    return copy;
}

struct span arena_dup(struct arena *a, struct span s)
{
    char *copy = arena_strdup(a, s);
    return copy == NULL ? span_of(NULL, 0) : span_of(copy, s.n);
}

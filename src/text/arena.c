/* arena - see arena.h */
#include "text/arena.h"

#include "text/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { ARENA_CHUNK_SIZE = 4096, ARENA_CHUNK_MIN = 256 };

struct arena_chunk {
    struct arena_chunk *next;
    size_t size; /* bytes of data */
    size_t used;
    max_align_t data[];
};

void arena_init(struct arena *a, size_t chunk_size)
{
    size_t size = chunk_size == 0 ? ARENA_CHUNK_SIZE : chunk_size;
    *a = (struct arena){.chunk_size = size < ARENA_CHUNK_MIN ? ARENA_CHUNK_MIN : size};
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
    free_until(a->chunks, NULL);
    a->chunks = NULL;
    a->used = 0;
}

static size_t usual_size(const struct arena *a)
{
    return a->chunk_size - sizeof(struct arena_chunk);
}

/* Keeps one chunk of the usual size: a large message must not hold its memory for as long as its
 * connection lives. */
void arena_reset(struct arena *a)
{
    struct arena_chunk *kept = NULL, *next;
    for (struct arena_chunk *chunk = a->chunks; chunk != NULL; chunk = next) {
        next = chunk->next;
        if (kept == NULL && chunk->size == usual_size(a))
            kept = chunk;
        else
            free(chunk);
    }
    if (kept != NULL) {
        kept->next = NULL;
        kept->used = 0;
    }
    a->chunks = kept;
    a->used = 0;
}

struct arena_mark arena_mark(const struct arena *a)
{
    struct arena_mark mark = {.newest = a->chunks, .used = a->used};
    if (mark.newest != NULL) {
        mark.older = mark.newest->next;
        mark.filled = mark.newest->used;
    }
    return mark;
}

/* New chunks are before the one that was the newest or, with a chunk of its own, right after it. */
void arena_rewind(struct arena *a, struct arena_mark mark)
{
    free_until(a->chunks, mark.newest);
    a->chunks = mark.newest;
    a->used = mark.used;
    if (mark.newest == NULL)
        return;
    free_until(mark.newest->next, mark.older);
    mark.newest->next = mark.older;
    mark.newest->used = mark.filled;
}

/* Adds a chunk with n free bytes. A large text or object gets a chunk of its own, after the newest,
 * whose room stays in use. */
static struct arena_chunk *add_chunk(struct arena *a, size_t n)
{
    struct arena_chunk *newest = a->chunks;
    size_t usual = usual_size(a);
    bool has_own = n > usual || (newest != NULL && n > usual / 4);
    size_t size = has_own ? n : usual;
    struct arena_chunk *chunk = memory_resize(NULL, 1, sizeof *chunk + size);
    struct arena_chunk **place = has_own && newest != NULL ? &newest->next : &a->chunks;
    *chunk = (struct arena_chunk){.next = *place, .size = size};
    *place = chunk;
    return chunk;
}

static void *take(struct arena *a, size_t n, size_t align)
{
    struct arena_chunk *chunk = a->chunks;
    size_t at = chunk == NULL ? 0 : (chunk->used + align - 1) / align * align;
    if (n > SIZE_MAX / 2)
        memory_exhausted();
    if (chunk == NULL || at > chunk->size || n > chunk->size - at) {
        chunk = add_chunk(a, n);
        at = 0;
    }
    chunk->used = at + n;
    a->used += n;
    return (char *)chunk->data + at;
}

void *arena_alloc(struct arena *a, size_t n)
{
    return take(a, n > 0 ? n : 1, _Alignof(max_align_t));
}

void *arena_calloc(struct arena *a, size_t count, size_t size)
{
    if (size != 0 && count > SIZE_MAX / 2 / size)
        memory_exhausted();
    return memset(arena_alloc(a, count * size), 0, count * size);
}

char *arena_strdup(struct arena *a, struct span s)
{
    char *copy = take(a, s.n + 1, 1);
    if (s.n > 0)
        memcpy(copy, s.p, s.n);
    copy[s.n] = '\0';
    return copy;
}

struct span arena_dup(struct arena *a, struct span s)
{
    return span_of(arena_strdup(a, s), s.n);
}

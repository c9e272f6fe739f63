/* arena - see arena.h */
#include "text/arena.h"

#include "text/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK_SIZE 4096

struct arena_chunk {
    struct arena_chunk *next;
    size_t size; /* bytes of data */
    max_align_t data[];
};

void arena_init(struct arena *a, size_t chunk_size)
{
    *a = (struct arena){.chunk_size = chunk_size == 0 ? CHUNK_SIZE : chunk_size};
}

void arena_rewind(struct arena *a, const struct arena *mark)
{
    for (struct arena_chunk *chunk = a->chunks, *next; chunk != mark->chunks; chunk = next) {
        next = chunk->next;
        free(chunk);
    }
    *a = *mark;
}

void arena_free(struct arena *a)
{
    arena_rewind(a, &(struct arena){.chunk_size = a->chunk_size});
}

/* Keeps the newest chunk of the usual size: a large message must not hold its memory for as long as
 * its connection lives. */
void arena_reset(struct arena *a)
{
    struct arena_chunk **place = &a->chunks;
    while (*place != NULL && (ARENA_OBJECTS_ALONE || (*place)->size != a->chunk_size))
        place = &(*place)->next;
    struct arena_chunk *kept = *place;
    if (kept != NULL) {
        *place = kept->next;
        kept->next = NULL;
    }
    arena_free(a);
    a->chunks = kept;
}

/* Takes n bytes from the newest chunk, or from a new one, which is larger for a large object. */
static void *take(struct arena *a, size_t n, size_t align)
{
    size_t at = (a->filled + align - 1) / align * align;
    if (ARENA_OBJECTS_ALONE || a->chunks == NULL || at > a->chunks->size ||
        n > a->chunks->size - at) {
        size_t size = ARENA_OBJECTS_ALONE || n > a->chunk_size ? n : a->chunk_size;
        struct arena_chunk *chunk = memory_resize(NULL, 1, sizeof *chunk + size);
        *chunk = (struct arena_chunk){a->chunks, size};
        a->chunks = chunk;
        at = 0;
    }
    a->filled = at + n;
    a->used += n;
    return (char *)a->chunks->data + at;
}

void *arena_alloc(struct arena *a, size_t n)
{
    return take(a, n, _Alignof(max_align_t));
}

void *arena_calloc(struct arena *a, size_t count, size_t size)
{
    if (size > 0 && count > SIZE_MAX / 2 / size)
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

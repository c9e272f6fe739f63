/* settings - what a load fills, and what gives it back. */
#include "config/settings.h"

#include "config/files/key_file.h"
#include "text/memory.h"

#include <stdlib.h>

/* Bytes that libcrypto needs to start, and more: without them 3.0 crashes (measured). */
#define LIBCRYPTO_ROOM ((size_t)1024 * 1024)

struct settings *settings_new(uint64_t seed)
{
    free(memory_resize(NULL, LIBCRYPTO_ROOM, 1));
    struct settings *s = memory_new(1, sizeof *s);
    arena_init(&s->arena, 65536);
    list_index_init(&s->index, seed);
    fingerprint_init(&s->fingerprint);
    return s;
}

void settings_free(struct settings *s)
{
    if (s == NULL)
        return;
    list_index_free(&s->index);
    for (size_t i = 0; i < s->recipient_key_count; i++)
        key_file_forget(s->recipient_keys[i]);
    arena_free(&s->arena);
    free(s);
}

/* settings - what a load fills, and what gives it back. */
#include "config/settings.h"

#include "config/files/key_file.h"

#include <stdlib.h>

struct settings *settings_new(uint64_t seed)
{
    struct settings *s = calloc(1, sizeof *s);
    if (s == NULL)
        return NULL;
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
    for (size_t i = 0; i < s->token_names.count; i++)
        key_file_forget(s->tokens[i].key);
    arena_free(&s->arena);
    free(s);
}

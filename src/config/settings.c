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
    s->sha1 = digest_new("sha1");
    s->sha256 = digest_new("sha256");
    s->hmac_sha256 = hmac_new("sha256");
    fingerprint_init(&s->fingerprint, s->sha256);
    if (s->sha1 != NULL && s->sha256 != NULL && s->hmac_sha256 != NULL)
        return s;
    settings_free(s);
    return NULL;
}

void settings_free(struct settings *s)
{
    if (s == NULL)
        return;
    list_index_free(&s->index);
    for (size_t i = 0; i < s->recipient_key_count; i++)
        key_file_forget(s->recipient_keys[i]);
    for (size_t i = 0; i < s->token_names.count; i++) {
        key_file_forget(s->tokens[i].key);
        token_free(&s->tokens[i]);
    }
    digest_free(s->sha1);
    digest_free(s->sha256);
    hmac_free(s->hmac_sha256);
    arena_free(&s->arena);
    free(s);
}

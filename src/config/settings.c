/* settings - gives a configuration back. */
#include "config/settings.h"

#include "config/files/key_file.h"

#include <stdlib.h>

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

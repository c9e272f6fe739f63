/* settings - see settings.h */
#include "config/settings.h"

#include "config/read/files.h"
#include "spec/base_n.h"
#include "spec/digest.h"
#include "system/heap.h"
#include "text/memory.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <stdlib.h>

struct settings *settings_new(uint64_t seed)
{
    struct settings *s = memory_new(1, sizeof *s);
    s->digest = EVP_MD_CTX_new();
    if (s->digest == NULL || EVP_DigestInit_ex(s->digest, EVP_sha256(), NULL) != 1)
        memory_exhausted(); /* nothing else makes it fail */
    arena_init(&s->arena, 65536);
    list_index_init(&s->index, seed);
    return s;
}

void settings_watch(struct settings *s, const char *pattern)
{
    s->watched = array_grow(s->watched, s->watched_count, &s->watched_capacity, sizeof *s->watched);
    s->watched[s->watched_count++] = arena_strdup(&s->arena, span_cstr(pattern));
}

void settings_watch_path(struct settings *s, const char *path)
{
    struct strbuf pattern = STRBUF_INIT;
    path_pattern_add_plain(&pattern, span_cstr(path));
    settings_watch(s, strbuf_str(&pattern));
    strbuf_free(&pattern);
}

void settings_add_text(struct settings *s, const char *name, struct span text)
{
    if (EVP_DigestUpdate(s->digest, name, strlen(name) + 1) != 1 ||
        EVP_DigestUpdate(s->digest, text.p, text.n) != 1)
        memory_exhausted();
}

void settings_fingerprint(struct settings *s)
{
    unsigned char octets[SHA256_OCTETS];
    if (EVP_DigestFinal_ex(s->digest, octets, NULL) != 1)
        memory_exhausted();
    EVP_MD_CTX_free(s->digest);
    s->digest = NULL;
    base16_encode(octets, sizeof s->fingerprint / 2, s->fingerprint);
}

void settings_free(struct settings *s)
{
    if (s == NULL)
        return;
    list_index_free(&s->index);
    for (size_t i = 0; i < s->recipient_key_count; i++)
        OPENSSL_cleanse((void *)(uintptr_t)s->recipient_keys[i].p, s->recipient_keys[i].n);
    arena_free(&s->arena);
    free(s->watched);
    free(s->delegated);
    free(s);
    heap_trim();
}

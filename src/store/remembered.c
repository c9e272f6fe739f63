/* remembered - a table of fixed size: each post has four places, the oldest gives way */
#include "store/remembered.h"

#include "text/memory.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define WAYS 4
#define SETS 1024 /* a power of two */

struct entry {
    bool used;
    bool reused;
    unsigned char list_length;
    int64_t since;
    uint64_t number;
    unsigned char key[POST_KEY_OCTETS];
    unsigned char fingerprint[POST_FINGERPRINT_OCTETS];
    unsigned char first_fingerprint[POST_FINGERPRINT_OCTETS];
    char list[STORE_LIST_MAX];
};

_Static_assert(STORE_LIST_MAX <= 255, "list_length is an octet");

struct remembered {
    pthread_mutex_t mutex;
    struct entry (*sets)[WAYS];
};

struct remembered *remembered_new(void)
{
    struct remembered *r = memory_new(1, sizeof *r);
    /* 1.4 MB that cost nothing before they are used. */
    r->sets = memory_new(SETS, sizeof *r->sets);
    pthread_mutex_init(&r->mutex, NULL);
    return r;
}

void remembered_free(struct remembered *r)
{
    pthread_mutex_destroy(&r->mutex);
    free(r->sets);
    free(r);
}

/* FNV-1a. Key and fingerprint are digests already; a sender who makes posts fall into one set can
 * only push out others there. */
static uint32_t add_to_hash(uint32_t hash, const void *octets, size_t n)
{
    const unsigned char *p = octets;
    for (size_t i = 0; i < n; i++)
        hash = (hash ^ p[i]) * UINT32_C(16777619);
    return hash;
}

static struct entry *set_of(struct remembered *r, const struct store_post *post)
{
    uint32_t hash = UINT32_C(2166136261);
    hash = add_to_hash(hash, post->key, sizeof post->key);
    hash = add_to_hash(hash, post->fingerprint, sizeof post->fingerprint);
    hash = add_to_hash(hash, post->list.p, post->list.n);
    return r->sets[(hash ^ hash >> 16) % SETS];
}

static bool is_of(const struct entry *e, const struct store_post *post)
{
    return e->used && e->list_length == post->list.n &&
           memcmp(e->key, post->key, sizeof e->key) == 0 &&
           memcmp(e->fingerprint, post->fingerprint, sizeof e->fingerprint) == 0 &&
           memcmp(e->list, post->list.p, post->list.n) == 0;
}

static struct entry *find(struct entry *set, const struct store_post *post)
{
    for (int i = 0; i < WAYS; i++)
        if (is_of(&set[i], post))
            return &set[i];
    return NULL;
}

bool remembered_find(struct remembered *r, const struct store_post *post, int64_t now,
                     struct store_answer *answer)
{
    struct entry *e;
    bool found = false;
    pthread_mutex_lock(&r->mutex);
    e = find(set_of(r, post), post);
    if (e != NULL && now - e->since < REMEMBERED_SECONDS && (e->number != 0 || !post->numbered)) {
        memset(answer, 0, sizeof *answer);
        answer->number = e->number;
        answer->reused = e->reused;
        memcpy(answer->first_fingerprint, e->first_fingerprint, sizeof e->first_fingerprint);
        found = true;
    }
    pthread_mutex_unlock(&r->mutex);
    return found;
}

void remembered_add(struct remembered *r, const struct store_post *post, int64_t now,
                    const struct store_answer *answer)
{
    struct entry *set;
    struct entry *e;
    if (post->list.n > STORE_LIST_MAX)
        return;
    pthread_mutex_lock(&r->mutex);
    set = set_of(r, post);
    e = find(set, post);
    if (e == NULL) {
        e = &set[0];
        for (int i = 1; i < WAYS; i++)
            if (e->used && (!set[i].used || set[i].since < e->since))
                e = &set[i];
        e->number = 0;
    }
    /* An answer of before the post had its number may come late. */
    if (answer->number != 0 || e->number == 0) {
        e->used = true;
        e->reused = answer->reused;
        e->since = now;
        e->number = answer->number;
        e->list_length = (unsigned char)post->list.n;
        memcpy(e->key, post->key, sizeof e->key);
        memcpy(e->fingerprint, post->fingerprint, sizeof e->fingerprint);
        memcpy(e->first_fingerprint, answer->first_fingerprint, sizeof e->first_fingerprint);
        memcpy(e->list, post->list.p, post->list.n);
    }
    pthread_mutex_unlock(&r->mutex);
}

void remembered_clear(struct remembered *r)
{
    pthread_mutex_lock(&r->mutex);
    for (size_t i = 0; i < SETS; i++)
        for (int j = 0; j < WAYS; j++)
            r->sets[i][j].used = false;
    pthread_mutex_unlock(&r->mutex);
}

/*
 * strmap - see strmap.h
 *
 * Open addressing with linear probing, at most three quarters full.  A slot is 24 octets on 64-bit
 * machines, so a key costs 32 to 64 octets here, its text aside.
 */
#include "text/strmap.h"

#include "text/ascii.h"

#include <stdlib.h>

enum { STRMAP_FIRST = 16 };

struct strmap_slot {
    const char *key;
    void *value; /* NULL: the slot is free */
    uint32_t length;
    uint32_t hash;
};

void strmap_init(struct strmap *m, uint64_t seed)
{
    m->slots = NULL;
    m->capacity = 0;
    m->count = 0;
    m->seed = seed;
}

void strmap_free(struct strmap *m)
{
    if (m == NULL)
        return;
    free(m->slots);
    strmap_init(m, m->seed);
}

/* SipHash-1-3 (Aumasson and Bernstein, 2012; the variant that hash tables use): without the key
 * nobody can find texts that collide. */
struct sip {
    uint64_t v0, v1, v2, v3;
};

static uint64_t rotate(uint64_t x, int bits)
{
    return x << bits | x >> (64 - bits);
}

static void sip_round(struct sip *s)
{
    s->v0 += s->v1;
    s->v2 += s->v3;
    s->v1 = rotate(s->v1, 13) ^ s->v0;
    s->v3 = rotate(s->v3, 16) ^ s->v2;
    s->v0 = rotate(s->v0, 32);
    s->v2 += s->v1;
    s->v0 += s->v3;
    s->v1 = rotate(s->v1, 17) ^ s->v2;
    s->v3 = rotate(s->v3, 21) ^ s->v0;
    s->v2 = rotate(s->v2, 32);
}

static void sip_word(struct sip *s, uint64_t word)
{
    s->v3 ^= word;
    sip_round(s);
    s->v0 ^= word;
}

/* SipHash wants a key of 128 bits; the second half is made of the seed (the mixer is the end of
 * MurmurHash3, by which no two seeds give the same half). */
static uint64_t second_half(uint64_t seed)
{
    seed ^= seed >> 33;
    seed *= 0xFF51AFD7ED558CCDu;
    seed ^= seed >> 33;
    seed *= 0xC4CEB9FE1A85EC53u;
    return seed ^ seed >> 33;
}

/* The hash of the key in lower case. */
static uint32_t hash_of(uint64_t seed, struct span key)
{
    uint64_t k0 = seed, k1 = second_half(seed);
    struct sip s = {k0 ^ 0x736F6D6570736575u, k1 ^ 0x646F72616E646F6Du, k0 ^ 0x6C7967656E657261u,
                    k1 ^ 0x7465646279746573u};
    uint64_t word = 0;
    for (size_t i = 0; i < key.n; i++) {
        word |= (uint64_t)(unsigned char)ascii_lower(key.p[i]) << (i % 8 * 8);
        if (i % 8 == 7) {
            sip_word(&s, word);
            word = 0;
        }
    }
    sip_word(&s, word | (uint64_t)key.n << 56);
    s.v2 ^= 0xFF;
    sip_round(&s);
    sip_round(&s);
    sip_round(&s);
    return (uint32_t)(s.v0 ^ s.v1 ^ s.v2 ^ s.v3);
}

/* The slot that holds key, or the free one where it belongs. There is always a free one. */
static struct strmap_slot *slot_of(const struct strmap *m, struct span key, uint32_t hash)
{
    size_t mask = m->capacity - 1;
    for (size_t i = hash & mask;; i = (i + 1) & mask) {
        struct strmap_slot *slot = &m->slots[i];
        if (slot->value == NULL ||
            (slot->hash == hash && span_eq_nocase(span_of(slot->key, slot->length), key)))
            return slot;
    }
}

static bool grow(struct strmap *m, size_t capacity)
{
    struct strmap_slot *slots = calloc(capacity, sizeof *slots);
    if (slots == NULL)
        return false;
    for (size_t i = 0; i < m->capacity; i++) {
        if (m->slots[i].value == NULL)
            continue;
        size_t at = m->slots[i].hash & (capacity - 1);
        while (slots[at].value != NULL)
            at = (at + 1) & (capacity - 1);
        slots[at] = m->slots[i];
    }
    free(m->slots);
    m->slots = slots;
    m->capacity = capacity;
    return true;
}

static bool has_room(const struct strmap *m, size_t capacity, size_t more)
{
    return m->count + more <= capacity / 4 * 3;
}

int strmap_reserve(struct strmap *m, size_t more)
{
    size_t capacity = m->capacity;
    while (more > 0 && !has_room(m, capacity, more))
        capacity = capacity == 0 ? STRMAP_FIRST : capacity * 2;
    return capacity == m->capacity || grow(m, capacity) ? 0 : -1;
}

void strmap_add_all(struct strmap *m, const struct strmap *others)
{
    for (size_t i = 0; i < others->capacity; i++) {
        const struct strmap_slot *from = &others->slots[i];
        if (from->value == NULL)
            continue;
        struct strmap_slot *slot = slot_of(m, span_of(from->key, from->length), from->hash);
        m->count += slot->value == NULL ? 1 : 0;
        if (slot->value == NULL)
            *slot = *from;
    }
}

int strmap_put(struct strmap *m, struct span key, void *value, void **present)
{
    if (key.n > UINT32_MAX)
        return -1;
    uint32_t hash = hash_of(m->seed, key);
    struct strmap_slot *slot = m->capacity == 0 ? NULL : slot_of(m, key, hash);
    if (slot != NULL && slot->value != NULL) {
        if (present != NULL)
            *present = slot->value;
        return 1;
    }
    if (!has_room(m, m->capacity, 1)) {
        if (strmap_reserve(m, 1) != 0)
            return -1;
        slot = slot_of(m, key, hash);
    }
    slot->key = key.p;
    slot->length = (uint32_t)key.n;
    slot->hash = hash;
    slot->value = value;
    m->count++;
    return 0;
}

void *strmap_get(const struct strmap *m, struct span key)
{
    if (m->count == 0)
        return NULL;
    return slot_of(m, key, hash_of(m->seed, key))->value;
}

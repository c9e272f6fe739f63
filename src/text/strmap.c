/* strmap - see strmap.h. Open addressing with linear probing, at most seven eighths full. */
#include "text/strmap.h"

#include "text/ascii.h"
#include "text/memory.h"

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
    *m = (struct strmap){.seed = seed};
}

void strmap_free(struct strmap *m)
{
    free(m->slots);
    strmap_init(m, m->seed);
}

/* Returns FNV-1a of the key in lower case, begun with the seed. Its lowest bits depend only on the
 * lowest bits of the key's bytes, so the upper half is folded into them. */
static uint32_t hash_of(uint64_t seed, struct span key)
{
    uint64_t hash = seed ^ 0xCBF29CE484222325u;
    for (size_t i = 0; i < key.n; i++)
        hash = (hash ^ (unsigned char)ascii_lower(key.p[i])) * 0x100000001B3u;
    return (uint32_t)(hash ^ hash >> 32);
}

/* Returns the slot of key, or the free one where it belongs. There is always a free one. */
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

/* Makes room for one more key. */
static void reserve(struct strmap *m)
{
    if (m->count + 1 <= m->capacity / 8 * 7)
        return;
    struct strmap larger = *m;
    larger.capacity = m->capacity == 0 ? STRMAP_FIRST : m->capacity * 2;
    larger.slots = memory_new(larger.capacity, sizeof *larger.slots);
    struct strmap_slot *old = m->slots;
    for (size_t i = 0; i < m->capacity; i++)
        if (old[i].value != NULL)
            *slot_of(&larger, span_of(old[i].key, old[i].length), old[i].hash) = old[i];
    free(old);
    *m = larger;
}

bool strmap_put(struct strmap *m, struct span key, void *value, void **present)
{
    uint32_t hash = hash_of(m->seed, key);
    if (key.n > UINT32_MAX)
        memory_exhausted();
    reserve(m);
    struct strmap_slot *slot = slot_of(m, key, hash);
    if (slot->value != NULL) {
        if (present != NULL)
            *present = slot->value;
        return false;
    }
    *slot = (struct strmap_slot){key.p, value, (uint32_t)key.n, hash};
    m->count++;
    return true;
}

void strmap_join(struct strmap *m, const struct strmap *from)
{
    for (size_t i = 0; i < from->capacity; i++) {
        const struct strmap_slot *slot = &from->slots[i];
        if (slot->value != NULL)
            (void)strmap_put(m, span_of(slot->key, slot->length), slot->value, NULL);
    }
}

void *strmap_get(const struct strmap *m, struct span key)
{
    if (m->count == 0)
        return NULL;
    return slot_of(m, key, hash_of(m->seed, key))->value;
}

/* A table with open addressing: see hash_set.h. A digest is its own hash. */
#include "ctl/archive/hash_set.h"

#include "text/ascii.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_CAPACITY 1024

_Static_assert(MESSAGE_ID_HASH_LENGTH * 5 == HASH_SET_OCTETS * 8, "five bits per character");

void hash_set_init(struct hash_set *s)
{
    memset(s, 0, sizeof *s);
}

void hash_set_free(struct hash_set *s)
{
    free(s->slots);
    hash_set_init(s);
}

/* Base 32 (RFC 4648 6), back to octets. */
static void decode(const char *hash, unsigned char *octets)
{
    uint64_t bits = 0;
    for (int i = 0; i < MESSAGE_ID_HASH_LENGTH; i++) {
        bits = bits << 5 | (uint64_t)(ascii_is_digit(hash[i]) ? hash[i] - '2' + 26 : hash[i] - 'A');
        if (i % 8 != 7)
            continue;
        for (int shift = 32; shift >= 0; shift -= 8)
            *octets++ = (unsigned char)(bits >> shift);
    }
}

static bool is_free(const unsigned char *slot)
{
    static const unsigned char zeros[HASH_SET_OCTETS];
    return memcmp(slot, zeros, HASH_SET_OCTETS) == 0;
}

/* Where it is, or where it is to be. */
static unsigned char *find(const struct hash_set *s, const unsigned char *octets)
{
    uint64_t first;
    size_t at;
    memcpy(&first, octets, sizeof first);
    for (at = first & (s->capacity - 1); !is_free(s->slots[at]);
         at = (at + 1) & (s->capacity - 1)) {
        if (memcmp(s->slots[at], octets, HASH_SET_OCTETS) == 0)
            break;
    }
    return s->slots[at];
}

static int grow(struct hash_set *s)
{
    struct hash_set larger = {.capacity = s->capacity == 0 ? FIRST_CAPACITY : s->capacity * 2};
    larger.slots = calloc(larger.capacity, sizeof *larger.slots);
    if (larger.slots == NULL)
        return -1;
    for (size_t i = 0; i < s->capacity; i++) {
        if (!is_free(s->slots[i]))
            memcpy(find(&larger, s->slots[i]), s->slots[i], HASH_SET_OCTETS);
    }
    free(s->slots);
    s->slots = larger.slots;
    s->capacity = larger.capacity;
    return 0;
}

int hash_set_add(struct hash_set *s, const char hash[MESSAGE_ID_HASH_LENGTH + 1])
{
    unsigned char octets[HASH_SET_OCTETS];
    unsigned char *slot;
    decode(hash, octets);
    if (is_free(octets)) {
        bool had_zeros = s->has_zeros;
        s->has_zeros = true;
        return had_zeros ? 1 : 0;
    }
    if (s->count >= s->capacity / 4 * 3 && grow(s) != 0)
        return -1;
    slot = find(s, octets);
    if (!is_free(slot))
        return 1;
    memcpy(slot, octets, HASH_SET_OCTETS);
    s->count++;
    return 0;
}

/*
 * hash_set - which Message-ID-Hashes there were
 *
 * For duplicates in an archive: the 20 octets of each hash in a table that is at
 * most three quarters full, so 27 to 54 octets per hash (and once more half of
 * that while it grows).
 */
#ifndef MLMILTER_CTL_ARCHIVE_HASH_SET_H
#define MLMILTER_CTL_ARCHIVE_HASH_SET_H

#include "spec/message_id.h"

#include <stdbool.h>
#include <stddef.h>

#define HASH_SET_OCTETS 20

struct hash_set {
    unsigned char (*slots)[HASH_SET_OCTETS]; /* all zeros: free */
    size_t capacity;                         /* a power of two, or 0 */
    size_t count;
    bool has_zeros;
};

void hash_set_init(struct hash_set *s);
void hash_set_free(struct hash_set *s);

/* hash is canonical. 0: added; 1: it is there; -1: out of memory. */
int hash_set_add(struct hash_set *s, const char hash[MESSAGE_ID_HASH_LENGTH + 1]);

#endif

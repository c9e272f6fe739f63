/*
 * recipient_token - proof that a one-click URL was made by us (RFC 8058 3.1, RULINGS 17)
 *
 *   token = base64url( HMAC-SHA256( key, lower(list-id) LF lower(address) ) ), 43 characters
 */
#ifndef MLMILTER_SPEC_RECIPIENT_TOKEN_H
#define MLMILTER_SPEC_RECIPIENT_TOKEN_H

#include "spec/hmac.h"
#include "text/arena.h"
#include "text/span.h"

#include <stdbool.h>

#define RECIPIENT_TOKEN_LENGTH 43

/* Writes the token and a NUL. sha256 is hmac_new("sha256"). ASCII letter case of list id and
 * address does not matter. 0, or -1: memory or libcrypto. */
int recipient_token_make(const struct hmac *sha256, struct span key, struct span list_id,
                         struct span address, struct arena *arena,
                         char token[RECIPIENT_TOKEN_LENGTH + 1]);

/* Was the token made with one of the keys? Takes the same time for every wrong token of the right
 * length. 0; -1: memory or libcrypto. */
int recipient_token_verify(const struct hmac *sha256, const struct span *keys, size_t key_count,
                           struct span list_id, struct span address, struct span token,
                           struct arena *arena, bool *valid);

#endif

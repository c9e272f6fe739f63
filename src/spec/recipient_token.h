/*
 * recipient_token - proof that a one-click URL was made by us (RFC 8058 3.1, RULINGS 17)
 *
 *   token = base64url( HMAC-SHA256( key, lower(list-id) LF lower(address) ) ), 43 characters
 */
#ifndef MLMILTER_SPEC_RECIPIENT_TOKEN_H
#define MLMILTER_SPEC_RECIPIENT_TOKEN_H

#include "text/span.h"

#include <stdbool.h>
#include <stddef.h>

#define RECIPIENT_TOKEN_LENGTH 43

/* Writes the token and a NUL, with a key that is not empty. ASCII letter case of list id and
 * address does not matter. */
void recipient_token_make(struct span key, struct span list_id, struct span address,
                          char token[RECIPIENT_TOKEN_LENGTH + 1]);

/* True if the token was made with one of the keys. Takes the same time for every wrong token of the
 * right length. */
bool recipient_token_verify(const struct span *keys, size_t key_count, struct span list_id,
                            struct span address, struct span token);

#endif

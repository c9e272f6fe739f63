/*
 * message_id - Message-ID, its hashes, and one for messages that have none
 *
 * Stable URLs, final text and revision 1.  Texts are unfolded and trimmed (mail/fold.h).
 */
#ifndef MLMILTER_SPEC_MESSAGE_ID_H
#define MLMILTER_SPEC_MESSAGE_ID_H

#include "text/arena.h"
#include "text/span.h"

#include <stdbool.h>

/* Characters of a Message-ID-Hash, the NUL not counted. */
#define MESSAGE_ID_HASH_LENGTH 32

/* Returns the msg-id without its angle brackets if it has both, else text itself (SU-01, SU-03). */
struct span message_id_bare(struct span text);

/* Writes a Message-ID-Hash (SU-01): upper-case Base 32 of SHA-1 over message_id_bare's result. */
void message_id_hash(struct span bare, char hash[MESSAGE_ID_HASH_LENGTH + 1]);

/* Writes an X-List-ID-Hash (R1-01): upper-case Base 32 of SHA-1 over the Message-ID, with its
 * brackets, and Date. */
void message_id_list_hash(struct span id_text, struct span date_text,
                          char hash[MESSAGE_ID_HASH_LENGTH + 1]);

/* Returns a Message-ID for a message without one (SU-02, RULINGS 7), equal for every copy,
 * also of another list in the namespace: "<H@NAMESPACE>" with H the lower-case Base 32 of SHA-1
 * over each of the parts followed by LF. It lives in the arena. */
struct span message_id_generate(const struct span *parts, size_t count, struct span list_id,
                                struct arena *arena);

/* True if text is exactly "<" dot-atom "@" ( dot-atom / "[" dtext "]" ) ">", ASCII, with at most
 * 254 bytes between the brackets (RULINGS 65). Archives have trouble with other Message-IDs. */
bool message_id_is_well_formed(struct span text);

/* Writes a hash that a person typed (SU-14): without blanks at the ends, in upper case, with O for
 * 0 and I for 1. Returns false if the result is not 32 characters of A-Z2-7. */
bool message_id_hash_normalize(struct span typed, char hash[MESSAGE_ID_HASH_LENGTH + 1]);

#endif

/*
 * message_id - Message-ID, its hashes, and one for messages that have none
 *
 * Stable URLs, final text and revision 1.  `text` is a field's value after
 * mail/fold.h: unfolded and trimmed.  Pure; any thread.
 */
#ifndef MLMILTER_SPEC_MESSAGE_ID_H
#define MLMILTER_SPEC_MESSAGE_ID_H

#include "text/arena.h"
#include "text/span.h"

#include <stdbool.h>

/* Characters of a Message-ID-Hash, the NUL not counted. */
#define MESSAGE_ID_HASH_LENGTH 32

/* The msg-id without its angle brackets if both are there, else as it is (SU-01, SU-03). A single
 * "<" or ">" lacks a delimiter: as it is. */
struct span message_id_bare(struct span text);

/* Writes a Message-ID-Hash (SU-01): upper-case Base 32 of SHA-1 over message_id_bare's result. */
void message_id_hash(struct span bare, char hash[MESSAGE_ID_HASH_LENGTH + 1]);

/* Writes an X-List-ID-Hash (R1-01): upper-case Base 32 of SHA-1 over the Message-ID, with its
 * brackets, and Date. */
void message_id_list_hash(struct span id_text, struct span date_text,
                          char hash[MESSAGE_ID_HASH_LENGTH + 1]);

/* Returns a Message-ID for a message without one (SU-02, RULINGS 7), equal for every copy:
 * "<H@list-id>" with H the lower-case Base 32 of SHA-1 over each of the parts followed by LF. It
 * lives in the arena. */
struct span message_id_generate(const struct span *parts, size_t count, struct span list_id,
                                struct arena *arena);

/* Is it exactly "<" dot-atom "@" ( dot-atom / "[" dtext "]" ) ">", ASCII, with at most 254 octets
 * between the brackets (RULINGS 65)? Archives have trouble with others. */
bool message_id_is_well_formed(struct span text);

/* A hash as a person typed it (SU-14): blanks at the ends off, upper case, 0 is O, 1 is I. false
 * when the result is not 32 characters of A-Z2-7. */
bool message_id_hash_normalize(struct span typed, char hash[MESSAGE_ID_HASH_LENGTH + 1]);

#endif

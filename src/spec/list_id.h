/*
 * list_id - List-Id (RFC 2919)
 *
 *   list-id = list-label "." list-id-namespace      both dot-atom-text; at most 255 bytes
 *
 * Ids are equal without regard to ASCII letter case (LI-10).  Pure; any thread.
 */
#ifndef MLMILTER_SPEC_LIST_ID_H
#define MLMILTER_SPEC_LIST_ID_H

#include "text/arena.h"
#include "text/span.h"
#include "text/strbuf.h"

#include <stdbool.h>

#define LIST_ID_MAX 255

/* Returns NULL if id is a list-id (LI-01, LI-02), else a phrase after "list id ...: " (static). */
const char *list_id_fault(struct span id);

/* Return the part before or after the first dot (RULINGS 25). */
struct span list_id_label(struct span id);
struct span list_id_namespace(struct span id);

/* True if id is in the unmanaged name space "localhost" and has no label of 32 hexadecimal digits,
 * or none of MMYYYY (LI-04). */
bool list_id_lacks_randomness(struct span id);

#define LIST_ID_RANDOM_OCTETS 16 /* of a new id in the name space "localhost" */

/* Appends a new list-id (RFC 2919 5, LI-04): "name.domain", or "name.RANDOM.MMYYYY.localhost" if
 * domain is empty, with random in hexadecimal. The caller checks it with list_id_fault. */
void list_id_make(struct strbuf *out, struct span name, struct span domain,
                  const unsigned char random[LIST_ID_RANDOM_OCTETS], int month, int year);

/* The parts of a List-Id value. Only the phrase may stand beside the brackets (LI-08). */
struct list_id_parts {
    struct span before;
    struct span brackets; /* the first outside of quoted strings and comments, with the id */
    struct span after;    /* trimmed */
    bool is_phrase;       /* words, dots and bytes from 0x80 alone are before them */
};

/* Returns false if the value has no pair of brackets. The parts point into it. */
bool list_id_split(struct span value, struct list_id_parts *parts);

/* Reads the id of a List-Id value (LI-06, RULINGS 18): the text in the first pair of brackets
 * outside of quoted strings and comments, without SP, TAB, CR and LF. Returns true and sets *id,
 * which is a part of value or lives in the arena, or false if the value has no id. */
bool list_id_read(struct span value, struct arena *arena, struct span *id);

/* Appends the value of a List-Id field: the description as a phrase (RFC 5322 3.2.5), a blank,
 * "<id>" (LI-07, LI-08, RULINGS 37). The description is valid UTF-8 without control characters.
 * Words of atext with single blanks stay; other printable ASCII is quoted, also text that looks
 * like an encoded word; other text becomes encoded words (RFC 2047). A line that would pass column
 * 78, or 76 with an encoded word, is folded with LF SP between words or before the bracket. */
void list_id_render(struct strbuf *out, struct span description, struct span id);

#endif

/*
 * header - the fields of one message, in order, as received
 *
 * The header owns copies of names and values.  It keeps its memory over
 * header_reset, so that a connection that carries many messages asks malloc for
 * nothing after the first ones.  Not shared between threads at the same time.
 */
#ifndef MLMILTER_MAIL_HEADER_H
#define MLMILTER_MAIL_HEADER_H

#include "mail/field_name.h"
#include "text/span.h"
#include "text/strbuf.h"

#include <stdbool.h>
#include <stddef.h>

/* What is kept of one header at most, and then of the fields of one name (RULINGS 71). */
#define HEADER_MAX_FIELDS        5000
#define HEADER_MAX_OCTETS        ((size_t)1024 * 1024)
#define HEADER_MAX_BEYOND        100
#define HEADER_MAX_BEYOND_OCTETS 1024 /* of a value */

struct field {
    enum field_name id;
    struct span name;  /* without the blanks before the colon */
    struct span value; /* all behind the colon but the final line end; folds are still in it */
};

struct header_slot;

struct header {
    /* Set by the owner: the name whose fields are kept beyond the limits, too, as far as the
     * numbers above say. FIELD_OTHER: none. Stays over header_reset and header_free. */
    enum field_name beyond;

    struct strbuf text;
    struct header_slot *slots;
    size_t count;
    size_t capacity;
    size_t beyond_count;               /* of those kept */
    unsigned counts[FIELD_NAME_COUNT]; /* of all fields ever offered */
    size_t total;                      /* likewise */
    size_t octets; /* on the wire, line ends included, of all fields ever offered */
    bool too_large;
};

void header_init(struct header *h);
void header_free(struct header *h);
void header_reset(struct header *h);

/* Octets that a field has on the wire, where lines end in CRLF, as far as an MTA lets a milter
 * know: it takes one blank from behind the colon, which is counted again unless the value is empty
 * or begins with white space. */
size_t header_wire_octets(struct span name, struct span value);

/* Appends a copy of one field; octets is its size on the wire, line ends included. If a limit is
 * passed, it sets h->too_large and counts this field and all later ones by name, but keeps only
 * those of h->beyond. */
void header_add(struct header *h, struct span name, struct span value, size_t octets);

/* How many fields are kept, and how many of them, the topmost, as a whole: the others came beyond
 * the limits, and their values may have been cut. */
size_t header_count(const struct header *h);
size_t header_whole_count(const struct header *h);

/* The field at place i (0 is the topmost). Its spans live until the next addition or reset. */
struct field header_field(const struct header *h, size_t i);

/* Place of the first field with this id at or after `from`; header_count() when there is none. */
size_t header_find(const struct header *h, enum field_name id, size_t from);

/* How many fields have this id, kept or not. Those that are kept are the topmost. */
size_t header_count_of(const struct header *h, enum field_name id);

#endif

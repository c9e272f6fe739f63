/*
 * header - the fields of one message, in order, as received
 *
 * The header owns copies of names and values.  header_reset keeps the memory of a header of usual
 * size for the next message of a connection, and frees that of a large one.  One thread at a time.
 */
#ifndef MLMILTER_MAIL_HEADER_H
#define MLMILTER_MAIL_HEADER_H

#include "mail/field_name.h"
#include "text/arena.h"
#include "text/span.h"

#include <stdbool.h>
#include <stddef.h>

/* The limits of one header (RULINGS 71, 97). */
#define HEADER_MAX_FIELDS 5000
#define HEADER_MAX_OCTETS ((size_t)1024 * 1024)

struct field {
    enum field_name id;
    struct span name;  /* without the blanks before the colon */
    struct span value; /* from after the colon to before the last line end; it may be folded */
};

struct header {
    struct arena arena;
    struct field *fields;
    size_t count;
    size_t capacity;
    unsigned counts[FIELD_NAME_COUNT];
    size_t octets;  /* on the wire, line ends included, of all fields passed to header_add */
    bool too_large; /* a limit is passed */
};

void header_init(struct header *h);
void header_free(struct header *h);
void header_reset(struct header *h);

/* Returns the bytes of a field on the wire, where lines end in CRLF. The MTA hides one blank after
 * the colon from a milter. It is counted, unless the value is empty or begins with white space. */
size_t header_wire_octets(struct span name, struct span value);

/* Appends a copy of one field; octets is its size on the wire, line ends included. If a limit is
 * passed, it sets h->too_large and keeps neither this field nor a later one. */
void header_add(struct header *h, struct span name, struct span value, size_t octets);

static inline size_t header_count(const struct header *h)
{
    return h->count;
}

/* Returns the field at place i (0 is the topmost). Its spans live until the next reset. */
static inline struct field header_field(const struct header *h, size_t i)
{
    return h->fields[i];
}

/* Returns the place of the first field with this id at or after `from`, or header_count(). */
size_t header_find(const struct header *h, enum field_name id, size_t from);

/* Returns the text of a field's value (mail/fold.h): unfolded and trimmed. */
struct span header_text(const struct header *h, size_t place, struct arena *arena);

/* Returns the text of the first field with this id; its p is NULL if there is none. */
struct span header_first(const struct header *h, enum field_name id, struct arena *arena);

static inline size_t header_count_of(const struct header *h, enum field_name id)
{
    return h->counts[id];
}

#endif

/*
 * message - the parts of a message that is in memory as one text
 *
 * The parts are borrowed from the text; together they are the text, byte for byte.
 */
#ifndef MLMILTER_MAIL_MESSAGE_H
#define MLMILTER_MAIL_MESSAGE_H

#include "mail/header.h"
#include "text/arena.h"
#include "text/span.h"

#include <stdbool.h>
#include <stddef.h>

struct message_field {
    enum field_name id;
    struct span lines; /* with the line end of the last one */
};

struct message {
    struct span mbox_line; /* a leading "From " line with its line end, or empty */
    struct header header;  /* owned: the fields */
    /* Owned: the lines of all fields, also of those that the header does not keep. */
    struct message_field *fields;
    size_t field_count;
    size_t field_capacity;
    struct span rest; /* from the empty line (included) on; or from the first line that is neither a
                         field nor a continuation */
    bool crlf;        /* the first line ends in CRLF */
};

void message_init(struct message *m);
void message_free(struct message *m);

/* Splits text, which must outlive *m. Lines end in LF or CRLF. A line is a field if it begins
 * with printable ASCII without blanks, then perhaps blanks, then a colon. A line that begins with
 * SP or TAB continues the field above it. */
void message_split(struct message *m, struct span text);

/* Returns the text (mail/fold.h) of the first field of that name; its p is NULL if there is none.
 * Stores no other field. The result is a part of text or lives in the arena. */
struct span message_first(struct span text, enum field_name name, struct arena *arena);

#endif

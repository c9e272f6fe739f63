/*
 * message - the parts of a message that stands in memory as one text
 *
 * For the tool: the daemon gets its fields one by one.  The parts are borrowed
 * from the text and, written one after the other, are the text again, octet for
 * octet.
 */
#ifndef MLMILTER_MAIL_MESSAGE_H
#define MLMILTER_MAIL_MESSAGE_H

#include "mail/header.h"
#include "text/span.h"

#include <stdbool.h>
#include <stddef.h>

struct message {
    struct span mbox_line; /* a leading "From " line with its line end, or empty */
    struct header header;  /* owned: the fields */
    struct span *lines;    /* owned: per field of the header its lines as they stand */
    size_t line_capacity;
    struct span rest; /* from the empty line (included) on; or from the first line that is neither a
                         field nor a continuation */
    bool crlf;        /* the first line ends in CRLF */
};

void message_init(struct message *m);
void message_free(struct message *m);

/* Splits text, which must outlive *m. Lines end in LF or CRLF; a line is a field when it begins
 * with one or more printable non-blank ASCII octets and a colon (blanks between the two are
 * allowed, none inside the name); a line that begins with SP or TAB continues the field above it.
 * Fields beyond the limits of mail/header.h stay in `rest` (header.too_large is set). 0, or -1: out
 * of memory. */
int message_split(struct message *m, struct span text);

#endif

/*
 * field_check - the check of every field before it is inserted
 */
#ifndef MLMILTER_MAIL_FIELD_CHECK_H
#define MLMILTER_MAIL_FIELD_CHECK_H

#include "text/span.h"

/* The longest line in bytes, without its line end (RFC 5322 2.1.1). */
#define FIELD_LINE_MAX 998

/* The largest field in bytes. It fits into a packet of the milter protocol: 65,535 bytes with a
 * command and an index. */
#define FIELD_MAX 65000

enum field_fault {
    FIELD_FINE,
    FIELD_HAS_CONTROL,   /* CR, NUL or another control character, or an LF that is no fold */
    FIELD_NOT_ASCII,     /* a byte from 0x80 (AT-09) */
    FIELD_LINE_TOO_LONG, /* a line, name and colon included, over FIELD_LINE_MAX */
    FIELD_TOO_LARGE      /* name and value together over FIELD_MAX */
};

/* Returns FIELD_FINE if "name: value" may be inserted. A fold is an LF with SP or TAB after it and
 * text on its line. */
enum field_fault field_check(struct span name, struct span value);

/* Returns the fault for a log line: "has a control character". Static storage. */
const char *field_fault_text(enum field_fault fault);

#endif

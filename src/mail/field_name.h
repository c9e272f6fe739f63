/*
 * field_name - the one table of the header field names that this program knows
 *
 * No other file compares names.  Names are spelled as in the RFC or document that defines the
 * field.
 */
#ifndef MLMILTER_MAIL_FIELD_NAME_H
#define MLMILTER_MAIL_FIELD_NAME_H

#include "text/span.h"

#include <stdbool.h>

enum field_name {
    FIELD_OTHER, /* every name that is not below */
    /* RFC 5322 */
    FIELD_MESSAGE_ID,
    FIELD_DATE,
    FIELD_FROM,
    FIELD_TO,
    FIELD_CC,
    FIELD_SUBJECT,
    FIELD_IN_REPLY_TO,
    FIELD_REFERENCES,
    FIELD_RECEIVED,
    FIELD_CONTENT_TYPE, /* RFC 2045 */
    /* archiving: RFC 5536, Sympa and usage */
    FIELD_X_NO_ARCHIVE,
    FIELD_X_ARCHIVE,
    FIELD_ARCHIVE,
    FIELD_RESTRICT,
    FIELD_PRECEDENCE,            /* RFC 2076 3.9 */
    FIELD_DKIM_SIGNATURE,        /* RFC 6376 */
    FIELD_ARC_MESSAGE_SIGNATURE, /* RFC 8617 */
    /* the owned fields, in the order in which they are deleted (spec/owned_fields.h) */
    FIELD_MESSAGE_ID_HASH,
    FIELD_X_MESSAGE_ID_HASH,
    FIELD_X_MESSAGE_ID_HEADER,
    FIELD_ARCHIVED_AT,
    FIELD_X_ARCHIVED_AT,
    FIELD_LIST_ID,
    FIELD_LIST_HELP,
    FIELD_LIST_SUBSCRIBE,
    FIELD_LIST_UNSUBSCRIBE,
    FIELD_LIST_UNSUBSCRIBE_POST,
    FIELD_LIST_POST,
    FIELD_LIST_OWNER,
    FIELD_LIST_ARCHIVE,
    FIELD_X_LIST_SEQUENCE,
    FIELD_X_LIST_SEQUENCE_NUMBER,
    FIELD_X_LIST_ID_HASH,
    FIELD_X_ALT_MESSAGE_ID,
    FIELD_LIST_SEQUENCE,
    FIELD_NAME_COUNT
};

/* Returns the id of a name, ASCII letter case aside, or FIELD_OTHER. */
enum field_name field_name_find(struct span name);

/* True if name is the name of id, which is not FIELD_OTHER. */
bool field_name_is(enum field_name id, struct span name);

/* True if the name begins with "Resent-", ASCII letter case aside: a field of a person who sent the
 * message on (RFC 5322 3.6.6, RULINGS 115). */
bool field_name_is_resent(struct span name);

/* Returns the spelling of the table; "" for FIELD_OTHER. Static storage. */
const char *field_name_text(enum field_name name);

#endif

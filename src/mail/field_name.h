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

/* clang-format off */
/* Columns: name, and its spelling. */
#define FIELD_NAMES(ROW) \
    /* RFC 5322 */ \
    ROW(FIELD_MESSAGE_ID, "Message-ID") \
    ROW(FIELD_DATE, "Date") \
    ROW(FIELD_FROM, "From") \
    ROW(FIELD_TO, "To") \
    ROW(FIELD_CC, "Cc") \
    ROW(FIELD_SUBJECT, "Subject") \
    ROW(FIELD_IN_REPLY_TO, "In-Reply-To") \
    ROW(FIELD_REFERENCES, "References") \
    ROW(FIELD_RECEIVED, "Received") \
    /* RFC 2045 */ \
    ROW(FIELD_CONTENT_TYPE, "Content-Type") \
    /* archiving: RFC 5536, Sympa and usage */ \
    ROW(FIELD_X_NO_ARCHIVE, "X-No-Archive") \
    ROW(FIELD_X_ARCHIVE, "X-Archive") \
    ROW(FIELD_ARCHIVE, "Archive") \
    ROW(FIELD_RESTRICT, "Restrict") \
    /* RFC 2076 3.9 */ \
    ROW(FIELD_PRECEDENCE, "Precedence") \
    /* RFC 6376 */ \
    ROW(FIELD_DKIM_SIGNATURE, "DKIM-Signature") \
    /* RFC 8617 */ \
    ROW(FIELD_ARC_MESSAGE_SIGNATURE, "ARC-Message-Signature") \
    /* the owned fields, in the order in which they are deleted (spec/owned_fields.h) */ \
    ROW(FIELD_MESSAGE_ID_HASH, "Message-ID-Hash") \
    ROW(FIELD_X_MESSAGE_ID_HASH, "X-Message-ID-Hash") \
    ROW(FIELD_X_MESSAGE_ID_HEADER, "X-Message-ID-Header") \
    ROW(FIELD_ARCHIVED_AT, "Archived-At") \
    ROW(FIELD_X_ARCHIVED_AT, "X-Archived-At") \
    ROW(FIELD_LIST_ID, "List-Id") \
    ROW(FIELD_LIST_HELP, "List-Help") \
    ROW(FIELD_LIST_SUBSCRIBE, "List-Subscribe") \
    ROW(FIELD_LIST_UNSUBSCRIBE, "List-Unsubscribe") \
    ROW(FIELD_LIST_UNSUBSCRIBE_POST, "List-Unsubscribe-Post") \
    ROW(FIELD_LIST_POST, "List-Post") \
    ROW(FIELD_LIST_OWNER, "List-Owner") \
    ROW(FIELD_LIST_ARCHIVE, "List-Archive") \
    ROW(FIELD_X_LIST_SEQUENCE, "X-List-Sequence") \
    ROW(FIELD_X_LIST_SEQUENCE_NUMBER, "X-List-Sequence-Number") \
    ROW(FIELD_X_LIST_ID_HASH, "X-List-ID-Hash") \
    ROW(FIELD_X_ALT_MESSAGE_ID, "X-Alt-Message-ID") \
    ROW(FIELD_LIST_SEQUENCE, "List-Sequence")
/* clang-format on */

#define FIELD_NAME(name, ...) name,

enum field_name {
    FIELD_OTHER, /* every name that is not in the table */
    FIELD_NAMES(FIELD_NAME) FIELD_NAME_COUNT
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

/* field_name - see field_name.h. The table is tested against the names as the RFCs spell them. */
#include "mail/field_name.h"

#define NAME(literal)                                                                              \
    {                                                                                              \
        literal, sizeof(literal) - 1                                                               \
    }

static const struct span known_names[FIELD_NAME_COUNT] = {
    [FIELD_OTHER] = NAME(""),
    [FIELD_MESSAGE_ID] = NAME("Message-ID"),
    [FIELD_DATE] = NAME("Date"),
    [FIELD_FROM] = NAME("From"),
    [FIELD_TO] = NAME("To"),
    [FIELD_CC] = NAME("Cc"),
    [FIELD_SUBJECT] = NAME("Subject"),
    [FIELD_IN_REPLY_TO] = NAME("In-Reply-To"),
    [FIELD_REFERENCES] = NAME("References"),
    [FIELD_RECEIVED] = NAME("Received"),
    [FIELD_CONTENT_TYPE] = NAME("Content-Type"),
    [FIELD_X_NO_ARCHIVE] = NAME("X-No-Archive"),
    [FIELD_X_ARCHIVE] = NAME("X-Archive"),
    [FIELD_ARCHIVE] = NAME("Archive"),
    [FIELD_RESTRICT] = NAME("Restrict"),
    [FIELD_PRECEDENCE] = NAME("Precedence"),
    [FIELD_DKIM_SIGNATURE] = NAME("DKIM-Signature"),
    [FIELD_ARC_MESSAGE_SIGNATURE] = NAME("ARC-Message-Signature"),
    [FIELD_MESSAGE_ID_HASH] = NAME("Message-ID-Hash"),
    [FIELD_X_MESSAGE_ID_HASH] = NAME("X-Message-ID-Hash"),
    [FIELD_X_MESSAGE_ID_HEADER] = NAME("X-Message-ID-Header"),
    [FIELD_ARCHIVED_AT] = NAME("Archived-At"),
    [FIELD_X_ARCHIVED_AT] = NAME("X-Archived-At"),
    [FIELD_LIST_ID] = NAME("List-Id"),
    [FIELD_LIST_HELP] = NAME("List-Help"),
    [FIELD_LIST_SUBSCRIBE] = NAME("List-Subscribe"),
    [FIELD_LIST_UNSUBSCRIBE] = NAME("List-Unsubscribe"),
    [FIELD_LIST_UNSUBSCRIBE_POST] = NAME("List-Unsubscribe-Post"),
    [FIELD_LIST_POST] = NAME("List-Post"),
    [FIELD_LIST_OWNER] = NAME("List-Owner"),
    [FIELD_LIST_ARCHIVE] = NAME("List-Archive"),
    [FIELD_X_LIST_SEQUENCE] = NAME("X-List-Sequence"),
    [FIELD_X_LIST_SEQUENCE_NUMBER] = NAME("X-List-Sequence-Number"),
    [FIELD_X_LIST_ID_HASH] = NAME("X-List-ID-Hash"),
    [FIELD_X_ALT_MESSAGE_ID] = NAME("X-Alt-Message-ID"),
    [FIELD_LIST_SEQUENCE] = NAME("List-Sequence"),
};

bool field_name_is(enum field_name id, struct span name)
{
    return known_names[id].n == name.n && span_eq_nocase(known_names[id], name);
}

/* Tries all names, for each field of each message: fast, as their lengths are compared first. */
enum field_name field_name_find(struct span name)
{
    for (int i = FIELD_OTHER + 1; i < FIELD_NAME_COUNT; i++)
        if (field_name_is((enum field_name)i, name))
            return (enum field_name)i;
    return FIELD_OTHER;
}

bool field_name_is_resent(struct span name)
{
    return span_starts_nocase(name, span_cstr("Resent-"));
}

const char *field_name_text(enum field_name name)
{
    return known_names[name].p;
}

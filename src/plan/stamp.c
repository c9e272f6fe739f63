/* stamp - see edits.h: the walk over the owned fields, and the fields of one value */
#include "plan/edits.h"
#include "spec/list_fields.h"
#include "spec/message_id.h"

#include <inttypes.h>

/* Returns the number of the post (RULINGS 9). */
static const char *number_text(const struct build *b)
{
    return b->plan->number > 0 ? build_text(b, "%" PRIu64, b->plan->number) : "";
}

/* Returns the value of X-List-ID-Hash (R1-01, RULINGS 8). */
static const char *list_id_hash(struct build *b)
{
    char hash[MESSAGE_ID_HASH_LENGTH + 1];
    bool has_id = b->post->id_text.p != NULL;
    if (!b->list->list_id_hash)
        return "";
    if (!has_id || b->date.p == NULL) {
        notes_add(b, false, "X-List-ID-Hash left out: the message has no %s",
                  has_id ? "Date" : "Message-ID");
        return "";
    }
    message_id_list_hash(b->post->id_text, b->date, hash);
    return build_text(b, "%s", hash);
}

/* Returns the id by which public-inbox finds the post at the URL with the hash (RULINGS 6, 39). */
static const char *alt_message_id(struct build *b)
{
    if (!b->list->alt_message_id || b->post->hash == NULL)
        return "";
    if (!post_id_is_empty(b->post))
        return build_text(b, "<%s>", b->post->hash);
    notes_add(b, false, "X-Alt-Message-ID left out: the Message-ID is empty");
    return "";
}

/* Inserts a field, or returns the value to insert; it is empty if the post has none. The compiler
 * names an owned field that has no case. */
static const char *stamp_field(struct build *b, enum field_name name,
                               const struct variable_values *values)
{
    switch (name) {
    case FIELD_MESSAGE_ID_HASH: /* SU-03 is the clause for an id without both brackets */
        if (b->list->message_id_hash && b->post->hash != NULL)
            edits_insert(b, name, b->post->hash,
                         b->post->id.n < b->post->id_text.n ? "SU-01" : "SU-03");
        return "";
    case FIELD_ARCHIVED_AT:
        stamp_archived_at(b, *values);
        return "";
    case FIELD_LIST_UNSUBSCRIBE:
        stamp_unsubscribe(b, *values);
        return "";
    case FIELD_LIST_UNSUBSCRIBE_POST:
        return b->allows_one_click ? LIST_FIELDS_ONE_CLICK : "";
    case FIELD_LIST_ID:
    case FIELD_LIST_HELP:
    case FIELD_LIST_SUBSCRIBE:
    case FIELD_LIST_POST:
    case FIELD_LIST_OWNER:
    case FIELD_LIST_ARCHIVE:
        return list_field_value(b->list, name, values, b->arena);
    case FIELD_X_LIST_SEQUENCE:
        return number_text(b);
    case FIELD_X_LIST_SEQUENCE_NUMBER:
        return b->list->list_id_hash ? number_text(b) : "";
    case FIELD_X_LIST_ID_HASH:
        return list_id_hash(b);
    case FIELD_X_ALT_MESSAGE_ID:
        return alt_message_id(b);
    /* clang-format off */
    case FIELD_X_MESSAGE_ID_HASH: case FIELD_X_MESSAGE_ID_HEADER: case FIELD_X_ARCHIVED_AT:
    case FIELD_LIST_SEQUENCE: /* never generated */
    case FIELD_OTHER: case FIELD_MESSAGE_ID: case FIELD_DATE: case FIELD_FROM: case FIELD_TO:
    case FIELD_CC: case FIELD_SUBJECT: case FIELD_IN_REPLY_TO: case FIELD_REFERENCES:
    case FIELD_RECEIVED: case FIELD_CONTENT_TYPE: case FIELD_PRECEDENCE: case FIELD_X_NO_ARCHIVE:
    case FIELD_X_ARCHIVE: case FIELD_ARCHIVE: case FIELD_RESTRICT: case FIELD_DKIM_SIGNATURE:
    case FIELD_ARC_MESSAGE_SIGNATURE: case FIELD_NAME_COUNT: /* not owned */
        /* clang-format on */
        break;
    }
    return "";
}

/* Notes the fields of a set that were left out. */
static void note_left_out(struct build *b, uint64_t set, const char *why)
{
    struct strbuf names = STRBUF_INIT;
    const char *before = "";
    set &= b->left_out;
    if (set == 0)
        return;
    for (int name = 0; name < FIELD_NAME_COUNT; name++)
        if ((set & FIELD_BIT(name)) != 0) {
            strbuf_addf(&names, "%s%s", before, field_name_text((enum field_name)name));
            before = ", ";
        }
    notes_add(b, false, "not added, because %s: %s", why, strbuf_str(&names));
    strbuf_free(&names);
}

void stamp_fields(struct build *b)
{
    struct variable_values values = {0};
    list_variables(b->list, &values);
    signatures_forbid(b);
    if (b->list->select == SELECT_RECIPIENT)
        b->withheld = b->kept_later;
    for (size_t i = 0; i < owned_field_count; i++)
        edits_insert_owned(b, &owned_fields[i], stamp_field(b, owned_fields[i].name, &values));
    /* For old autoresponders; nobody owns the field (RULINGS 126). */
    if (b->list->precedence && !b->selection->command_response &&
        header_count_of(b->facts->header, FIELD_PRECEDENCE) == 0)
        edits_insert(b, FIELD_PRECEDENCE, "list", "RULINGS 126");
    note_left_out(b, b->forbidden, "the author's DKIM signature forbids it (oversigned)");
    note_left_out(b, b->withheld & ~b->forbidden,
                  "another recipient is a list that would keep it (`keep`)");
}

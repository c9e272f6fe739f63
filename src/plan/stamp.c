/* stamp - see stamp.h: the walk over the owned fields, and the fields of one value */
#include "plan/stamp.h"

#include "spec/list_fields.h"
#include "spec/message_id.h"

#include <inttypes.h>

/* Inserts Message-ID-Hash. SU-03 is the clause for a Message-ID without both brackets. */
static void stamp_message_id_hash(struct build *b)
{
    if (b->list->message_id_hash && b->post->hash != NULL)
        b->results[FIELD_MESSAGE_ID_HASH] =
            edits_insert(b, FIELD_MESSAGE_ID_HASH, b->post->hash,
                         b->post->id.n < b->post->id_text.n ? "SU-01" : "SU-03");
}

/* Inserts the number (RULINGS 9). */
static void stamp_number(struct build *b, const struct owned_field *owned)
{
    if (b->plan->number > 0)
        edits_insert_owned(b, owned, build_text(b, "%" PRIu64, b->plan->number));
}

/* Inserts X-List-ID-Hash (R1-01, RULINGS 8). */
static void stamp_list_id_hash(struct build *b, const struct owned_field *owned)
{
    bool has_id = b->post->id_text.p != NULL;
    char hash[MESSAGE_ID_HASH_LENGTH + 1];
    if (!b->list->list_id_hash)
        return;
    if (!has_id || b->date.p == NULL) {
        notes_add(b, false, "X-List-ID-Hash left out: the message has no %s",
                  has_id ? "Date" : "Message-ID");
        return;
    }
    message_id_list_hash(b->post->id_text, b->date, hash);
    edits_insert_owned(b, owned, build_text(b, "%s", hash));
}

/* Inserts the id by which public-inbox finds the post at the URL with the hash (RULINGS 6, 39). */
static void stamp_alt_message_id(struct build *b, const struct owned_field *owned)
{
    if (!b->list->alt_message_id || b->post->hash == NULL)
        return;
    if (post_id_is_empty(b->post))
        notes_add(b, false, "X-Alt-Message-ID left out: the Message-ID is empty");
    else
        edits_insert_owned(b, owned, build_text(b, "<%s>", b->post->hash));
}

/* Inserts a field. The compiler names an owned field that has no case. */
static void stamp_field(struct build *b, const struct owned_field *owned,
                        const struct variable_values *values)
{
    switch (owned->name) {
    case FIELD_MESSAGE_ID_HASH:
        stamp_message_id_hash(b);
        return;
    case FIELD_ARCHIVED_AT:
        stamp_archived_at(b, *values);
        return;
    case FIELD_LIST_ID:
    case FIELD_LIST_HELP:
    case FIELD_LIST_SUBSCRIBE:
    case FIELD_LIST_POST:
    case FIELD_LIST_OWNER:
    case FIELD_LIST_ARCHIVE:
        edits_insert_owned(b, owned, list_field_value(b->list, owned->name, values, b->arena));
        return;
    case FIELD_LIST_UNSUBSCRIBE:
        stamp_unsubscribe(b, *values);
        return;
    case FIELD_LIST_UNSUBSCRIBE_POST:
        if (b->allows_one_click)
            edits_insert_owned(b, owned, LIST_FIELDS_ONE_CLICK);
        return;
    case FIELD_X_LIST_SEQUENCE_NUMBER:
        if (b->list->list_id_hash)
            stamp_number(b, owned);
        return;
    case FIELD_X_LIST_SEQUENCE:
        stamp_number(b, owned);
        return;
    case FIELD_X_LIST_ID_HASH:
        stamp_list_id_hash(b, owned);
        return;
    case FIELD_X_ALT_MESSAGE_ID:
        stamp_alt_message_id(b, owned);
        return;
    /* Never generated. */
    case FIELD_X_MESSAGE_ID_HASH:
    case FIELD_X_MESSAGE_ID_HEADER:
    case FIELD_X_ARCHIVED_AT:
    case FIELD_LIST_SEQUENCE:
        return;
    /* clang-format off */
    case FIELD_OTHER: case FIELD_MESSAGE_ID: case FIELD_DATE: case FIELD_FROM: case FIELD_TO:
    case FIELD_CC: case FIELD_SUBJECT: case FIELD_IN_REPLY_TO: case FIELD_REFERENCES:
    case FIELD_RECEIVED: case FIELD_CONTENT_TYPE: case FIELD_PRECEDENCE: case FIELD_X_NO_ARCHIVE:
    case FIELD_X_ARCHIVE: case FIELD_ARCHIVE: case FIELD_RESTRICT: case FIELD_DKIM_SIGNATURE:
    case FIELD_ARC_MESSAGE_SIGNATURE: case FIELD_NAME_COUNT: /* not owned */
        /* clang-format on */
        return;
    }
}

/* Inserts "Precedence: list", which old autoresponders look for; nobody owns it (RULINGS 126). */
static void stamp_precedence(struct build *b)
{
    if (b->list->precedence && !b->selection->command_response &&
        header_count_of(b->facts->header, FIELD_PRECEDENCE) == 0)
        b->results[FIELD_PRECEDENCE] = edits_insert(b, FIELD_PRECEDENCE, "list", "RULINGS 126");
}

/* Notes the fields whose insertion had this result. */
static void note_left_out(struct build *b, enum insert_result result, const char *why)
{
    struct strbuf names = STRBUF_INIT;
    for (int name = FIELD_PRECEDENCE; name < FIELD_NAME_COUNT; name++)
        if (b->results[name] == result)
            strbuf_addf(&names, "%s%s", names.len > 0 ? ", " : "",
                        field_name_text((enum field_name)name));
    if (names.len > 0)
        notes_add(b, false, "not added, because %s: %s", why, strbuf_str(&names));
    strbuf_free(&names);
}

/* Sets the fields that `keep` of another recipient list would take for its list manager's, so that
 * they must not reach it (RULINGS 109). */
static void withhold(struct build *b)
{
    const struct envelope_list *at = b->facts->envelope->lists;
    for (; at != NULL && b->list->select == SELECT_RECIPIENT; at = at->next)
        b->withheld |= at->list->keep;
}

void stamp_fields(struct build *b)
{
    struct variable_values values = {0};
    list_variables(b->list, &values);
    signatures_forbid(b);
    withhold(b);
    for (size_t i = 0; i < owned_field_count; i++)
        stamp_field(b, &owned_fields[i], &values);
    stamp_precedence(b);
    note_left_out(b, INSERT_FORBIDDEN, "the author's DKIM signature forbids it (oversigned)");
    note_left_out(b, INSERT_WITHHELD, "another recipient is a list that would keep it (`keep`)");
}

/* plan_stamp - the fields that a distribution gets from its list, in the order of RULINGS 2 */
#include "plan/plan_stamp.h"

#include "plan/plan_archived_at.h"
#include "plan/plan_field.h"
#include "plan/plan_list_fields.h"
#include "plan/plan_signatures.h"
#include "spec/message_id.h"
#include "spec/owned_fields.h"

#include <inttypes.h>
#include <stdio.h>

static int stamp_message_id_hash(struct builder *b)
{
    if (!b->list->message_id_hash || b->post->hash == NULL || plan_keeps(b, FIELD_MESSAGE_ID_HASH))
        return 0;
    /* With a delimiter missing nothing was taken off: another clause. */
    return builder_insert(b, FIELD_MESSAGE_ID_HASH, span_cstr(b->post->hash),
                          b->post->id.n < b->post->id_text.n ? "SU-01" : "SU-03");
}

/* RULINGS 9: both fields carry the same number. */
static int stamp_number(struct builder *b)
{
    char digits[24];
    struct span text;
    if (b->plan->number == 0)
        return 0;
    snprintf(digits, sizeof digits, "%" PRIu64, b->plan->number);
    text = arena_dup(b->arena, span_cstr(digits));
    if (text.p == NULL || plan_stamp_field(b, FIELD_X_LIST_SEQUENCE, text) != 0)
        return -1;
    return b->list->list_id_hash ? plan_stamp_field(b, FIELD_X_LIST_SEQUENCE_NUMBER, text) : 0;
}

/* R1-01, RULINGS 8 */
static int stamp_list_id_hash(struct builder *b)
{
    char *hash;
    if (!b->list->list_id_hash || plan_keeps(b, FIELD_X_LIST_ID_HASH))
        return 0;
    if (b->post->id_text.p == NULL || b->date_text.p == NULL)
        return builder_note(b, false, "X-List-ID-Hash left out: the message has no %s",
                            b->post->id_text.p == NULL ? "Message-ID" : "Date");
    hash = arena_alloc(b->arena, MESSAGE_ID_HASH_LENGTH + 1);
    message_id_list_hash(b->post->id_text, b->date_text, hash);
    return plan_stamp_field(b, FIELD_X_LIST_ID_HASH, span_cstr(hash));
}

/* The id by which public-inbox finds the post at the URL with the hash (RULINGS 6, 39). */
static int stamp_alt_message_id(struct builder *b)
{
    const char *text;
    if (!b->list->alt_message_id || b->post->hash == NULL)
        return 0;
    if (post_id_is_empty(b->post))
        return builder_note(b, false, "X-Alt-Message-ID left out: the Message-ID is empty");
    text = builder_text(b, "<%s>", b->post->hash);
    return text == NULL ? -1 : plan_stamp_field(b, FIELD_X_ALT_MESSAGE_ID, span_cstr(text));
}

/* RULINGS 83 */
static int note_left_out(struct builder *b)
{
    struct strbuf names = STRBUF_INIT;
    int result = 0;
    for (size_t i = 0; i < owned_field_count; i++) {
        if ((b->left_out & FIELD_BIT(owned_fields[i].name)) == 0)
            continue;
        strbuf_add_str(&names, names.len > 0 ? ", " : "");
        strbuf_add_str(&names, field_name_text(owned_fields[i].name));
    }
    if (strbuf_failed(&names))
        result = -1;
    else if (names.len > 0)
        result = builder_note(b, false,
                              "left out, as a DKIM-Signature of the author's domain covers it "
                              "(oversigned): %s",
                              strbuf_str(&names));
    strbuf_free(&names);
    return result;
}

int plan_stamp(struct builder *b)
{
    if (plan_spare_signed(b) != 0)
        return -1;
    if (stamp_message_id_hash(b) != 0 || plan_stamp_archived_at(b) != 0 ||
        plan_stamp_list_fields(b) != 0)
        return -1;
    if (stamp_number(b) != 0 || stamp_list_id_hash(b) != 0)
        return -1;
    if (stamp_alt_message_id(b) != 0)
        return -1;
    return note_left_out(b);
}

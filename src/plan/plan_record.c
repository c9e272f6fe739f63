/* plan_record - what follows from the store's word about the post (RULINGS 10, 32, 33, 50, 55) */
#include "plan/plan_record.h"

#include "spec/base_n.h"

#include <inttypes.h>

/* SU-23, AT-12: another message had this Message-ID first. The operator is always told. */
static int heed_reuse(struct builder *b)
{
    char first[BASE16_LENGTH(POST_FINGERPRINT_OCTETS) + 1];
    char now[BASE16_LENGTH(POST_FINGERPRINT_OCTETS) + 1];
    base16_encode(b->record->first_fingerprint, POST_FINGERPRINT_OCTETS, first);
    base16_encode(b->post->fingerprint, POST_FINGERPRINT_OCTETS, now);
    if (builder_note(b, true,
                     "the Message-ID is that of another post (SU-23): fingerprint %s, was %s", now,
                     first) != 0)
        return -1;
    if (post_refuses_reuse(b->selection, b->post))
        return builder_refuse(b, ACTION_REJECT, "550", "5.7.1",
                              "another post has this Message-ID already");
    if (b->list->reused_message_id != REUSED_ACCEPT)
        b->no_archive = "its Message-ID is that of another post (SU-23)";
    return 0;
}

static int heed_failure(struct builder *b)
{
    if (b->list->on_store_failure == STORE_FAILURE_TEMPFAIL)
        return builder_refuse(b, ACTION_TEMPFAIL, "451", "4.3.0",
                              "the store of its posts failed, please try again later");
    return builder_note(b, true, "the store failed: %s (on_store_failure)",
                        b->post->numbered ? "what needs the number is left out"
                                          : "nobody knows whether the Message-ID was used before");
}

static int take_answer(struct builder *b)
{
    bool reused = b->record->reused && !post_id_is_empty(b->post);
    bool refused = reused && post_refuses_reuse(b->selection, b->post);
    /* A post that is refused will not get the number that it would have got. */
    if (b->post->numbered && !(refused && b->record->state == RECORD_NEXT))
        b->plan->number = b->record->number;
    if (b->record->state == RECORD_NEXT && b->plan->number > 0 &&
        builder_note(b, false, "the number %" PRIu64 " is the next one, it is not given yet",
                     b->plan->number) != 0)
        return -1;
    return reused ? heed_reuse(b) : 0;
}

static int heed_store(struct builder *b)
{
    switch (b->record->state) {
    case RECORD_FAILED:
        return heed_failure(b);
    case RECORD_FOUND:
    case RECORD_NEXT:
        return take_answer(b);
    case RECORD_NONE:
        break;
    }
    return builder_note(b, false, "the store was not asked: what it would say is left out");
}

int plan_heed_record(struct builder *b)
{
    b->plan->number = b->post->sender_number;
    if (b->post->asks_store && heed_store(b) != 0)
        return -1;
    if (b->post->wants_number && !b->post->numbered && b->plan->number == 0)
        return builder_note(b, false, "no number: the envelope sender has none");
    return 0;
}

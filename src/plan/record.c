/* record - see edits.h: what the store's answer changes (RULINGS 10, 32, 33, 50, 55) */
#include "plan/edits.h"
#include "spec/base_n.h"

#include <inttypes.h>

/* Applies reused_message_id: another post had this Message-ID first (SU-23, AT-12). The operator
 * always gets a note. */
static void apply_reuse(struct build *b)
{
    char first[BASE16_LENGTH(POST_FINGERPRINT_OCTETS) + 1];
    char now[BASE16_LENGTH(POST_FINGERPRINT_OCTETS) + 1];
    base16_encode(b->record->answer.first_fingerprint, POST_FINGERPRINT_OCTETS, first);
    base16_encode(b->post->fingerprint, POST_FINGERPRINT_OCTETS, now);
    notes_add(b, true, "the Message-ID is that of another post (SU-23): fingerprint %s, was %s",
              now, first);
    if (post_refuses_reuse(b->selection, b->post))
        build_refuse(b, ACTION_REJECT, "550", "5.7.1", "another post has this Message-ID already");
    else if (b->list->reused_message_id != REUSED_ACCEPT)
        b->no_archive = "its Message-ID is that of another post (SU-23)";
}

static void apply_answer(struct build *b)
{
    const struct store_answer *answer = &b->record->answer;
    bool reused = answer->reused && !post_id_is_empty(b->post);
    /* A refused post will not get the next number. */
    if (b->post->number_source == NUMBER_FROM_STORE &&
        !(answer->is_new && reused && post_refuses_reuse(b->selection, b->post)))
        b->plan->number = answer->number;
    if (answer->is_new && b->plan->number > 0)
        notes_add(b, false, "the number %" PRIu64 " is the next one, it is not given yet",
                  b->plan->number);
    if (reused)
        apply_reuse(b);
}

static void apply_failure(struct build *b)
{
    bool lacks_number = b->post->number_source == NUMBER_FROM_STORE;
    if (b->list->on_store_failure == STORE_FAILURE_TEMPFAIL)
        build_refuse(b, ACTION_TEMPFAIL, "451", "4.3.0",
                     "the store of its posts failed, please try again later");
    else
        notes_add(b, true, "the store failed: %s (on_store_failure)",
                  lacks_number ? "fields that need the number are left out"
                               : "an earlier use of the Message-ID would not be noticed");
}

void record_apply(struct build *b)
{
    if (post_needs_store(b->post) && b->record->state == RECORD_NONE)
        notes_add(b, false, "the store was not asked, so its answer is missing");
    else if (post_needs_store(b->post) && b->record->state == RECORD_FAILED)
        apply_failure(b);
    else if (post_needs_store(b->post))
        apply_answer(b);
    if (b->post->number_source != NUMBER_FROM_SENDER)
        return;
    b->plan->number = b->selection->sender_number;
    if (b->plan->number == 0)
        notes_add(b, false, "no number: the envelope sender has none");
}

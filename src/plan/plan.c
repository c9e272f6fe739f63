/* plan - from facts and selection to edits: the order of decisions, Message-ID and Date */
#include "plan/plan.h"

#include "mail/date.h"
#include "plan/plan_builder.h"
#include "plan/plan_record.h"
#include "plan/plan_removal.h"
#include "plan/plan_signatures.h"
#include "plan/plan_stamp.h"

#include <string.h>

static int behind_the_first(const struct builder *b, const struct received *field,
                            const char **clause)
{
    (void)b;
    *clause = field->number > 1 ? "SU-05" : NULL;
    return 0;
}

/* The refusals that are decided before anything is looked at any further. */
static int refuse(struct builder *b)
{
    switch (b->post->fault) {
    case POST_TOO_LARGE:
        return builder_refuse(b, ACTION_REJECT, "552", "5.3.4",
                              "the header of the message is too large");
    case POST_NO_ID:
        return builder_refuse(b, ACTION_REJECT, "550", "5.7.1",
                              "a post must have a Message-ID field");
    case POST_SEVERAL_IDS:
        return builder_refuse(b, ACTION_REJECT, "550", "5.7.1",
                              "a post must have only one Message-ID field");
    case POST_FINE:
        break;
    }
    return 0;
}

/* SU-02, SU-05: what becomes of the Message-ID fields. */
static int edit_message_id(struct builder *b)
{
    if (b->post->id_is_new)
        return builder_insert(b, FIELD_MESSAGE_ID, b->post->id_text, "SU-02");
    if (b->list->duplicate_message_id != DUPLICATE_DELETE)
        return 0;
    return builder_delete(b, FIELD_MESSAGE_ID, behind_the_first);
}

/* A clock gives each transaction another Date, so only where the post comes by once, and where no
 * MTA writes one for the message in its turn (RULINGS 8). */
static bool may_add_date(const struct builder *b)
{
    return b->list->list_id_hash && span_trim(b->facts->mta_message_id).n == 0 &&
           selection_from_poster(b->selection);
}

static int edit_date(struct builder *b)
{
    struct strbuf text = STRBUF_INIT;
    b->date_text = facts_first(b->facts, FIELD_DATE, b->arena);
    if (b->date_text.p != NULL || !may_add_date(b))
        return 0;
    date_format(&text, b->facts->arrival);
    if (!strbuf_failed(&text))
        b->date_text = arena_dup(b->arena, strbuf_span(&text));
    strbuf_free(&text);
    return b->date_text.p == NULL ? -1 : builder_insert(b, FIELD_DATE, b->date_text, "R1-02");
}

static int add_selection_notes(struct builder *b)
{
    if (b->selection->rule == RULE_AMBIGUOUS &&
        builder_note(b, true, "%s", selection_reason(b->selection)) != 0)
        return -1;
    if (b->facts->header->too_large && b->post->fault == POST_FINE &&
        builder_note(b, true,
                     "a header of %zu fields and %zu bytes, more than is read: what is the list's "
                     "was removed, what needs the rest is left out",
                     b->facts->header->total, b->facts->header->octets) != 0)
        return -1;
    if (b->facts->envelope->crosspost_first &&
        builder_note(b, false, "several lists of ours in one transaction") != 0)
        return -1;
    if (b->selection->rule == RULE_RECIPIENT && b->facts->envelope->private_recipients &&
        builder_note(b, false, "a private recipient in the transaction gets the fields, too") != 0)
        return -1;
    return 0;
}

static int build(struct builder *b)
{
    if (builder_init(b) != 0 || add_selection_notes(b) != 0)
        return -1;
    b->plan->message_id = b->post->id_text;
    b->plan->message_id_hash = span_cstr(b->post->hash);
    if (refuse(b) != 0 || plan_heed_record(b) != 0)
        return -1;
    if (b->plan->action != ACTION_ACCEPT)
        return 0;
    if (edit_message_id(b) != 0 || edit_date(b) != 0 || plan_remove(b) != 0)
        return -1;
    if (b->selection->role == ROLE_DISTRIBUTION && plan_stamp(b) != 0)
        return -1;
    return builder_finish(b) == 0 ? plan_note_signatures(b) : -1;
}

int plan_build(const struct facts *facts, const struct selection *selection,
               const struct post *post, const struct post_record *record, struct arena *arena,
               struct plan *out)
{
    static const struct post_record not_asked = {.state = RECORD_NONE};
    struct builder b = {
        .facts = facts,
        .selection = selection,
        .list = selection->list,
        .arena = arena,
        .plan = out,
        .post = post,
        .record = record != NULL ? record : &not_asked,
    };
    memset(out, 0, sizeof *out);
    if (selection->role == ROLE_NONE)
        return 0;
    return build(&b) == 0 ? builder_finish_notes(&b) : -1;
}

bool plan_has_error(const struct plan *plan)
{
    for (size_t i = 0; i < plan->note_count; i++)
        if (plan->notes[i].is_error)
            return true;
    return false;
}

/* post - the Message-ID that counts, and what follows from it */
#include "plan/post.h"

#include "mail/address.h"
#include "mail/fold.h"
#include "plan/sender_number.h"
#include "spec/message_id.h"
#include "spec/owned_fields.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct identifier {
    const struct facts *facts;
    const struct selection *selection;
    const struct list *list;
    struct arena *arena;
    struct post *post;
};

bool post_id_is_empty(const struct post *post)
{
    return post->id_text.p != NULL && post->id.n == 0;
}

bool post_refuses_reuse(const struct selection *selection, const struct post *post)
{
    return selection->list->reused_message_id == REUSED_REJECT && !post_id_is_empty(post) &&
           selection_from_poster(selection);
}

/* What a list manager sends is never refused for its size (RULINGS 71). A list that only a
 * delimiter led to refuses nothing else (RULINGS 21); but anybody may write to it, and the MTA's
 * time for the removal of n fields grows with the square of n. */
static bool is_too_large(const struct identifier *i)
{
    const struct header *header = i->facts->header;
    size_t owned = 0;
    if (!selection_from_poster(i->selection) && !i->selection->removes_only)
        return false;
    for (size_t n = 0; n < owned_field_count; n++)
        owned += header_count_of(header, owned_fields[n].name);
    return header->total > POST_MAX_FIELDS || header->octets > POST_MAX_OCTETS ||
           owned > POST_MAX_OWNED;
}

/* The texts of all Received fields; without Date and these, the time of arrival (RULINGS 7). */
static int trace_parts(const struct identifier *i, struct span *parts, size_t *count)
{
    const struct header *header = i->facts->header;
    char arrival[32];
    size_t first = *count;
    for (size_t at = header_find(header, FIELD_RECEIVED, 0); at < header_count(header);
         at = header_find(header, FIELD_RECEIVED, at + 1))
        parts[(*count)++] = fold_text(header_field(header, at).value, i->arena);
    if (*count > first || parts[0].p != NULL)
        return 0;
    snprintf(arrival, sizeof arrival, "%" PRId64, i->facts->arrival);
    parts[*count] = arena_dup(i->arena, span_cstr(arrival));
    return parts[(*count)++].p == NULL ? -1 : 0;
}

/* A Message-ID from what every copy of the post has in common. A poster's message comes by once,
 * its retries with the same Received fields, which tell two alarms of one second apart; the copies
 * that a list manager sends may differ in them, so there they count only for want of a Date. */
static int generate_id(const struct identifier *i)
{
    static const enum field_name names[] = {FIELD_DATE,      FIELD_FROM,    FIELD_TO,
                                            FIELD_CC,        FIELD_SUBJECT, FIELD_IN_REPLY_TO,
                                            FIELD_REFERENCES};
    size_t fixed = sizeof names / sizeof names[0];
    size_t received = header_count_of(i->facts->header, FIELD_RECEIVED);
    struct span *parts = arena_calloc(i->arena, fixed + received + 1, sizeof *parts);
    size_t count = 0;
    if (parts == NULL)
        return -1;
    for (; count < fixed; count++) {
        parts[count] = facts_first(i->facts, names[count], i->arena);
    }
    if ((parts[0].p == NULL || selection_from_poster(i->selection)) &&
        trace_parts(i, parts, &count) != 0)
        return -1;
    i->post->id_is_new = true;
    i->post->id_text = message_id_generate(parts, count, i->list->id, i->arena);
    return 0;
}

static int missing_message_id(const struct identifier *i)
{
    enum missing_policy policy = i->list->missing_message_id;
    struct span of_mta = span_trim(i->facts->mta_message_id);
    if (i->selection->removes_only)
        return 0;
    if (policy == MISSING_REJECT && selection_from_poster(i->selection)) {
        i->post->fault = POST_NO_ID;
        return 0;
    }
    /* Sendmail will deliver the id of its {msg_id}; another one would be a second Message-ID. */
    if (of_mta.n > 0)
        i->post->id_text = of_mta;
    else if (policy != MISSING_IGNORE)
        return generate_id(i);
    return 0;
}

/* SU-03, SU-04, SU-06: the id that the post is known by. */
static int find_message_id(const struct identifier *i)
{
    size_t count = header_count_of(i->facts->header, FIELD_MESSAGE_ID);
    /* Of a header that was not kept as a whole no id could be made that all copies share. */
    if (count == 0 && i->facts->header->too_large)
        return 0;
    if (count == 0)
        return missing_message_id(i);
    if (count > 1 && i->list->duplicate_message_id == DUPLICATE_REJECT &&
        selection_from_poster(i->selection))
        i->post->fault = POST_SEVERAL_IDS;
    i->post->id_text = facts_first(i->facts, FIELD_MESSAGE_ID, i->arena);
    return 0;
}

static int hash_message_id(const struct identifier *i)
{
    char *hash;
    if (i->post->id_text.p == NULL)
        return 0;
    hash = arena_alloc(i->arena, MESSAGE_ID_HASH_LENGTH + 1);
    i->post->id = message_id_bare(i->post->id_text);
    message_id_hash(i->post->id, hash);
    i->post->hash = hash;
    return 0;
}

/* Was a field that the post is known by not kept (RULINGS 71)? */
static bool lacks_fingerprint(const struct identifier *i)
{
    return facts_unknown(i->facts, FIELD_DATE) || facts_unknown(i->facts, FIELD_FROM) ||
           facts_unknown(i->facts, FIELD_SUBJECT);
}

/* What the post is for the store: fields as received, a missing one is empty (RULINGS 10, 66). */
static int take_fingerprint(const struct identifier *i)
{
    static const enum field_name names[] = {FIELD_DATE, FIELD_FROM, FIELD_SUBJECT};
    struct span line_feed = span_of("\n", 1);
    struct span parts[7] = {i->post->id, line_feed, {0}, line_feed, {0}, line_feed, {0}};
    for (size_t n = 0; n < 3; n++) {
        parts[2 + 2 * n] = facts_first(i->facts, names[n], i->arena);
    }
    digest_sha1(parts, 7, i->post->fingerprint);
    digest_sha256(&i->post->id, 1, i->post->key);
    return 0;
}

/* A digest is made by a list manager: what a poster sends is a post, whatever it calls itself, and
 * so is what a list manager sends with a post's envelope sender (RULINGS 11, 50). */
static bool may_be_digest(const struct identifier *i)
{
    if (selection_from_poster(i->selection))
        return false;
    return i->list->sequence_from != SEQUENCE_FROM_SENDER ||
           sender_number(i->facts->envelope->sender, i->list->address) == 0;
}

static int find_kind(const struct identifier *i)
{
    struct span content_type;
    if (i->selection->role != ROLE_DISTRIBUTION)
        return 0;
    content_type = facts_first(i->facts, FIELD_CONTENT_TYPE, i->arena);
    i->post->kind = archived_at_content_kind(content_type);
    if (i->post->kind == CONTENT_DIGEST && !may_be_digest(i))
        i->post->kind = CONTENT_OTHER;
    return 0;
}

/* Digests and command responses are no posts and get no number (RULINGS 10). */
static int find_number_source(const struct identifier *i)
{
    struct post *post = i->post;
    if (i->selection->role != ROLE_DISTRIBUTION || i->selection->command_response ||
        post->id_text.p == NULL || post->kind == CONTENT_DIGEST)
        return 0;
    post->wants_number = i->list->numbered;
    if (i->list->asks_store && lacks_fingerprint(i)) {
        post->wants_number = false;
        return 0;
    }
    /* A list that only wants to know of reused ids must not count posts on the way. */
    if (post->wants_number && i->list->sequence_from == SEQUENCE_FROM_SENDER)
        post->sender_number = sender_number(i->facts->envelope->sender, i->list->address);
    else
        post->numbered = post->wants_number;
    post->asks_store = i->list->asks_store && (post->numbered || !post_id_is_empty(post));
    return post->asks_store ? take_fingerprint(i) : 0;
}

int post_identify(const struct facts *facts, const struct selection *selection, struct arena *arena,
                  struct post *out)
{
    struct identifier i = {facts, selection, selection->list, arena, out};
    memset(out, 0, sizeof *out);
    if (selection->role == ROLE_NONE)
        return 0;
    if (is_too_large(&i)) {
        out->fault = POST_TOO_LARGE;
        return 0;
    }
    if (find_message_id(&i) != 0 || hash_message_id(&i) != 0)
        return -1;
    if ((i.list->numbered || i.list->asks_store || i.list->archived_at) && find_kind(&i) != 0)
        return -1;
    return out->fault == POST_FINE ? find_number_source(&i) : 0;
}

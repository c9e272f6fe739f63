/* post - see post.h */
#include "plan/post.h"

#include "config/lists/list.h"
#include "mail/address.h"
#include "mail/fold.h"
#include "spec/digest.h"
#include "spec/message_id.h"
#include "spec/owned_fields.h"
#include "text/number.h"

#include <inttypes.h>
#include <stdio.h>

struct identifier {
    const struct facts *facts;
    const struct selection *selection;
    const struct list *list;
    struct arena *arena;
    struct post *post;
};

static bool is_posters(const struct identifier *i)
{
    return i->selection->origin == ORIGIN_POSTER;
}

bool post_id_is_empty(const struct post *post)
{
    return post->id_text.p != NULL && post->id.n == 0;
}

bool post_refuses_reuse(const struct selection *selection, const struct post *post)
{
    return selection->list->reused_message_id == REUSED_REJECT && !post_id_is_empty(post) &&
           selection->origin == ORIGIN_POSTER;
}

/* True if the header is too large for any sender, or for a poster. Mail to an address below a list
 * has the poster's limits, too: the MTA's time for the removal of n fields grows with the square of
 * n. */
static bool is_too_large(const struct identifier *i)
{
    const struct header *header = i->facts->header;
    size_t ids = header_count_of(header, FIELD_MESSAGE_ID), owned = 0;
    if (header->too_large || i->selection->origin == ORIGIN_MANAGER)
        return header->too_large;
    if (i->selection->list->duplicate_message_id == DUPLICATE_DELETE && ids > 1)
        owned += ids - 1;
    for (size_t n = 0; n < owned_field_count; n++)
        owned += header_count_of(header, owned_fields[n].name);
    return header_count(header) > POST_MAX_FIELDS || header->octets > POST_MAX_OCTETS ||
           owned > POST_MAX_OWNED;
}

/* Finds a CR inside a field of a message that no list manager has checked. A null sender is never
 * refused: the message may be a notification. */
static void find_stray_cr(const struct identifier *i)
{
    const struct header *header = i->facts->header;
    if (i->selection->origin == ORIGIN_MANAGER || i->facts->envelope->sender.n == 0)
        return;
    for (size_t place = 0; place < header_count(header); place++)
        if (fold_has_stray_cr(header_field(header, place).value)) {
            i->post->fault = POST_STRAY_CR;
            i->post->fault_name = header_field(header, place).name;
            return;
        }
}

/* Makes a Message-ID from fields that every copy of the post has (RULINGS 7). Received counts for a
 * poster's message: it is equal in retries, and differs for two alarms of one second. A list
 * manager's copies may differ in it, so there it counts only without a Date. Without Date and
 * Received the time of arrival counts. */
static void generate_id(const struct identifier *i)
{
    static const enum field_name names[] = {FIELD_DATE,      FIELD_FROM,    FIELD_TO,
                                            FIELD_CC,        FIELD_SUBJECT, FIELD_IN_REPLY_TO,
                                            FIELD_REFERENCES};
    const struct header *header = i->facts->header;
    const size_t fixed = sizeof names / sizeof names[0];
    size_t count = 0, received = header_count_of(header, FIELD_RECEIVED);
    struct span *parts = arena_calloc(i->arena, fixed + received + 1, sizeof *parts);
    char arrival[32];
    for (; count < fixed; count++)
        parts[count] = header_first(header, names[count], i->arena);
    bool has_date = parts[0].p != NULL;
    bool is_traced = !has_date || is_posters(i);
    for (size_t at = 0; is_traced && count < fixed + received; at++) {
        at = header_find(header, FIELD_RECEIVED, at);
        parts[count++] = header_text(header, at, i->arena);
    }
    if (!has_date && received == 0) {
        snprintf(arrival, sizeof arrival, "%" PRId64, i->facts->arrival);
        parts[count++] = span_cstr(arrival);
    }
    i->post->id_is_new = true;
    i->post->id_text = message_id_generate(parts, count, i->list->id, i->arena);
}

/* Finds the id of a message without one. Sendmail reports in {msg_id} the id that it adds, unless
 * there is a Resent- field: then it adds another (RULINGS 115, measured). */
static void find_missing_id(const struct identifier *i)
{
    const struct header *header = i->facts->header;
    enum missing_policy policy = i->list->missing_message_id;
    struct span of_mta = span_trim(i->facts->mta_message_id);
    for (size_t place = 0; of_mta.n > 0 && place < header_count(header); place++)
        if (field_name_is_resent(header_field(header, place).name))
            of_mta.n = 0;
    if (i->selection->origin == ORIGIN_UNKNOWN)
        return;
    if (policy == MISSING_REJECT && is_posters(i))
        i->post->fault = POST_NO_ID;
    else if (of_mta.n > 0) /* Sendmail adds this one: with another, the message would have two */
        i->post->id_text = of_mta;
    else if (policy != MISSING_IGNORE)
        generate_id(i);
}

/* Finds the Message-ID and its hash (SU-03, SU-04, SU-06). */
static void find_id(const struct identifier *i)
{
    size_t count = header_count_of(i->facts->header, FIELD_MESSAGE_ID);
    if (count > 1 && i->list->duplicate_message_id == DUPLICATE_REJECT && is_posters(i))
        i->post->fault = POST_SEVERAL_IDS;
    if (count == 0)
        find_missing_id(i);
    else
        i->post->id_text = header_first(i->facts->header, FIELD_MESSAGE_ID, i->arena);
    if (i->post->id_text.p == NULL)
        return;
    char *hash = arena_alloc(i->arena, MESSAGE_ID_HASH_LENGTH + 1);
    i->post->id = message_id_bare(i->post->id_text);
    message_id_hash(i->post->id, hash);
    i->post->hash = hash;
}

/* Makes the store's key and fingerprint; a missing field is empty (RULINGS 10, 66). */
static void make_fingerprint(const struct identifier *i)
{
    const struct header *header = i->facts->header;
    const struct span line_end = span_of("\n", 1), id = i->post->id;
    const struct span date = header_first(header, FIELD_DATE, i->arena);
    const struct span from = header_first(header, FIELD_FROM, i->arena);
    const struct span subject = header_first(header, FIELD_SUBJECT, i->arena);
    const struct span parts[] = {id, line_end, date, line_end, from, line_end, subject};
    digest_sha1(parts, sizeof parts / sizeof parts[0], i->post->fingerprint);
    digest_sha256(&id, 1, i->post->key);
}

/* Finds the kind of a distribution. A digest is made by a list manager: a poster's message is a
 * post, and so is a list manager's with a post's envelope sender (RULINGS 11, 50). */
static enum content_kind find_kind(const struct identifier *i)
{
    if (i->selection->role != ROLE_DISTRIBUTION)
        return CONTENT_OTHER;
    enum content_kind kind =
        archived_at_content_kind(header_first(i->facts->header, FIELD_CONTENT_TYPE, i->arena));
    bool has_posts_sender =
        i->list->sequence_from == SEQUENCE_FROM_SENDER && i->selection->sender_number > 0;
    if (kind == CONTENT_DIGEST && (is_posters(i) || has_posts_sender))
        return CONTENT_OTHER;
    return kind;
}

/* Digests and command responses are no posts and get no number (RULINGS 10). A post of a list that
 * asks the store about reused ids alone gets none either. */
static void find_number_source(const struct identifier *i)
{
    struct post *post = i->post;
    const struct list *list = i->list;
    if (i->selection->role != ROLE_DISTRIBUTION || i->selection->command_response ||
        post->id_text.p == NULL || post->kind == CONTENT_DIGEST)
        return;
    if (list->numbered)
        post->number_source =
            list->sequence_from == SEQUENCE_FROM_SENDER ? NUMBER_FROM_SENDER : NUMBER_FROM_STORE;
    post->checks_reuse = list->asks_store && !post_id_is_empty(post);
    if (post_needs_store(post))
        make_fingerprint(i);
}

struct post post_identify(const struct facts *facts, const struct selection *selection,
                          struct arena *arena)
{
    struct post post = {.fault = POST_FINE};
    const struct identifier i = {facts, selection, selection->list, arena, &post};
    if (selection->role == ROLE_NONE)
        return post;
    if (is_too_large(&i))
        post.fault = POST_TOO_LARGE;
    else
        find_stray_cr(&i);
    if (post.fault != POST_FINE)
        return post;
    find_id(&i);
    post.kind = find_kind(&i);
    if (post.fault == POST_FINE)
        find_number_source(&i);
    return post;
}

uint64_t sender_number(struct span sender, struct span address)
{
    static const struct span bounces = {"bounces-", 8};
    struct span local = address_local(sender), list = address_local(address);
    if (list.n == 0 || local.n <= list.n || !span_starts_nocase(local, list) ||
        (local.p[list.n] != '+' && local.p[list.n] != '-'))
        return 0;
    struct span rest = span_sub(local, list.n + 1, local.n);
    struct span digits = span_sub(rest, bounces.n, rest.n);
    digits.n = span_find(digits, '-');
    uint64_t number = 0;
    if (span_starts_nocase(rest, bounces))
        (void)number_parse(digits, POST_NUMBER_MAX, &number);
    return number;
}

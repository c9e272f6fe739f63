/* plan - from facts and selection to edits: policies, Message-ID, removal */
#include "plan/plan.h"

#include "mail/fold.h"
#include "plan/plan_builder.h"
#include "spec/list_id.h"
#include "spec/message_id.h"
#include "spec/owned_fields.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Rejecting what a list manager sends would bounce to the list manager (RULINGS 31, 78). */
static bool may_reject(const struct builder *b)
{
    const struct selection *s = b->selection;

    if (s->role == ROLE_FEED)
        return !s->list_manager_output;
    return b->list->select == SELECT_RECIPIENT;
}

static int reject(struct builder *b, const char *code, const char *status, const char *why)
{
    struct plan *plan = b->plan;

    plan->action = ACTION_REJECT;
    plan->reply_code = code;
    plan->reply_status = status;
    plan->reply_text = builder_text(b, "List %.*s: %s", (int)b->list->id.n, b->list->id.p, why);
    return plan->reply_text == NULL ? -1 : 0;
}

/* The texts of all Received fields, or the time of arrival: only for posts without Date, so that
 * recurring alerts do not share one id for ever (RULINGS 7). */
static int trace_parts(const struct builder *b, struct span *parts, size_t *count)
{
    const struct header *header = b->facts->header;
    char arrival[32];
    size_t first = *count;

    for (size_t i = header_find(header, FIELD_RECEIVED, 0); i < header_count(header);
         i = header_find(header, FIELD_RECEIVED, i + 1)) {
        if (fold_text(header_field(header, i).value, b->arena, &parts[(*count)++]) != 0)
            return -1;
    }
    if (*count > first)
        return 0;
    snprintf(arrival, sizeof arrival, "%" PRId64, b->facts->arrival);
    parts[*count] = arena_dup(b->arena, span_cstr(arrival));
    return parts[(*count)++].p == NULL ? -1 : 0;
}

/* A Message-ID from what every copy of the post has in common. */
static int generate_id(struct builder *b)
{
    static const enum field_name names[] = {FIELD_DATE,      FIELD_FROM,    FIELD_TO,
                                            FIELD_CC,        FIELD_SUBJECT, FIELD_IN_REPLY_TO,
                                            FIELD_REFERENCES};
    size_t fixed = sizeof names / sizeof names[0];
    size_t received = header_count_of(b->facts->header, FIELD_RECEIVED);
    struct span *parts = arena_calloc(b->arena, fixed + received + 1, sizeof *parts);
    size_t count = 0;

    if (parts == NULL)
        return -1;
    for (; count < fixed; count++) {
        if (facts_first(b->facts, names[count], b->arena, &parts[count]) != 0)
            return -1;
    }
    if (parts[0].p == NULL && trace_parts(b, parts, &count) != 0)
        return -1;
    return message_id_generate(b->facts->settings->sha1, parts, count, b->list->id, b->arena,
                               &b->id_text);
}

static int missing_message_id(struct builder *b)
{
    enum missing_policy policy = b->list->missing_message_id;

    if (policy == MISSING_REJECT && may_reject(b))
        return reject(b, "550", "5.7.1", "a post must have a Message-ID field");
    /* Sendmail will deliver the id of its {msg_id}; another one would be a second Message-ID. */
    b->id_text = span_trim(b->facts->mta_message_id);
    if (b->id_text.n > 0)
        return 0;
    b->id_text = span_of(NULL, 0);
    if (policy == MISSING_IGNORE)
        return 0;
    if (generate_id(b) != 0)
        return -1;
    return builder_insert(b, FIELD_MESSAGE_ID, b->id_text, "SU-02");
}

static bool behind_the_first(const struct builder *b, enum field_name name, size_t number,
                             struct span value)
{
    (void)b;
    (void)name;
    (void)value;
    return number > 1;
}

/* SU-03, SU-04, SU-06: the id that the post is known by, or a refusal. */
static int decide_message_id(struct builder *b)
{
    size_t count = header_count_of(b->facts->header, FIELD_MESSAGE_ID);
    enum duplicate_policy policy = b->list->duplicate_message_id;

    if (count == 0)
        return missing_message_id(b);
    if (count > 1 && policy == DUPLICATE_REJECT && may_reject(b) &&
        reject(b, "550", "5.7.1", "a post must have only one Message-ID field") != 0)
        return -1;
    if (count > 1 && policy == DUPLICATE_DELETE &&
        builder_delete(b, FIELD_MESSAGE_ID, behind_the_first, "SU-05") != 0)
        return -1;
    return facts_first(b->facts, FIELD_MESSAGE_ID, b->arena, &b->id_text);
}

static int hash_message_id(struct builder *b)
{
    char *hash;

    if (b->id_text.p == NULL)
        return 0;
    hash = arena_alloc(b->arena, MESSAGE_ID_HASH_LENGTH + 1);
    b->id = message_id_bare(b->id_text);
    if (hash == NULL || message_id_hash(b->facts->settings->sha1, b->id, hash) != 0)
        return -1;
    b->hash = hash;
    b->plan->message_id = b->id_text;
    b->plan->message_id_hash = span_cstr(hash);
    return 0;
}

static bool has_id_of_ours(const struct builder *b, struct span value)
{
    struct span id;

    /* Out of memory counts as ours: better one field too few than a forged one. */
    if (list_id_read(value, b->arena, &id) == 0)
        return false;
    return list_by_id(&b->facts->settings->index, id) != NULL;
}

/* Every owned field goes, but for `keep` (RULINGS 26) and for what private recipients of
 * a feed have a right to (RULINGS 70). */
static bool is_to_go(const struct builder *b, enum field_name name, size_t number,
                     struct span value)
{
    const struct owned_field *owned = owned_field_find(name);

    if (b->selection->private_recipients) {
        if (name == FIELD_LIST_ID)
            return has_id_of_ours(b, value);
        return owned->removed_beside_private_recipients;
    }
    if (plan_keeps(b, name))
        return !owned->keep_all_copies && number > 1;
    return true;
}

static int remove_owned_fields(struct builder *b)
{
    for (size_t i = 0; i < owned_field_count; i++) {
        if (builder_delete(b, owned_fields[i].name, is_to_go, owned_fields[i].removal_clause) != 0)
            return -1;
    }
    return 0;
}

static int add_selection_notes(struct builder *b)
{
    if (b->selection->rule == RULE_AMBIGUOUS &&
        builder_note(b, true, "%s", selection_reason(b->selection)) != 0)
        return -1;
    if (b->facts->envelope->crosspost_first &&
        builder_note(b, false, "several lists of ours in one transaction") != 0)
        return -1;
    return 0;
}

static int build(struct builder *b)
{
    if (builder_init(b) != 0 || add_selection_notes(b) != 0)
        return -1;
    /* Fields that were not kept cannot be removed (RULINGS 71). */
    if (b->facts->header->too_large)
        return reject(b, "552", "5.3.4", "the header of the message is too large");
    if (decide_message_id(b) != 0)
        return -1;
    if (hash_message_id(b) != 0)
        return -1;
    if (b->plan->action != ACTION_ACCEPT)
        return 0;
    if (remove_owned_fields(b) != 0)
        return -1;
    if (b->selection->role == ROLE_DISTRIBUTION && plan_stamp(b) != 0)
        return -1;
    return builder_finish(b);
}

int plan_build(const struct facts *facts, const struct selection *selection, struct arena *arena,
               struct plan *out)
{
    struct builder b = {0};

    memset(out, 0, sizeof *out);
    if (selection->role == ROLE_NONE)
        return 0;
    b.facts = facts;
    b.selection = selection;
    b.list = selection->list;
    b.arena = arena;
    b.plan = out;
    return build(&b);
}

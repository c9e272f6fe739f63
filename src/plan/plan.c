/* plan - see plan.h: refusals, notes, the store's answer, deletions, signatures */
#include "plan/plan.h"

#include "config/lists/list.h"
#include "mail/date.h"
#include "mail/fold.h"
#include "plan/build.h"
#include "spec/base_n.h"
#include "spec/dkim_signature.h"
#include "spec/list_fields.h"
#include "spec/list_id.h"
#include "spec/mailbox.h"
#include "spec/owned_fields.h"
#include "spec/uri.h"

#include <inttypes.h>

/* A message can have thousands of signatures; each note is a part of one log line. */
#define SIGNATURES_NOTED 5
#define DOMAIN_SHOWN     255

/* ---- notes and refusals ---- */

static void refuse(struct build *b, enum plan_action action, const char *code, const char *status,
                   const char *why)
{
    struct plan *plan = b->plan;
    plan->action = action;
    plan->reply_code = code;
    plan->reply_status = status;
    plan->reply_text = build_text(b, "List %.*s: %s", (int)b->list->id.n, b->list->id.p, why);
}

static void apply_fault(struct build *b)
{
    switch (b->post->fault) {
    case POST_TOO_LARGE:
        refuse(b, ACTION_REJECT, "552", "5.3.4", "the header of the message is too large");
        break;
    case POST_NO_ID:
        refuse(b, ACTION_REJECT, "550", "5.7.1", "a post must have a Message-ID field");
        break;
    case POST_SEVERAL_IDS:
        refuse(b, ACTION_REJECT, "550", "5.7.1", "a post must have only one Message-ID field");
        break;
    case POST_FINE:
        break;
    }
}

static void note_selection(struct build *b)
{
    if (b->selection->rule == RULE_AMBIGUOUS)
        build_note(b, true, "%s", selection_reason(b->selection));
    if (b->facts->envelope->crosspost_first)
        build_note(b, false, "several lists of ours in one transaction");
    if (b->selection->rule == RULE_RECIPIENT && b->facts->envelope->private_recipients)
        build_note(b, false, "a private recipient in the transaction gets the fields, too");
}

/* ---- the store's answer (RULINGS 10, 32, 33, 50, 55) ---- */

/* SU-23, AT-12: another message had this Message-ID first. The operator always gets a note. */
static void apply_reuse(struct build *b)
{
    char first[BASE16_LENGTH(POST_FINGERPRINT_OCTETS) + 1];
    char now[BASE16_LENGTH(POST_FINGERPRINT_OCTETS) + 1];
    base16_encode(b->record->first_fingerprint, POST_FINGERPRINT_OCTETS, first);
    base16_encode(b->post->fingerprint, POST_FINGERPRINT_OCTETS, now);
    build_note(b, true, "the Message-ID is that of another post (SU-23): fingerprint %s, was %s",
               now, first);
    if (post_refuses_reuse(b->selection, b->post))
        refuse(b, ACTION_REJECT, "550", "5.7.1", "another post has this Message-ID already");
    else if (b->list->reused_message_id != REUSED_ACCEPT)
        b->no_archive = "its Message-ID is that of another post (SU-23)";
}

static void apply_store_failure(struct build *b)
{
    if (b->list->on_store_failure == STORE_FAILURE_TEMPFAIL)
        refuse(b, ACTION_TEMPFAIL, "451", "4.3.0",
               "the store of its posts failed, please try again later");
    else
        build_note(b, true, "the store failed: %s (on_store_failure)",
                   b->post->number_from_store
                       ? "what needs the number is left out"
                       : "nobody knows whether the Message-ID was used before");
}

static void apply_store_answer(struct build *b)
{
    bool reused = b->record->reused && !post_id_is_empty(b->post);
    bool refused = reused && post_refuses_reuse(b->selection, b->post);
    bool is_next = b->record->state == RECORD_NEXT;
    /* A refused post will not get the next number. */
    if (b->post->number_from_store && !(refused && is_next))
        b->plan->number = b->record->number;
    if (is_next && b->plan->number > 0)
        build_note(b, false, "the number %" PRIu64 " is the next one, it is not given yet",
                   b->plan->number);
    if (reused)
        apply_reuse(b);
}

static void apply_record(struct build *b)
{
    b->plan->number = b->post->number_from_sender;
    if (b->post->store_needed && b->record->state == RECORD_NONE)
        build_note(b, false, "the store was not asked: what it would say is left out");
    else if (b->post->store_needed && b->record->state == RECORD_FAILED)
        apply_store_failure(b);
    else if (b->post->store_needed)
        apply_store_answer(b);
    if (b->post->number_wanted && !b->post->number_from_store && b->plan->number == 0)
        build_note(b, false, "no number: the envelope sender has none");
}

/* ---- deletions ---- */

/* True if the id is a list's of ours or a parent's of a recipient list. */
static bool is_own_id(const struct build *b, struct span id)
{
    const struct envelope *envelope = b->facts->envelope;
    for (size_t i = 0; i < envelope->list_count; i++)
        if (list_names_parent(envelope->lists[i].list, id))
            return true;
    return list_by_id(&b->facts->settings->index, id) != NULL;
}

/* Returns the clause by which a List-Id goes. With a parent's none stays but that one (RULINGS 27).
 * Private recipients keep others' ids, and a parent's that counts (RULINGS 70, 79). */
static const char *list_id_clause(const struct build *b, size_t place, const char *clause)
{
    bool is_parents = b->selection->has_parent && place == b->selection->parent_field;
    struct span id = span_of("", 0);
    bool has_id = list_id_read(header_field(b->facts->header, place).value, b->arena, &id);
    if (is_parents)
        return NULL;
    if (b->selection->private_recipients)
        return (b->kept_later & FIELD_BIT(FIELD_LIST_ID)) != 0 || (has_id && is_own_id(b, id))
                   ? clause
                   : NULL;
    return has_id && span_eq_nocase(id, b->list->id) ? "LI-11" : "LI-05";
}

/* Returns the clause by which a field goes, or NULL if it stays: for `keep` (RULINGS 26), a parent
 * (RULINGS 27 to 29) or private recipients (RULINGS 70). number: among its name, from 1. */
static const char *removal_clause(const struct build *b, const struct owned_field *owned,
                                  size_t place, size_t number)
{
    const struct selection *s = b->selection;
    enum field_name name = owned->name;
    if (name == FIELD_LIST_ID && (s->private_recipients || s->has_parent))
        return list_id_clause(b, place, owned->removal_clause);
    if (s->private_recipients)
        return owned->removed_beside_private_recipients || (b->kept_later & FIELD_BIT(name)) != 0
                   ? owned->removal_clause
                   : NULL;
    if (build_keeps(b, name))
        return owned->keep_all_copies || number == 1 ? NULL : owned->removal_clause;
    if (!s->has_parent)
        return owned->removal_clause;
    if (name == FIELD_ARCHIVED_AT)
        return NULL;
    if (build_is_parents(b, name))
        return number > 1 ? "LH-02" : NULL;
    return owned->nested_clause != NULL ? owned->nested_clause : owned->removal_clause;
}

static void delete_field(struct build *b, enum field_name name, size_t place, size_t number,
                         const char *clause)
{
    b->deleted[place] = true;
    b->plan->edits[b->plan->removed++] = (struct edit){
        EDIT_DELETE, name, (unsigned)number, facts_text(b->facts, place, b->arena), clause};
}

/* Deletes fields of an owned name, or all Message-ID fields but the first (NULL; SU-05); the lowest
 * first, so that the numbers of the others stay. */
static void delete_fields(struct build *b, const struct owned_field *owned)
{
    const struct header *header = b->facts->header;
    enum field_name name = owned != NULL ? owned->name : FIELD_MESSAGE_ID;
    size_t number = header_count_of(header, name);
    for (size_t place = header_count(header); number > 0 && place-- > 0;) {
        if (header_field(header, place).id != name)
            continue;
        const char *clause = owned != NULL ? removal_clause(b, owned, place, number)
                             : number > 1  ? "SU-05"
                                           : NULL;
        if (clause != NULL)
            delete_field(b, name, place, number, clause);
        number--;
    }
}

static bool has_https_unsubscribe(const struct build *b)
{
    struct cursor c = cursor_of(facts_first(b->facts, FIELD_LIST_UNSUBSCRIBE, b->arena));
    struct span uri;
    bool first = true, found = false;
    while (list_field_next_uri(&c, &first, b->arena, &uri))
        found |= uri_has_scheme(uri, "https");
    return found;
}

/* Fields that `keep` of the recipient lists allows. */
static uint64_t kept_by_recipients(const struct envelope *envelope)
{
    uint64_t names = 0;
    for (size_t i = 0; i < envelope->list_count; i++)
        names |= envelope->lists[i].list->keep; /* empty if the MTA expands the list */
    return names;
}

/* ---- insertions ---- */

/* Adds a Date, only if the post comes once, as a clock gives each transaction another one, and no
 * MTA writes one for the message afterwards (RULINGS 8). */
static void add_date(struct build *b)
{
    struct strbuf text = STRBUF_INIT;
    if (b->date.p != NULL || !b->list->list_id_hash || span_trim(b->facts->mta_message_id).n > 0 ||
        !selection_from_poster(b->selection))
        return;
    date_format(&text, b->facts->arrival);
    b->date = span_cstr(strbuf_keep(&text, b->arena));
    build_insert(b, FIELD_DATE, b->date, "R1-02");
}

/* Returns the number of deletions that the header allows at most. */
static size_t deletable(const struct header *header)
{
    size_t count = header_count_of(header, FIELD_MESSAGE_ID);
    for (size_t i = 0; i < owned_field_count; i++)
        count += header_count_of(header, owned_fields[i].name);
    return count;
}

static void make_edits(struct build *b)
{
    const struct header *header = b->facts->header;
    bool is_distribution = b->selection->role == ROLE_DISTRIBUTION;
    if (is_distribution)
        list_texts_of(b->list, b->arena, &b->texts);
    size_t most = deletable(header) + FIELD_NAME_COUNT + b->texts.archived_at_count;
    b->plan->edits = arena_alloc(b->arena, most * sizeof *b->plan->edits);
    b->deleted = arena_calloc(b->arena, header_count(header), sizeof *b->deleted);
    if (b->selection->private_recipients)
        b->kept_later = kept_by_recipients(b->facts->envelope);
    b->has_https_unsubscribe = has_https_unsubscribe(b);
    if (b->list->duplicate_message_id == DUPLICATE_DELETE)
        delete_fields(b, NULL);
    for (size_t i = 0; i < owned_field_count; i++)
        delete_fields(b, &owned_fields[i]);
    if (b->post->id_is_new)
        build_insert(b, FIELD_MESSAGE_ID, b->post->id_text, "SU-02");
    b->date = facts_first(b->facts, FIELD_DATE, b->arena);
    add_date(b);
    if (is_distribution)
        build_stamp(b);
    b->plan->edit_count = b->plan->removed + b->plan->added;
}

/* True if each insertion puts back the value that a deletion takes from the same place of its name
 * (RULINGS 1). */
static bool changes_nothing(const struct build *b)
{
    const struct plan *plan = b->plan;
    unsigned numbers[FIELD_NAME_COUNT] = {0};
    if (plan->removed != plan->added)
        return false;
    for (size_t i = plan->removed; i < plan->edit_count; i++) {
        const struct edit *insertion = &plan->edits[i], *deletion = plan->edits;
        const struct edit *end = plan->edits + plan->removed;
        unsigned number = ++numbers[insertion->name];
        while (deletion < end && (deletion->name != insertion->name || deletion->index != number))
            deletion++;
        if (deletion == end || !span_eq(deletion->value, fold_text(insertion->value, b->arena)))
            return false;
    }
    return true;
}

/* ---- signatures (RFC 6376) ---- */

/* Lists the edited names that a signature with these counts covers. Signers count the fields of a
 * name from the bottom (5.4.2): the first edit of a name is its lowest deletion or, where nothing
 * is deleted, an insertion, which is covered if the signature counts one field more than there are.
 */
static void list_covered(const struct build *b, const size_t signed_counts[FIELD_NAME_COUNT],
                         struct strbuf *names)
{
    uint64_t seen = 0;
    for (size_t i = 0; i < b->plan->edit_count; i++) {
        const struct edit *edit = &b->plan->edits[i];
        size_t total = header_count_of(b->facts->header, edit->name);
        size_t from_bottom = total + 1 - (edit->op == EDIT_DELETE ? edit->index : 0);
        if ((seen & FIELD_BIT(edit->name)) == 0 && signed_counts[edit->name] >= from_bottom)
            strbuf_addf(names, "%s%s", names->len > 0 ? ", " : "", field_name_text(edit->name));
        seen |= FIELD_BIT(edit->name);
    }
}

/* Notes the signatures that cover an edit. */
static void note_signatures(struct build *b)
{
    const struct header *header = b->facts->header;
    size_t noted = 0;
    if (b->plan->edit_count == 0 || header_count_of(header, FIELD_DKIM_SIGNATURE) +
                                            header_count_of(header, FIELD_ARC_MESSAGE_SIGNATURE) ==
                                        0)
        return;
    for (size_t i = 0; i < header_count(header) && noted < SIGNATURES_NOTED; i++) {
        enum field_name name = header_field(header, i).id;
        if (name != FIELD_DKIM_SIGNATURE && name != FIELD_ARC_MESSAGE_SIGNATURE)
            continue;
        size_t signed_counts[FIELD_NAME_COUNT];
        struct strbuf names = STRBUF_INIT;
        struct span signature = facts_text(b->facts, i, b->arena);
        struct span domain = span_sub(dkim_domain(signature), 0, DOMAIN_SHOWN);
        if (domain.n == 0)
            domain = span_cstr("no domain");
        dkim_signed_counts(signature, signed_counts);
        list_covered(b, signed_counts, &names);
        if (names.len > 0)
            build_note(b, false, "the %s of %.*s covers what is edited: %s", field_name_text(name),
                       (int)domain.n, domain.p, strbuf_str(&names));
        noted += names.len > 0 ? 1 : 0;
        strbuf_free(&names);
    }
}

void plan_build(const struct facts *facts, const struct selection *selection,
                const struct post *post, const struct post_record *record, struct arena *arena,
                struct plan *out)
{
    struct build b = {.facts = facts,
                      .selection = selection,
                      .list = selection->list,
                      .post = post,
                      .record = record,
                      .arena = arena,
                      .plan = out};
    *out = (struct plan){.message_id = post->id_text, .message_id_hash = span_cstr(post->hash)};
    if (selection->role == ROLE_NONE)
        return;
    note_selection(&b);
    apply_fault(&b);
    if (out->action == ACTION_ACCEPT)
        apply_record(&b);
    if (out->action == ACTION_ACCEPT)
        make_edits(&b);
    if (changes_nothing(&b))
        out->edit_count = out->removed = out->added = 0;
    note_signatures(&b);
    if (out->notes_more > 0)
        out->notes[PLAN_NOTES_MAX - 1].text = build_text(&b, "and %zu more", out->notes_more);
}

bool plan_has_error(const struct plan *plan)
{
    for (size_t i = 0; i < plan->note_count; i++)
        if (plan->notes[i].is_error)
            return true;
    return false;
}

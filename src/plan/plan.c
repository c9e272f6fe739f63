/* plan - see plan.h: refusals, the store's answer, deletions, signatures */
#include "plan/plan.h"

#include "config/lists/list.h"
#include "mail/date.h"
#include "mail/fold.h"
#include "plan/stamp.h"
#include "spec/base_n.h"
#include "spec/dkim_signature.h"
#include "spec/list_fields.h"
#include "spec/list_id.h"
#include "spec/owned_fields.h"
#include "spec/uri.h"

#include <inttypes.h>

/* A message can have thousands of signatures; each note is a part of one log line. */
#define SIGNATURES_NOTED 5
#define DOMAIN_SHOWN     255

static void refuse(struct build *b, enum plan_action action, const char *code, const char *status,
                   const char *why)
{
    b->plan->action = action;
    b->plan->reply_code = code;
    b->plan->reply_status = status;
    b->plan->reply_text = build_text(b, "List %.*s: %s", (int)b->list->id.n, b->list->id.p, why);
}

static void apply_fault(struct build *b)
{
    if (b->post->fault == POST_TOO_LARGE)
        refuse(b, ACTION_REJECT, "552", "5.3.4", "the header of the message is too large");
    else if (b->post->fault == POST_NO_ID)
        refuse(b, ACTION_REJECT, "550", "5.7.1", "a post must have a Message-ID field");
    else if (b->post->fault == POST_SEVERAL_IDS)
        refuse(b, ACTION_REJECT, "550", "5.7.1", "a post must have only one Message-ID field");
}

static void note_selection(struct build *b)
{
    if (b->selection->rule == RULE_AMBIGUOUS)
        build_note(b, true, "%s", selection_reason(b->selection));
    if (b->facts->envelope->crosspost_first)
        build_note(b, false, "several lists in one transaction");
    if (b->selection->rule == RULE_RECIPIENT && b->facts->envelope->private_recipients)
        build_note(b, false, "a private recipient in the transaction gets the fields, too");
}

/* ---- the store's answer (RULINGS 10, 32, 33, 50, 55) ---- */

/* Applies reused_message_id: another post had this Message-ID first (SU-23, AT-12). The operator
 * always gets a note. */
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

static void apply_store_answer(struct build *b)
{
    bool reused = b->record->reused && !post_id_is_empty(b->post);
    bool is_next = b->record->state == RECORD_NEXT;
    /* A refused post will not get the next number. */
    if (b->post->number_from_store &&
        !(is_next && reused && post_refuses_reuse(b->selection, b->post)))
        b->plan->number = b->record->number;
    if (is_next && b->plan->number > 0)
        build_note(b, false, "the number %" PRIu64 " is the next one, it is not given yet",
                   b->plan->number);
    if (reused)
        apply_reuse(b);
}

static void apply_record(struct build *b)
{
    bool is_needed = b->post->store_needed;
    bool failed = is_needed && b->record->state == RECORD_FAILED;
    b->plan->number = b->post->number_from_sender;
    if (is_needed && b->record->state == RECORD_NONE)
        build_note(b, false, "the store was not asked, so its answer is missing");
    else if (failed && b->list->on_store_failure == STORE_FAILURE_TEMPFAIL)
        refuse(b, ACTION_TEMPFAIL, "451", "4.3.0",
               "the store of its posts failed, please try again later");
    else if (failed)
        build_note(b, true, "the store failed: %s (on_store_failure)",
                   b->post->number_from_store
                       ? "fields that need the number are left out"
                       : "an earlier use of the Message-ID would not be noticed");
    else if (is_needed)
        apply_store_answer(b);
    if (b->post->number_wanted && !b->post->number_from_store && b->plan->number == 0)
        build_note(b, false, "no number: the envelope sender has none");
}

/* True if the id is that of a configured list, or of a parent of a recipient list. */
static bool is_own_id(const struct build *b, struct span id)
{
    const struct envelope *envelope = b->facts->envelope;
    bool is_own = list_get(&b->facts->settings->index, LIST_BY_ID, id) != NULL;
    for (size_t i = 0; i < envelope->list_count; i++)
        is_own |= list_names_parent(envelope->lists[i].list, id);
    return is_own;
}

/* Returns the clause by which a List-Id is deleted, or NULL if it stays. A parent's post keeps the
 * parent's List-Id alone (RULINGS 27). Private recipients keep the ids of lists that are not
 * configured (RULINGS 70, 79). */
static const char *list_id_clause(const struct build *b, size_t place, const char *clause)
{
    const struct selection *s = b->selection;
    struct span id = span_of("", 0);
    bool has_id = list_id_read(header_field(b->facts->header, place).value, b->arena, &id);
    if (s->has_parent && place == s->parent_field)
        return NULL;
    if (!s->private_recipients)
        return has_id && span_eq_nocase(id, b->list->id) ? "LI-11" : "LI-05";
    bool is_kept_later = (b->kept_later & FIELD_BIT(FIELD_LIST_ID)) != 0;
    return is_kept_later || (has_id && is_own_id(b, id)) ? clause : NULL;
}

/* Returns the clause by which a field is deleted, or NULL if it stays. It may stay for `keep`
 * (RULINGS 26), a parent (27 to 29) or private recipients (70). number: among the fields of its
 * name, from 1. */
static const char *removal_clause(const struct build *b, const struct owned_field *owned,
                                  size_t place, size_t number)
{
    const struct selection *s = b->selection;
    enum field_name name = owned->name;
    const char *clause = owned->removal_clause;
    if (name == FIELD_LIST_ID && (s->private_recipients || s->has_parent))
        return list_id_clause(b, place, clause);
    if (s->private_recipients)
        return owned->removed_with_private_recipients || (b->kept_later & FIELD_BIT(name)) != 0
                   ? clause
                   : NULL;
    if (build_keeps(b, name))
        return name == FIELD_ARCHIVED_AT || number == 1 ? NULL : clause;
    if (!s->has_parent)
        return clause;
    if (build_is_parents(b, name))
        return number > 1 && name != FIELD_ARCHIVED_AT ? "LH-02" : NULL;
    return owned->nested_clause != NULL ? owned->nested_clause : clause;
}

/* Deletes fields of an owned name, or with NULL all Message-ID fields except the first (SU-05).
 * Begins with the lowest, so that the numbers of the fields above stay. */
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
        b->deleted[place] = clause != NULL;
        if (clause != NULL)
            b->plan->edits[b->plan->removed++] = (struct edit){
                EDIT_DELETE, name, (unsigned)number, header_text(header, place, b->arena), clause};
        number--;
    }
}

static bool has_https_unsubscribe(const struct build *b)
{
    struct cursor c = cursor_of(header_first(b->facts->header, FIELD_LIST_UNSUBSCRIBE, b->arena));
    struct span uri;
    bool first = true, found = false;
    while (list_field_next_uri(&c, &first, b->arena, &uri))
        found |= uri_has_scheme(uri, "https");
    return found;
}

/* Adds a missing Date (RULINGS 8), only to a post that comes once, as each copy would get another
 * time. A Sendmail that reports a Message-ID adds a Date itself. */
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

static void make_edits(struct build *b)
{
    const struct envelope *envelope = b->facts->envelope;
    size_t fields = header_count(b->facts->header);
    size_t most = fields + FIELD_NAME_COUNT + b->list->texts->archived_at.count;
    b->plan->edits = arena_alloc(b->arena, most * sizeof *b->plan->edits);
    b->deleted = arena_calloc(b->arena, fields, sizeof *b->deleted);
    for (size_t i = 0; i < envelope->list_count && b->selection->private_recipients; i++)
        b->kept_later |= envelope->lists[i].list->keep; /* empty if the MTA expands the list */
    b->has_https_unsubscribe = has_https_unsubscribe(b);
    if (b->list->duplicate_message_id == DUPLICATE_DELETE)
        delete_fields(b, NULL);
    for (size_t i = 0; i < owned_field_count; i++)
        delete_fields(b, &owned_fields[i]);
    if (b->post->id_is_new)
        build_insert(b, FIELD_MESSAGE_ID, b->post->id_text, "SU-02");
    b->date = header_first(b->facts->header, FIELD_DATE, b->arena);
    add_date(b);
    if (b->selection->role == ROLE_DISTRIBUTION)
        build_stamp(b);
    b->plan->edit_count = b->plan->removed + b->plan->added;
}

/* True if each insertion restores the value that a deletion takes from this place of its name
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
 * name from the bottom (5.4.2), so its lowest deletion decides, which is its first edit. Without
 * one an insertion is covered if the signature counts more fields than there are. */
static const char *list_covered(const struct build *b, const size_t counts[FIELD_NAME_COUNT])
{
    struct strbuf names = STRBUF_INIT;
    uint64_t seen = 0;
    for (size_t i = 0; i < b->plan->edit_count; i++) {
        const struct edit *edit = &b->plan->edits[i];
        size_t total = header_count_of(b->facts->header, edit->name);
        size_t from_bottom = total + 1 - (edit->op == EDIT_DELETE ? edit->index : 0);
        if ((seen & FIELD_BIT(edit->name)) == 0 && counts[edit->name] >= from_bottom)
            strbuf_addf(&names, "%s%s", names.len > 0 ? ", " : "", field_name_text(edit->name));
        seen |= FIELD_BIT(edit->name);
    }
    return strbuf_keep(&names, b->arena);
}

/* Notes the signatures that cover an edit. */
static void note_signatures(struct build *b)
{
    const struct header *header = b->facts->header;
    size_t noted = 0, counts[FIELD_NAME_COUNT];
    for (size_t i = 0; i < header_count(header) && noted < SIGNATURES_NOTED; i++) {
        enum field_name name = header_field(header, i).id;
        if (name != FIELD_DKIM_SIGNATURE && name != FIELD_ARC_MESSAGE_SIGNATURE)
            continue;
        struct span signature = header_text(header, i, b->arena);
        struct span domain = span_sub(dkim_domain(signature), 0, DOMAIN_SHOWN);
        if (domain.n == 0)
            domain = span_cstr("no domain");
        dkim_signed_counts(signature, counts);
        const char *covered = list_covered(b, counts);
        if (covered[0] == '\0')
            continue;
        noted++;
        build_note(b, false, "the %s of %.*s covers edited fields: %s", field_name_text(name),
                   (int)domain.n, domain.p, covered);
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
    if (out->edit_count > 0)
        note_signatures(&b);
    if (out->notes_more > 0)
        out->notes[PLAN_NOTES_MAX - 1].text = build_text(&b, "and %zu more", out->notes_more);
}

/* plan - see plan.h: the fault of the post, the store's answer, then the edits */
#include "plan/plan.h"

#include "mail/date.h"
#include "plan/edits.h"

static void apply_fault(struct build *b)
{
    static const struct {
        const char *code, *status, *why;
    } replies[] = {
        [POST_TOO_LARGE] = {"552", "5.3.4", "the header of the message is too large"},
        [POST_STRAY_CR] = {"550", "5.6.0", "has a CR without LF"},
        [POST_NO_ID] = {"550", "5.7.1", "a post must have a Message-ID field"},
        [POST_SEVERAL_IDS] = {"550", "5.7.1", "a post must have only one Message-ID field"},
    };
    enum post_fault fault = b->post->fault;
    struct span name = b->post->fault_name;
    if (fault == POST_FINE)
        return;
    const char *why = replies[fault].why;
    if (fault == POST_STRAY_CR && span_is_printable_ascii(name))
        why = build_text(b, "the field %.*s %s", (int)(name.n < 64 ? name.n : 64), name.p, why);
    else if (fault == POST_STRAY_CR)
        why = build_text(b, "a field %s", why);
    build_refuse(b, ACTION_REJECT, replies[fault].code, replies[fault].status, why);
}

static void note_selection(struct build *b)
{
    const struct envelope *envelope = b->facts->envelope;
    const struct list *rival = envelope->contested.rival;
    if (b->selection->rule == RULE_AMBIGUOUS)
        notes_add(b, true, "%s", b->selection->reason);
    if (b->selection->rule == RULE_CONTESTED) {
        b->plan->contest = build_text(
            b,
            "the mailbox %.*s is also that of list %.*s, as local domains share their names: "
            "fields are removed, none is inserted (give the list of delegate \"%s\" a virtual "
            "domain, and write virtual = true in the delegate's section)",
            (int)b->list->address.n, b->list->address.p, (int)rival->id.n, rival->id.p,
            b->list->bounds->owner);
        notes_add(b, false, "%s", b->plan->contest);
    }
    if (envelope->shares_header)
        notes_add(b, false, "several lists in one transaction");
    if (b->selection->rule == RULE_RECIPIENT && (envelope->kinds & KINDS_PRIVATE) != 0)
        notes_add(b, false, "a private recipient in the transaction gets the fields, too");
}

/* Adds a missing Date (RULINGS 8), only to a post that comes once, as each copy would get another
 * time. */
static void add_date(struct build *b)
{
    struct strbuf text = STRBUF_INIT;
    if (b->date.p != NULL || !b->list->list_id_hash || b->selection->origin != ORIGIN_POSTER)
        return;
    date_format(&text, b->facts->arrival);
    const char *date = strbuf_keep(&text, b->arena);
    b->date = span_cstr(date);
    edits_insert(b, FIELD_DATE, date, "R1-02");
}

static void make_edits(struct build *b)
{
    size_t fields = header_count(b->facts->header);
    size_t most = fields + FIELD_NAME_COUNT + b->list->texts->archived_at.count;
    b->plan->edits = arena_alloc(b->arena, most * sizeof *b->plan->edits);
    b->deleted = arena_calloc(b->arena, fields, sizeof *b->deleted);
    const struct envelope_list *at = b->facts->envelope->lists;
    for (; at != NULL; at = at->next)
        b->kept_later |= at->list->keep; /* empty if the MTA expands the list */
    removal_delete(b);
    if (b->post->id_is_new)
        edits_insert(b, FIELD_MESSAGE_ID, b->post->id_text.p, "SU-02");
    b->date = header_first(b->facts->header, FIELD_DATE, b->arena);
    add_date(b);
    if (b->selection->role == ROLE_DISTRIBUTION)
        stamp_fields(b);
    b->plan->edit_count = b->plan->removed + b->plan->added;
}

void decide(const struct facts *facts, const struct list *forced, const struct decide_store *store,
            struct arena *arena, struct decided *d)
{
    struct plan *plan = &d->plan;
    *d = (struct decided){.selection = selection_make(facts, forced, arena)};
    d->post = post_identify(facts, &d->selection, arena);
    if (post_needs_store(&d->post))
        store->ask(store->self, d);
    struct build b = {.facts = facts,
                      .selection = &d->selection,
                      .list = d->selection.list,
                      .post = &d->post,
                      .record = &d->record,
                      .arena = arena,
                      .plan = plan};
    if (b.list == NULL)
        return;
    plan->message_id = d->post.id_text;
    plan->message_id_hash = span_cstr(d->post.hash);
    note_selection(&b);
    apply_fault(&b);
    if (plan->action == ACTION_ACCEPT)
        record_apply(&b);
    if (plan->action == ACTION_ACCEPT)
        make_edits(&b);
    if (edits_change_nothing(&b))
        plan->edit_count = plan->removed = plan->added = 0;
    if (plan->edit_count > 0)
        signatures_note(&b);
    notes_complete(&b);
}

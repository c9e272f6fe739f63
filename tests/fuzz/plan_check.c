/* plan_check - see plan_check.h */
#include "plan_check.h"

#include "fuzz.h"

#include "mail/field_check.h"
#include "mail/fold.h"
#include "mail/message.h"
#include "spec/list_fields.h"
#include "spec/list_id.h"
#include "spec/owned_fields.h"
#include "spec/uri.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct checked {
    const struct settings *settings;
    const struct envelope *envelope;
    const struct header *header;
    const struct selection *selection;
    const struct list *list;
    const struct post *post;
    const struct plan *plan;
    struct arena arena;
    struct variable_values values; /* of the list, if there is one */
    struct edited_header after;
};

/* ---- the edits ---- */

static struct span text_of(struct span value, struct arena *arena)
{
    struct span text;
    text = fold_text(value, arena);
    return text;
}

static size_t find_nth(const struct header *header, enum field_name id, unsigned number)
{
    size_t i = header_find(header, id, 0);
    while (--number > 0 && i < header_count(header))
        i = header_find(header, id, i + 1);
    return i;
}

static void check_deletion(struct checked *c, const struct edit *edit, const struct edit *before)
{
    size_t place = find_nth(c->header, edit->name, edit->index);
    fuzz_require(edit->index >= 1 && place < header_count(c->header), "deletes what is there");
    fuzz_require(before == NULL || before->op == EDIT_DELETE, "deletions come first");
    fuzz_require(before == NULL || before->name != edit->name || before->index > edit->index,
                 "deletions of a name descend (RULINGS 4)");
    fuzz_require_text(
        span_eq(edit->value, text_of(header_field(c->header, place).value, &c->arena)),
        "a deletion names the old value", edit->value);
    fuzz_require(owned_field_find(edit->name) != NULL ||
                     (edit->name == FIELD_MESSAGE_ID && edit->index > 1 &&
                      c->list->duplicate_message_id == DUPLICATE_DELETE),
                 "only owned fields are deleted, and further Message-IDs");
}

/* Checks the URIs that a mail program finds in a field of RFC 2369. */
static void check_offered_uris(struct checked *c, const struct edit *edit)
{
    struct span value = text_of(edit->value, &c->arena), uri;
    struct cursor cursor = cursor_of(value);
    bool first = true;
    if (edit->name < FIELD_LIST_HELP || edit->name > FIELD_LIST_ARCHIVE ||
        edit->name == FIELD_LIST_UNSUBSCRIBE_POST)
        return;
    while (list_field_next_uri(&cursor, &first, &c->arena, &uri))
        fuzz_require_text(uri_fault(uri) == NULL, "a mail program finds URIs (LH-05)", uri);
}

static void check_insertion(struct checked *c, const struct edit *edit, unsigned index)
{
    struct span name = span_cstr(field_name_text(edit->name));
    fuzz_require(edit->index == index, "insertions count from the top");
    fuzz_require(strlen(edit->text) == edit->value.n, "libmilter finds the end of the value");
    fuzz_require_text(edit->value.n > 0 && fuzz_may_be_sent(name, edit->value) &&
                          field_check(name, edit->value) == FIELD_FINE,
                      "what is inserted may be sent", edit->value);
    if (edit->name == FIELD_MESSAGE_ID || edit->name == FIELD_DATE)
        fuzz_require(header_count_of(c->header, edit->name) == 0, "only what is missing");
    else
        fuzz_require(c->selection->role == ROLE_DISTRIBUTION &&
                         (edit->name == FIELD_PRECEDENCE ||
                          (owned_field_find(edit->name) != NULL &&
                           owned_field_find(edit->name)->insertion_clause != NULL)),
                     "only a distribution is stamped");
    if (edit->name == FIELD_ARCHIVED_AT)
        fuzz_require_text(uri_fault(span_sub(edit->value, 1, edit->value.n - 2)) == NULL &&
                              edit->value.p[0] == '<' && edit->value.p[edit->value.n - 1] == '>',
                          "a URI in brackets (AT-01)", edit->value);
    check_offered_uris(c, edit);
}

static void check_edits(struct checked *c)
{
    size_t removed = 0, added = 0;
    for (size_t i = 0; i < c->plan->edit_count; i++) {
        const struct edit *edit = &c->plan->edits[i];
        fuzz_require(edit->clause != NULL && *edit->clause != '\0', "an edit has its clause");
        if (edit->op == EDIT_DELETE) {
            removed++;
            check_deletion(c, edit, i > 0 ? edit - 1 : NULL);
        } else {
            check_insertion(c, edit, (unsigned)++added);
        }
    }
    fuzz_require(removed == c->plan->removed && added == c->plan->added, "edits are counted");
}

void plan_check_apply(const struct header *header, const struct plan *plan, struct arena *arena,
                      struct edited_header *out)
{
    size_t count = header_count(header);
    bool *gone = arena_calloc(arena, count, sizeof *gone);
    out->fields = arena_calloc(arena, count + plan->edit_count, sizeof *out->fields);
    out->count = 0;
    fuzz_require(gone != NULL && out->fields != NULL, "memory");
    for (size_t i = 0; i < plan->edit_count; i++) {
        const struct edit *edit = &plan->edits[i];
        if (edit->op == EDIT_DELETE)
            gone[find_nth(header, edit->name, edit->index)] = true;
        else
            out->fields[out->count++] =
                (struct edited_field){edit->name, span_cstr(field_name_text(edit->name)),
                                      text_of(edit->value, arena), SIZE_MAX};
    }
    for (size_t i = 0; i < count; i++) {
        struct field field = header_field(header, i);
        if (!gone[i])
            out->fields[out->count++] =
                (struct edited_field){field.id, field.name, text_of(field.value, arena), i};
    }
}

/* ---- what is left of each owned field ---- */

/* The values of one name, before and after. */
struct values {
    enum field_name name;
    size_t before;
    struct span first_before;
    size_t readable; /* of those before; only these may stay by `keep` or as a parent's */
    struct span first_readable;
    size_t stray; /* with a CR inside: of those before */
    size_t after;
    struct span first_after;
    size_t first_place; /* of the first one afterwards */
    size_t stayed;      /* how many of those before are there afterwards */
};

static struct values values_of(struct checked *c, enum field_name name)
{
    struct values v = {.name = name, .before = header_count_of(c->header, name)};
    if (v.before > 0)
        v.first_before =
            text_of(header_field(c->header, header_find(c->header, name, 0)).value, &c->arena);
    const struct owned_field *owned = owned_field_find(name);
    for (size_t i = header_find(c->header, name, 0); owned != NULL && i < header_count(c->header);
         i = header_find(c->header, name, i + 1)) {
        struct span value = header_field(c->header, i).value;
        v.stray += fold_has_stray_cr(value);
        if (owned_field_is_readable(owned, value, &c->arena) && v.readable++ == 0)
            v.first_readable = text_of(value, &c->arena);
    }
    for (size_t i = 0; i < c->after.count; i++) {
        const struct edited_field *field = &c->after.fields[i];
        if (field->id != name)
            continue;
        if (v.after++ == 0) {
            v.first_after = field->text;
            v.first_place = field->place;
        }
        v.stayed += field->place != SIZE_MAX;
    }
    return v;
}

static void require(const struct values *v, bool holds, const char *what)
{
    if (!holds)
        fuzz_require_text(false, what, span_cstr(field_name_text(v->name)));
}

static bool has_id_of_ours(struct checked *c, struct span value)
{
    struct span id;
    return list_id_read(value, &c->arena, &id) &&
           list_get(&c->settings->index, LIST_BY_ID, id) != NULL;
}

/* True if the value names a parent of a list among the recipients. */
static bool has_id_of_parent(struct checked *c, struct span value)
{
    struct span id;
    bool has = false;
    if (!list_id_read(value, &c->arena, &id))
        return false;
    for (const struct envelope_list *at = c->envelope->lists; at != NULL; at = at->next) {
        const struct nesting *nesting = at->list->nesting;
        for (size_t j = 0; nesting != NULL && j < nesting->parent_count; j++)
            has |= span_eq_nocase(nesting->parents[j].id, id);
    }
    return has;
}

/* True if `keep` of a list among the recipients names the field (RULINGS 70). */
static bool is_kept_later(const struct checked *c, enum field_name name)
{
    bool kept = false;
    for (const struct envelope_list *at = c->envelope->lists; at != NULL; at = at->next)
        kept |= (at->list->keep & FIELD_BIT(name)) != 0;
    return kept && c->selection->origin != ORIGIN_MANAGER;
}

/* RULINGS 27 to 29: what is a parent's to set. */
static bool is_parents(const struct checked *c, enum field_name name)
{
    bool feed = c->selection->role == ROLE_FEED;
    return c->selection->has_parent &&
           ((name == FIELD_LIST_POST && (feed || !c->list->replace_post)) ||
            (name == FIELD_LIST_ARCHIVE &&
             (feed || list_items(c->list, FIELD_LIST_ARCHIVE)->count == 0)));
}

static void check_parents_list_id(struct checked *c, const struct values *v)
{
    require(v, v->after == 1 && v->first_place == c->selection->parent_field,
            "the parent's List-Id stays, no other (RULINGS 27)");
    require(v, !c->selection->spares_private, "private");
}

/* RULINGS 70, 79 */
static void check_beside_private(struct checked *c, const struct values *v)
{
    if (v->name == FIELD_LIST_ID) {
        for (size_t i = 0; i < c->after.count; i++)
            require(
                v,
                c->after.fields[i].id != FIELD_LIST_ID ||
                    (!is_kept_later(c, FIELD_LIST_ID) &&
                     !has_id_of_ours(c, header_field(c->header, c->after.fields[i].place).value) &&
                     !has_id_of_parent(c,
                                       header_field(c->header, c->after.fields[i].place).value)) ||
                    (c->selection->has_parent &&
                     c->after.fields[i].place == c->selection->parent_field),
                "no id of ours or of a parent beside private recipients");
    } else if (owned_field_find(v->name)->removed_with_private_recipients ||
               is_kept_later(c, v->name)) {
        require(v, v->after == 0, "gone beside private recipients");
    } else {
        require(v, v->after == v->before - v->stray && v->stayed == v->after,
                "left to private recipients (RULINGS 70, 116)");
    }
}

static void check_feed(struct checked *c, const struct values *v)
{
    if (c->selection->spares_private)
        check_beside_private(c, v);
    else if (c->selection->has_parent && v->name == FIELD_LIST_ID)
        check_parents_list_id(c, v);
    else if (c->selection->has_parent && v->name == FIELD_ARCHIVED_AT)
        require(v, v->after == v->readable, "all Archived-At of the parent stay");
    else if (is_parents(c, v->name))
        require(v, v->after == (v->readable > 0), "the first of the parent's stays");
    else
        require(v, v->after == 0, "a feed has no owned field");
}

/* True if an item of List-Unsubscribe names the recipient. */
static bool names_recipient(const struct list *list)
{
    const struct list_text_array *texts = list_items(list, FIELD_LIST_UNSUBSCRIBE);
    for (size_t i = 0; i < texts->count; i++)
        if ((texts->items[i].text.needs & VARS_RECIPIENT) != 0 &&
            !list_leaves_out(list, &texts->items[i]))
            return true;
    return false;
}

/* The value that the list wants; empty: none. false: it is not known here. */
static bool wanted_value(struct checked *c, enum field_name name, char *room, size_t size,
                         struct span *value)
{
    bool hash = c->post->hash != NULL;
    *value = span_of("", 0);
    room[0] = '\0';
    switch (name) {
    case FIELD_MESSAGE_ID_HASH:
        snprintf(room, size, "%s", hash && c->list->message_id_hash ? c->post->hash : "");
        break;
    case FIELD_X_ALT_MESSAGE_ID:
        if (c->post->id.n > 0 && c->list->alt_message_id)
            snprintf(room, size, "<%s>", c->post->hash);
        break;
    case FIELD_X_LIST_SEQUENCE_NUMBER:
    case FIELD_X_LIST_SEQUENCE:
        if (c->plan->number > 0 && (name == FIELD_X_LIST_SEQUENCE || c->list->list_id_hash))
            snprintf(room, size, "%" PRIu64, c->plan->number);
        break;
    case FIELD_LIST_UNSUBSCRIBE_POST:
        return !c->list->unsubscribe_one_click;
    case FIELD_X_LIST_ID_HASH:
        return !c->list->list_id_hash;
    case FIELD_LIST_UNSUBSCRIBE:
        if (names_recipient(c->list))
            return false;
        *value =
            text_of(span_cstr(list_field_value(c->list, name, &c->values, &c->arena)), &c->arena);
        return true;
    default:
        if (name >= LIST_FIRST_FIELD && name <= LIST_LAST_FIELD)
            *value = text_of(span_cstr(list_field_value(c->list, name, &c->values, &c->arena)),
                             &c->arena);
        return true;
    }
    *value = span_cstr(room);
    return true;
}

/* RULINGS 83: true if a signature has the name of a field that is missing. */
static bool may_be_spared(const struct checked *c, const struct values *v)
{
    struct span name = span_cstr(field_name_text(v->name));
    if (c->list->oversigned != OVERSIGNED_SPARE || v->before > 0)
        return false;
    for (size_t i = header_find(c->header, FIELD_DKIM_SIGNATURE, 0); i < header_count(c->header);
         i = header_find(c->header, FIELD_DKIM_SIGNATURE, i + 1)) {
        struct span value = header_field(c->header, i).value;
        for (size_t at = 0; at + name.n <= value.n; at++) {
            if (span_eq_nocase(span_sub(value, at, at + name.n), name))
                return true;
        }
    }
    return false;
}

static void check_archived_at(struct checked *c, const struct values *v, bool stays)
{
    if (stays)
        require(v, c->plan->edit_count == 0 || v->stayed == v->readable, "all Archived-At stay");
    else
        require(v, v->after <= c->list->texts->archived_at.count,
                "not more than there are templates");
}

/* RULINGS 26 */
static bool is_kept(struct checked *c, const struct values *v)
{
    struct span uri;
    bool first = true;
    if ((c->list->keep & FIELD_BIT(v->name)) == 0 || v->readable == 0 ||
        c->list->select == SELECT_RECIPIENT || owned_field_find(v->name)->never_kept)
        return false;
    if (v->name != FIELD_LIST_UNSUBSCRIBE_POST)
        return true;
    struct values beside = values_of(c, FIELD_LIST_UNSUBSCRIBE);
    struct cursor cursor = cursor_of(beside.first_readable);
    if (!is_kept(c, &beside))
        return false;
    while (list_field_next_uri(&cursor, &first, &c->arena, &uri)) {
        if (span_starts_nocase(uri, span_cstr("https:")))
            return true;
    }
    return false;
}

static void check_distribution(struct checked *c, const struct values *v)
{
    bool keeps = is_kept(c, v);
    bool parent = c->selection->has_parent;
    char room[64];
    struct span wanted;
    if (v->after == 0 && (may_be_spared(c, v) ||
                          (c->selection->origin == ORIGIN_POSTER && is_kept_later(c, v->name))))
        return; /* RULINGS 83, 109 */
    if (parent && v->name == FIELD_LIST_ID)
        check_parents_list_id(c, v);
    else if (v->name == FIELD_ARCHIVED_AT)
        check_archived_at(c, v, keeps || parent);
    else if (keeps)
        require(v, v->after == 1 && span_eq(v->first_after, v->first_readable),
                "the first of those that are kept (RULINGS 26)");
    else if (is_parents(c, v->name))
        require(v, v->after == (v->readable > 0) && span_eq(v->first_after, v->first_readable),
                "the first of the parent's stays (RULINGS 28)");
    else if (!wanted_value(c, v->name, room, sizeof room, &wanted))
        require(v, v->after <= 1, "one at most");
    else if (wanted.n == 0)
        require(v, v->after == 0, "gone");
    else
        require(v, v->after == 1 && span_eq(v->first_after, wanted), "what the list wants");
}

static void check_message_id(struct checked *c)
{
    struct values v = values_of(c, FIELD_MESSAGE_ID);
    if (v.before > 0 && c->list->duplicate_message_id == DUPLICATE_DELETE)
        require(&v, v.after == 1, "further Message-IDs are gone");
    else
        require(&v, v.stayed == v.before, "Message-IDs stay");
    require(&v, v.before == 0 || span_eq(v.first_before, v.first_after), "the first one stays");
}

static void check_reply(const struct plan *plan)
{
    struct span text = span_cstr(plan->reply_text);
    fuzz_require(plan->edit_count == 0, "no edits together with a refusal");
    fuzz_require(strlen(plan->reply_code) == 3 &&
                     plan->reply_code[0] == (plan->action == ACTION_REJECT ? '5' : '4') &&
                     plan->reply_status[0] == plan->reply_code[0],
                 "a reply of its class");
    fuzz_require_text(text.n > 0 && text.n < 500 && span_is_printable_ascii(text),
                      "the text of a reply", text);
}

void plan_check(const struct facts *facts, const struct selection *selection,
                const struct post *post, const struct plan *plan)
{
    struct checked c = {.settings = facts->settings,
                        .envelope = facts->envelope,
                        .header = facts->header,
                        .selection = selection,
                        .list = selection->list,
                        .post = post,
                        .plan = plan};
    if (selection->role == ROLE_NONE) {
        fuzz_require(plan->edit_count == 0 && plan->action == ACTION_ACCEPT, "not ours");
        return;
    }
    if (plan->action != ACTION_ACCEPT) {
        check_reply(plan);
        return;
    }
    arena_init(&c.arena, 0);
    if (c.list != NULL)
        list_variables(c.list, &c.values);
    fuzz_require(!c.header->too_large, "a header that is too large is refused (RULINGS 97)");
    check_edits(&c);
    plan_check_apply(facts->header, plan, &c.arena, &c.after);
    check_message_id(&c);
    for (size_t i = 0; i < owned_field_count; i++) {
        struct values v = values_of(&c, owned_fields[i].name);
        if (selection->role == ROLE_FEED)
            check_feed(&c, &v);
        else
            check_distribution(&c, &v);
    }
    arena_free(&c.arena);
}

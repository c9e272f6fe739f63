/* plan_check - see plan_check.h */
#include "plan_check.h"

#include "fuzz.h"

#include "mail/field_check.h"
#include "mail/fold.h"
#include "mail/message.h"
#include "spec/list_id.h"
#include "spec/owned_fields.h"

#include <string.h>

struct checked {
    const struct settings *settings;
    const struct envelope *envelope;
    const struct header *header;
    const struct selection *selection;
    const struct list *list;
    const struct plan *plan;
    struct arena arena;
    struct edited_header after;
};

/* ---- the edits ---- */

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
        span_eq(edit->value, fold_text(header_field(c->header, place).value, &c->arena)),
        "a deletion names the old value", edit->value);
    fuzz_require(owned_field_find(edit->name) != NULL ||
                     (edit->name == FIELD_MESSAGE_ID && edit->index > 1 &&
                      c->list->duplicate_message_id == DUPLICATE_DELETE),
                 "only owned fields are deleted, and further Message-IDs");
}

/* fuzz_plan lints what is inserted. */
static void check_insertion(struct checked *c, const struct edit *edit, unsigned index)
{
    struct span name = span_cstr(field_name_text(edit->name));
    fuzz_require(edit->index == index, "insertions count from the top");
    fuzz_require(strlen(edit->text) == edit->value.n, "libmilter finds the end of the value");
    fuzz_require_text(edit->value.n > 0 && field_check(name, edit->value) == FIELD_FINE,
                      "what is inserted may be sent", edit->value);
    if (edit->name == FIELD_MESSAGE_ID || edit->name == FIELD_DATE)
        fuzz_require(header_count_of(c->header, edit->name) == 0, "only what is missing");
    else
        fuzz_require(c->selection->role == ROLE_DISTRIBUTION &&
                         (edit->name == FIELD_PRECEDENCE ||
                          (owned_field_find(edit->name) != NULL &&
                           owned_field_find(edit->name)->insertion_clause != NULL)),
                     "only a distribution is stamped");
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
    for (size_t i = 0; i < plan->edit_count; i++) {
        const struct edit *edit = &plan->edits[i];
        if (edit->op == EDIT_DELETE)
            gone[find_nth(header, edit->name, edit->index)] = true;
        else
            out->fields[out->count++] =
                (struct edited_field){edit->name, span_cstr(field_name_text(edit->name)),
                                      fold_text(edit->value, arena), SIZE_MAX};
    }
    for (size_t i = 0; i < count; i++) {
        struct field field = header_field(header, i);
        if (!gone[i])
            out->fields[out->count++] =
                (struct edited_field){field.id, field.name, fold_text(field.value, arena), i};
    }
}

/* ---- what is left of each owned field ---- */

/* The fields of one name, before and after. */
struct values {
    enum field_name name;
    size_t before;
    size_t readable; /* of those before; only these may stay by `keep` or as a parent's */
    struct span first_readable;
    size_t stray; /* of those before: with a CR inside */
    size_t after;
    size_t stayed; /* of those after */
    struct span first_after;
    size_t first_place;
};

static struct values values_of(struct checked *c, enum field_name name)
{
    struct values v = {.name = name, .before = header_count_of(c->header, name)};
    const struct owned_field *owned = owned_field_find(name);
    for (size_t i = header_find(c->header, name, 0); owned != NULL && i < header_count(c->header);
         i = header_find(c->header, name, i + 1)) {
        struct span value = header_field(c->header, i).value;
        v.stray += fold_has_stray_cr(value);
        if (owned_field_is_readable(owned, value, &c->arena) && v.readable++ == 0)
            v.first_readable = fold_text(value, &c->arena);
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
    fuzz_require_text(holds, what, span_cstr(field_name_text(v->name)));
}

/* True if the value has the id of a list of ours, or of a parent of a list among the recipients. */
static bool has_id_of_ours(struct checked *c, struct span value)
{
    struct span id;
    if (!list_id_read(value, &c->arena, &id))
        return false;
    bool has = list_get(&c->settings->index, LIST_BY_ID, id) != NULL;
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

/* RULINGS 27 to 29: true if the field is a parent's to set. */
static bool is_parents(const struct checked *c, enum field_name name)
{
    bool feed = c->selection->role == ROLE_FEED;
    return c->selection->has_parent &&
           (name == FIELD_ARCHIVED_AT ||
            (name == FIELD_LIST_POST && (feed || !c->list->replace_post)) ||
            (name == FIELD_LIST_ARCHIVE &&
             (feed || list_items(c->list, FIELD_LIST_ARCHIVE)->count == 0)));
}

/* RULINGS 70, 79 */
static void check_beside_private(struct checked *c, const struct values *v)
{
    bool is_deleted =
        owned_field_find(v->name)->removed_with_private_recipients || is_kept_later(c, v->name);
    if (v->name != FIELD_LIST_ID) {
        require(v, v->after == (is_deleted ? 0 : v->before - v->stray) && v->stayed == v->after,
                "left to private recipients, or gone (RULINGS 70, 116)");
        return;
    }
    for (size_t i = 0; i < c->after.count; i++) {
        const struct edited_field *field = &c->after.fields[i];
        bool is_the_parents =
            c->selection->has_parent && field->place == c->selection->parent_field;
        require(v,
                field->id != FIELD_LIST_ID || is_the_parents ||
                    (!is_kept_later(c, FIELD_LIST_ID) &&
                     !has_id_of_ours(c, header_field(c->header, field->place).value)),
                "no id of ours or of a parent beside private recipients");
    }
}

/* Golden has the values that a list inserts. This says which of a message's fields may stay. */
static void check_owned(struct checked *c, enum field_name name)
{
    const struct values values = values_of(c, name), *v = &values;
    bool is_feed = c->selection->role == ROLE_FEED;
    bool keeps = !is_feed && (c->list->keep & FIELD_BIT(name)) != 0 &&
                 c->list->select != SELECT_RECIPIENT && !owned_field_find(name)->never_kept;
    if (c->selection->spares_private) {
        check_beside_private(c, v);
    } else if (c->selection->has_parent && name == FIELD_LIST_ID) {
        /* RULINGS 83, 109: an alias list withholds what a list manager would keep. */
        require(v,
                (v->after == 1 && v->first_place == c->selection->parent_field) ||
                    (v->after == 0 && !is_feed && is_kept_later(c, name)),
                "the parent's List-Id stays, no other (RULINGS 27)");
    } else {
        /* Without an edit the message has the list's fields already (RULINGS 1). */
        bool may_stay = keeps || is_parents(c, name) || c->plan->edit_count == 0;
        require(v, v->stayed == 0 || may_stay, "a field of others is gone");
        require(v, v->stayed <= v->readable, "what stays can be read (RULINGS 26, 28)");
        require(v, v->after == 0 || !is_feed || v->stayed > 0, "a feed is not stamped");
        if (name != FIELD_ARCHIVED_AT) { /* of which there may be several */
            require(v, v->after <= 1, "one at most");
            require(v, v->stayed == 0 || span_eq(v->first_after, v->first_readable),
                    "the first that can be read");
        }
    }
}

static void check_message_id(struct checked *c)
{
    struct values v = values_of(c, FIELD_MESSAGE_ID);
    struct span first = header_first(c->header, FIELD_MESSAGE_ID, &c->arena);
    if (v.before > 0 && c->list->duplicate_message_id == DUPLICATE_DELETE)
        require(&v, v.after == 1, "further Message-IDs are gone");
    else
        require(&v, v.stayed == v.before, "Message-IDs stay");
    require(&v, v.before == 0 || span_eq(first, v.first_after), "the first one stays");
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
                const struct plan *plan)
{
    struct checked c = {.settings = facts->settings,
                        .envelope = facts->envelope,
                        .header = facts->header,
                        .selection = selection,
                        .list = selection->list,
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
    fuzz_require(!c.header->too_large, "a header that is too large is refused (RULINGS 97)");
    check_edits(&c);
    plan_check_apply(facts->header, plan, &c.arena, &c.after);
    check_message_id(&c);
    for (size_t i = 0; i < owned_field_count; i++)
        check_owned(&c, owned_fields[i].name);
    arena_free(&c.arena);
}

/* plan_builder - the edits of a plan in their order, and whether they change anything */
#include "plan/plan_builder.h"

#include "mail/field_check.h"
#include "mail/fold.h"
#include "spec/owned_fields.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Insertions that are no Archived-At: one of each name at most. */
#define SINGLE_INSERTIONS FIELD_NAME_COUNT

static uint64_t kept_by_recipients(const struct envelope *envelope)
{
    uint64_t names = 0;
    for (size_t i = 0; i < envelope->list_count; i++)
        names |= envelope->lists[i].list->keep; /* empty where the MTA expands the list */
    return names;
}

int builder_init(struct builder *b)
{
    size_t fields = header_count(b->facts->header);
    if (b->selection->role == ROLE_DISTRIBUTION && list_texts_of(b->list, b->arena, &b->texts) != 0)
        return -1;
    size_t insertions = SINGLE_INSERTIONS + b->texts.archived_at_count;
    if (b->selection->private_recipients)
        b->kept_later = kept_by_recipients(b->facts->envelope);
    b->deleted = arena_calloc(b->arena, fields, sizeof *b->deleted);
    b->insertions = arena_calloc(b->arena, insertions, sizeof *b->insertions);
    return b->deleted == NULL || b->insertions == NULL ? -1 : 0;
}

/* How many fields can be deleted at most. */
static size_t deletable(const struct header *header)
{
    size_t count = header_count_of(header, FIELD_MESSAGE_ID);
    for (size_t i = 0; i < owned_field_count; i++)
        count += header_count_of(header, owned_fields[i].name);
    return count;
}

/* Deletions are rare on the second pass and in clean posts: their room is taken when it is needed.
 */
static int add_deletion(struct builder *b, const struct received *field, const char *clause)
{
    struct edit *edit;
    if (b->deletions == NULL)
        b->deletions = arena_calloc(b->arena, deletable(b->facts->header), sizeof *b->deletions);
    if (b->deletions == NULL)
        return -1;
    edit = &b->deletions[b->deletion_count++];
    edit->op = EDIT_DELETE;
    edit->name = field->name;
    edit->index = (unsigned)field->number;
    edit->clause = clause;
    edit->value = fold_text(field->value, b->arena);
    return 0;
}

static void reverse(struct edit *edits, size_t count)
{
    for (size_t i = 0; i < count / 2; i++) {
        struct edit swapped = edits[i];
        edits[i] = edits[count - 1 - i];
        edits[count - 1 - i] = swapped;
    }
}

static int delete_if(struct builder *b, const struct received *field, field_filter *wanted)
{
    const char *clause;
    if (wanted(b, field, &clause) != 0)
        return -1;
    if (clause == NULL)
        return 0;
    if (field->place < header_count(b->facts->header))
        b->deleted[field->place] = true;
    b->deletes_unread |= field->place >= header_whole_count(b->facts->header);
    return add_deletion(b, field, clause);
}

int builder_delete(struct builder *b, enum field_name name, field_filter *wanted)
{
    const struct header *header = b->facts->header;
    struct received field = {.name = name};
    size_t first = b->deletion_count;
    for (field.place = header_find(header, name, 0); field.place < header_count(header);
         field.place = header_find(header, name, field.place + 1)) {
        field.number++;
        field.value = header_field(header, field.place).value;
        if (delete_if(b, &field, wanted) != 0)
            return -1;
    }
    /* Those that were not kept stand below those that were. */
    field.value = span_of("", 0);
    while (field.number < header_count_of(header, name)) {
        field.number++;
        if (delete_if(b, &field, wanted) != 0)
            return -1;
    }
    if (b->deletion_count > first)
        reverse(b->deletions + first, b->deletion_count - first);
    return 0;
}

int builder_insert(struct builder *b, enum field_name name, struct span value, const char *clause)
{
    const char *name_text = field_name_text(name);
    enum field_fault fault = field_check(span_cstr(name_text), value);
    struct edit *edit;
    if ((b->spared & FIELD_BIT(name)) != 0) {
        b->left_out |= FIELD_BIT(name);
        return 0;
    }
    if (fault != FIELD_FINE)
        return builder_note(b, true, "%s left out: it %s", name_text, field_fault_text(fault));
    edit = &b->insertions[b->insertion_count++];
    edit->op = EDIT_INSERT;
    edit->name = name;
    edit->index = (unsigned)b->insertion_count;
    edit->value = value;
    edit->clause = clause;
    return 0;
}

static const char *format_in(struct arena *arena, const char *format, va_list ap)
    __attribute__((format(printf, 2, 0)));
static const char *format_in(struct arena *arena, const char *format, va_list ap)
{
    struct strbuf text = STRBUF_INIT;
    const char *copy = NULL;
    strbuf_addv(&text, format, ap);
    if (!strbuf_failed(&text))
        copy = arena_strdup(arena, strbuf_span(&text));
    strbuf_free(&text);
    return copy;
}

const char *builder_text(struct builder *b, const char *format, ...)
{
    const char *text;
    va_list ap;
    va_start(ap, format);
    text = format_in(b->arena, format, ap);
    va_end(ap);
    return text;
}

/* Escaping, and zeros before a number, make it longer only. */
bool builder_is_too_long(const struct template *t, const struct variable_values *values)
{
    size_t octets = 0;
    for (size_t i = 0; i < t->count && octets <= FIELD_LINE_MAX; i++) {
        const struct template_part *part = &t->parts[i];
        size_t n = part->variable == VAR_COUNT ? part->literal.n : values->text[part->variable].n;
        octets += part->width > 0 && n > part->width ? part->width : n;
    }
    return octets > FIELD_LINE_MAX;
}

/* Room for one more note. */
static int grow_notes(struct builder *b)
{
    struct plan *plan = b->plan;
    size_t capacity = b->note_capacity == 0 ? 4 : 2 * b->note_capacity;
    struct plan_note *notes;
    if (plan->note_count < b->note_capacity)
        return 0;
    notes = arena_calloc(b->arena, capacity, sizeof *notes);
    if (notes == NULL)
        return -1;
    if (plan->note_count > 0)
        memcpy(notes, plan->notes, plan->note_count * sizeof *notes);
    plan->notes = notes;
    b->note_capacity = capacity;
    return 0;
}

int builder_note(struct builder *b, bool is_error, const char *format, ...)
{
    struct plan *plan = b->plan;
    const char *text;
    va_list ap;
    if (plan->note_count == PLAN_NOTES_MAX) {
        plan->notes_more++;
        b->dropped_error |= is_error;
        return 0;
    }
    va_start(ap, format);
    text = format_in(b->arena, format, ap);
    va_end(ap);
    if (text == NULL || grow_notes(b) != 0)
        return -1;
    plan->notes[plan->note_count++] = (struct plan_note){is_error, text};
    return 0;
}

int builder_finish_notes(struct builder *b)
{
    struct plan_note *last;
    if (b->plan->notes_more == 0)
        return 0;
    last = &b->plan->notes[PLAN_NOTES_MAX - 1];
    last->text = builder_text(b, "and %zu more", ++b->plan->notes_more);
    last->is_error |= b->dropped_error;
    return last->text == NULL ? -1 : 0;
}

/* The place of the next insertion of that name at or after `from`. */
static size_t next_insertion(const struct builder *b, enum field_name name, size_t from)
{
    while (from < b->insertion_count && b->insertions[from].name != name)
        from++;
    return from;
}

/* The place of the next field of that name, at or after `from`, that is not deleted. */
static size_t next_survivor(const struct builder *b, enum field_name name, size_t from)
{
    size_t i = header_find(b->facts->header, name, from);
    while (i < header_count(b->facts->header) && b->deleted[i])
        i = header_find(b->facts->header, name, i + 1);
    return i;
}

/* Do the values of this name stay the same, in the same order? Before: all its fields. After: the
 * insertions, which land above, then the fields that are not deleted. */
static int same_values(const struct builder *b, enum field_name name, bool *same)
{
    const struct header *header = b->facts->header;
    size_t insertion = next_insertion(b, name, 0);
    size_t survivor = next_survivor(b, name, 0);
    *same = false;
    for (size_t i = header_find(header, name, 0); i < header_count(header);
         i = header_find(header, name, i + 1)) {
        struct span after;

        if (insertion < b->insertion_count) {
            after = b->insertions[insertion].value;
            insertion = next_insertion(b, name, insertion + 1);
        } else if (survivor < header_count(header)) {
            after = header_field(header, survivor).value;
            survivor = next_survivor(b, name, survivor + 1);
        } else {
            return 0;
        }
        if (!span_eq(fold_text(header_field(header, i).value, b->arena),
                     fold_text(after, b->arena)))
            return 0;
    }
    *same = insertion == b->insertion_count && survivor == header_count(header);
    return 0;
}

/* Looks at each name that has edits. */
static int changes_nothing(const struct builder *b, bool *nothing)
{
    uint64_t seen = 0;
    *nothing = !b->deletes_unread;
    for (size_t i = 0; i < b->deletion_count + b->insertion_count && *nothing; i++) {
        enum field_name name = i < b->deletion_count ? b->deletions[i].name
                                                     : b->insertions[i - b->deletion_count].name;
        if (seen & FIELD_BIT(name))
            continue;
        seen |= FIELD_BIT(name);
        if (same_values(b, name, nothing) != 0)
            return -1;
    }
    return 0;
}

int builder_refuse(struct builder *b, enum plan_action action, const char *code, const char *status,
                   const char *why)
{
    struct plan *plan = b->plan;
    plan->action = action;
    plan->reply_code = code;
    plan->reply_status = status;
    plan->reply_text = builder_text(b, "List %.*s: %s", (int)b->list->id.n, b->list->id.p, why);
    return plan->reply_text == NULL ? -1 : 0;
}

int builder_finish(struct builder *b)
{
    struct plan *plan = b->plan;
    size_t count = b->deletion_count + b->insertion_count;
    bool nothing;
    if (changes_nothing(b, &nothing) != 0)
        return -1;
    if (nothing)
        return 0;
    plan->edits = arena_calloc(b->arena, count, sizeof *plan->edits);
    if (plan->edits == NULL)
        return -1;
    if (b->deletion_count > 0)
        memcpy(plan->edits, b->deletions, b->deletion_count * sizeof *plan->edits);
    memcpy(plan->edits + b->deletion_count, b->insertions,
           b->insertion_count * sizeof *plan->edits);
    plan->edit_count = count;
    plan->removed = b->deletion_count;
    plan->added = b->insertion_count;
    return 0;
}

/* build - see build.h */
#include "plan/build.h"

#include "config/lists/list.h"
#include "mail/field_check.h"
#include "spec/owned_fields.h"

#include <stdarg.h>

static const char *format_text(struct arena *arena, const char *format, va_list ap)
    __attribute__((format(printf, 2, 0)));
static const char *format_text(struct arena *arena, const char *format, va_list ap)
{
    struct strbuf text = STRBUF_INIT;
    strbuf_addv(&text, format, ap);
    return strbuf_keep(&text, arena);
}

const char *build_text(const struct build *b, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    const char *text = format_text(b->arena, format, ap);
    va_end(ap);
    return text;
}

void build_note(struct build *b, bool is_error, const char *format, ...)
{
    struct plan *plan = b->plan;
    va_list ap;
    if (plan->note_count == PLAN_NOTES_MAX) {
        plan->notes_more += plan->notes_more == 0 ? 2 : 1; /* the last note is one of them */
        plan->notes[PLAN_NOTES_MAX - 1].is_error |= is_error;
        return;
    }
    va_start(ap, format);
    plan->notes[plan->note_count++] =
        (struct plan_note){is_error, format_text(b->arena, format, ap)};
    va_end(ap);
}

bool build_keeps(const struct build *b, enum field_name name)
{
    if (name == FIELD_LIST_UNSUBSCRIBE_POST &&
        !(b->has_https_unsubscribe && build_keeps(b, FIELD_LIST_UNSUBSCRIBE)))
        return false;
    return b->selection->role == ROLE_DISTRIBUTION && (b->list->keep & FIELD_BIT(name)) != 0 &&
           header_count_of(b->facts->header, name) > 0;
}

bool build_is_parents(const struct build *b, enum field_name name)
{
    bool is_feed = b->selection->role == ROLE_FEED;
    if (!b->selection->has_parent)
        return false;
    switch (name) {
    case FIELD_LIST_ID:
    case FIELD_ARCHIVED_AT:
        return true;
    case FIELD_LIST_POST:
        return is_feed || !b->list->replace_post;
    case FIELD_LIST_ARCHIVE:
        return is_feed || list_texts_field(&b->texts, FIELD_LIST_ARCHIVE).n == 0;
    default:
        return false;
    }
}

bool build_insert(struct build *b, enum field_name name, struct span value, const char *clause)
{
    const char *name_text = field_name_text(name);
    enum field_fault fault = field_check(span_cstr(name_text), value);
    struct plan *plan = b->plan;
    if ((b->forbidden & FIELD_BIT(name)) != 0) {
        b->left_out |= FIELD_BIT(name);
        return false;
    }
    if (fault != FIELD_FINE) {
        build_note(b, true, "%s left out: it %s", name_text, field_fault_text(fault));
        return false;
    }
    unsigned index = (unsigned)++plan->added;
    plan->edits[plan->removed + index - 1] = (struct edit){EDIT_INSERT, name, index, value, clause};
    return true;
}

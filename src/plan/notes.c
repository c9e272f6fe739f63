/* notes - see edits.h: texts of a plan: notes, their limit, and a refusal */
#include "config/lists/list.h"
#include "plan/edits.h"

#include <stdarg.h>

const char *build_text(const struct build *b, const char *format, ...)
{
    struct strbuf text = STRBUF_INIT;
    va_list ap;
    va_start(ap, format);
    strbuf_addv(&text, format, ap);
    va_end(ap);
    return strbuf_keep(&text, b->arena);
}

void build_refuse(struct build *b, enum plan_action action, const char *code, const char *status,
                  const char *why)
{
    b->plan->action = action;
    b->plan->reply_code = code;
    b->plan->reply_status = status;
    b->plan->reply_text = build_text(b, "List %.*s: %s", (int)b->list->id.n, b->list->id.p, why);
}

void notes_add(struct build *b, bool is_error, const char *format, ...)
{
    struct plan *plan = b->plan;
    struct strbuf text = STRBUF_INIT;
    va_list ap;
    plan->has_error |= is_error;
    if (plan->note_count == PLAN_NOTES_MAX) {
        plan->notes_more += plan->notes_more == 0 ? 2 : 1; /* the last note is one of them */
        plan->notes[PLAN_NOTES_MAX - 1].is_error |= is_error;
        return;
    }
    va_start(ap, format);
    strbuf_addv(&text, format, ap);
    va_end(ap);
    plan->notes[plan->note_count++] = (struct plan_note){is_error, strbuf_keep(&text, b->arena)};
}

void notes_complete(struct build *b)
{
    if (b->plan->notes_more > 0)
        b->plan->notes[PLAN_NOTES_MAX - 1].text =
            build_text(b, "and %zu more", b->plan->notes_more);
}

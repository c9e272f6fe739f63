/* apply_stream - see apply_stream.h */
#include "ctl/apply_stream.h"

#include "text/ascii.h"
#include "text/visible.h"

/* True if the plan deletes the field with this number of its name. */
static bool is_deleted(const struct plan *plan, enum field_name name, unsigned number)
{
    for (size_t i = 0; i < plan->edit_count; i++) {
        const struct edit *edit = &plan->edits[i];
        if (edit->op == EDIT_DELETE && edit->name == name && edit->index == number)
            return true;
    }
    return false;
}

/* Appends all fields that the plan inserts. */
static void add_insertions(struct strbuf *out, const struct plan *plan, const char *line_end)
{
    for (size_t i = 0; i < plan->edit_count; i++) {
        const struct edit *edit = &plan->edits[i];
        if (edit->op != EDIT_INSERT)
            continue;
        strbuf_addf(out, "%s: ", field_name_text(edit->name));
        for (struct span value = edit->value; value.n > 0;) {
            strbuf_add_span(out, span_take_line(&value));
            strbuf_add_str(out, line_end);
        }
    }
}

void apply_stream(const struct message *m, const struct plan *plan, struct strbuf *out)
{
    const char *line_end = m->crlf ? "\r\n" : "\n";
    unsigned numbers[FIELD_NAME_COUNT] = {0};
    bool has_fields = false;
    strbuf_add_span(out, m->mbox_line);
    if (plan->added > 0 && m->mbox_line.n > 0 && m->mbox_line.p[m->mbox_line.n - 1] != '\n')
        strbuf_add_str(out, line_end); /* of a message that was cut off */
    add_insertions(out, plan, line_end);
    for (size_t i = 0; i < m->field_count; i++) {
        enum field_name name = m->fields[i].id;
        if (is_deleted(plan, name, ++numbers[name]))
            continue;
        strbuf_add_span(out, m->fields[i].lines);
        has_fields = true;
    }
    /* A message that begins with a blank has no header: its text must not continue our field. */
    if (plan->added > 0 && !has_fields && m->rest.n > 0 && ascii_is_blank(m->rest.p[0]))
        strbuf_add_str(out, line_end);
    strbuf_add_span(out, m->rest);
}

static void add_marked(struct strbuf *out, const char *mark, struct span lines)
{
    while (lines.n > 0) {
        struct span line = span_take_line(&lines);
        strbuf_add_str(out, mark);
        for (size_t tab; (tab = span_find(line, '\t')) < line.n;) {
            visible_add(out, span_sub(line, 0, tab));
            strbuf_add_char(out, ' ');
            line = span_sub(line, tab + 1, line.n);
        }
        visible_add(out, line);
        strbuf_add_char(out, '\n');
    }
}

void apply_stream_marked(const struct message *m, const struct plan *plan, struct strbuf *out)
{
    struct strbuf inserted = STRBUF_INIT;
    unsigned numbers[FIELD_NAME_COUNT] = {0};
    add_insertions(&inserted, plan, "\n");
    for (size_t i = 0; i < m->field_count; i++) {
        enum field_name name = m->fields[i].id;
        bool deleted = is_deleted(plan, name, ++numbers[name]);
        if (!deleted) { /* the first field that stays */
            add_marked(out, "+ ", strbuf_span(&inserted));
            strbuf_reset(&inserted);
        }
        add_marked(out, deleted ? "- " : "  ", m->fields[i].lines);
    }
    add_marked(out, "+ ", strbuf_span(&inserted));
    strbuf_free(&inserted);
}

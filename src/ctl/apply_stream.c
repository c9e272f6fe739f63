/* apply_stream - see apply_stream.h */
#include "ctl/apply_stream.h"

#include "text/ascii.h"
#include "text/memory.h"
#include "text/visible.h"

#include <stdlib.h>
#include <string.h>

/* A field of the header before or after. */
struct piece {
    struct span lines;
    const struct edit *insertion; /* NULL: `lines` as they stand */
    bool is_deleted;
};

/* True if the field with this number of its name is among the deletions. */
static bool is_deleted(const struct plan *plan, enum field_name name, unsigned number)
{
    for (size_t i = 0; i < plan->edit_count && name != FIELD_OTHER; i++) {
        const struct edit *edit = &plan->edits[i];
        if (edit->op == EDIT_DELETE && edit->name == name && edit->index == number)
            return true;
    }
    return false;
}

/* Inserts after so many pieces that stay. Returns the new count. */
static size_t insert(struct piece *pieces, size_t count, const struct edit *edit)
{
    size_t place = 0;
    for (size_t stay = edit->index - 1; place < count && (stay > 0 || pieces[place].is_deleted);
         place++)
        stay -= !pieces[place].is_deleted;
    memmove(pieces + place + 1, pieces + place, (count - place) * sizeof *pieces);
    pieces[place] = (struct piece){.insertion = edit};
    return count + 1;
}

/* Returns the fields before and after in one order, for free(). */
static struct piece *make_pieces(const struct message *m, const struct plan *plan, size_t *count)
{
    unsigned numbers[FIELD_NAME_COUNT] = {0};
    struct piece *pieces = memory_new(m->field_count + plan->edit_count + 1, sizeof *pieces);
    for (*count = 0; *count < m->field_count; (*count)++) {
        enum field_name name = m->fields[*count].id;
        pieces[*count].lines = m->fields[*count].lines;
        pieces[*count].is_deleted = is_deleted(plan, name, ++numbers[name]);
    }
    for (size_t i = 0; i < plan->edit_count; i++)
        if (plan->edits[i].op == EDIT_INSERT)
            *count = insert(pieces, *count, &plan->edits[i]);
    return pieces;
}

static void add_insertion(struct strbuf *out, const struct edit *edit, const char *eol)
{
    strbuf_add_str(out, field_name_text(edit->name));
    strbuf_add_str(out, ": ");
    for (size_t i = 0; i < edit->value.n; i++) {
        if (edit->value.p[i] == '\n')
            strbuf_add_str(out, eol);
        else
            strbuf_add_char(out, edit->value.p[i]);
    }
    strbuf_add_str(out, eol);
}

void apply_stream(const struct message *m, const struct plan *plan, struct strbuf *out)
{
    const char *eol = m->crlf ? "\r\n" : "\n";
    size_t begin = out->len;
    size_t count;
    struct piece *pieces = make_pieces(m, plan, &count);
    bool is_inserted = false;
    strbuf_add_span(out, m->mbox_line);
    for (size_t i = 0; i < count; i++) {
        if (pieces[i].is_deleted)
            continue;
        is_inserted = pieces[i].insertion != NULL;
        /* The last line of a message that was cut off gets an end. */
        if (out->len > begin && out->data[out->len - 1] != '\n')
            strbuf_add_str(out, eol);
        if (is_inserted)
            add_insertion(out, pieces[i].insertion, eol);
        else
            strbuf_add_span(out, pieces[i].lines);
    }
    /* A message that begins with a blank has no header: its text must not continue our field. */
    if (is_inserted && m->rest.n > 0 && ascii_is_blank(m->rest.p[0]))
        strbuf_add_str(out, eol);
    strbuf_add_span(out, m->rest);
    free(pieces);
}

static void add_marked(struct strbuf *out, const char *mark, struct span lines)
{
    while (lines.n > 0) {
        struct span line = span_sub(lines, 0, span_find(lines, '\n'));
        lines = span_sub(lines, line.n + 1, lines.n);
        if (line.n > 0 && line.p[line.n - 1] == '\r')
            line.n--;
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
    struct strbuf field = STRBUF_INIT;
    size_t count;
    struct piece *pieces = make_pieces(m, plan, &count);
    for (size_t i = 0; i < count; i++) {
        strbuf_reset(&field);
        if (pieces[i].insertion != NULL)
            add_insertion(&field, pieces[i].insertion, "\n");
        else
            strbuf_add_span(&field, pieces[i].lines);
        add_marked(out,
                   pieces[i].insertion != NULL ? "+ "
                   : pieces[i].is_deleted      ? "- "
                                               : "  ",
                   strbuf_span(&field));
    }
    strbuf_free(&field);
    free(pieces);
}

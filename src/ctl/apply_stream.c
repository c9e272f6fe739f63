/* Edits a message: see apply_stream.h. */
#include "ctl/apply_stream.h"

#include "text/ascii.h"
#include "text/memory.h"

#include <stdlib.h>
#include <string.h>

/* A line (with its continuations) of the header to be: one that was there, or an insertion. */
struct piece {
    struct span lines;
    const struct edit *insertion; /* NULL: `lines` as they stand */
};

/* Is the field with this number of its name among the deletions? */
static bool is_deleted(const struct plan *plan, enum field_name name, unsigned number)
{
    for (size_t i = 0; i < plan->edit_count; i++) {
        const struct edit *edit = &plan->edits[i];
        if (edit->op == EDIT_DELETE && edit->name == name && edit->index == number)
            return true;
    }
    return false;
}

/* The lines that stay, in their order. Returns how many. */
static size_t collect_staying(const struct message *m, const struct plan *plan,
                              struct piece *pieces)
{
    unsigned numbers[FIELD_NAME_COUNT] = {0};
    size_t count = 0;
    for (size_t i = 0; i < m->field_count; i++) {
        enum field_name name = m->fields[i].id;
        numbers[name]++;
        if (name == FIELD_OTHER || !is_deleted(plan, name, numbers[name]))
            pieces[count++] = (struct piece){.lines = m->fields[i].lines};
    }
    return count;
}

static size_t insert(struct piece *pieces, size_t count, const struct edit *edit)
{
    size_t place = edit->index - 1;
    if (place > count)
        place = count;
    memmove(pieces + place + 1, pieces + place, (count - place) * sizeof *pieces);
    pieces[place] = (struct piece){.insertion = edit};
    return count + 1;
}

/* A last line without its end (of a cut-off message) gets one before more follows. */
static void end_line(struct strbuf *out, size_t begin, const char *eol)
{
    if (out->len > begin && out->data[out->len - 1] != '\n')
        strbuf_add_str(out, eol);
}

static void write_field(struct strbuf *out, const struct edit *edit, const char *eol)
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

static void write_pieces(struct strbuf *out, const struct message *m, const struct piece *pieces,
                         size_t count)
{
    const char *eol = m->crlf ? "\r\n" : "\n";
    size_t begin = out->len;
    strbuf_add_span(out, m->mbox_line);
    for (size_t i = 0; i < count; i++) {
        end_line(out, begin, eol);
        if (pieces[i].insertion != NULL)
            write_field(out, pieces[i].insertion, eol);
        else
            strbuf_add_span(out, pieces[i].lines);
    }
    /* A message that begins with a blank has no header: its text must not continue our field. */
    if (count > 0 && pieces[count - 1].insertion != NULL && m->rest.n > 0 &&
        ascii_is_blank(m->rest.p[0]))
        strbuf_add_str(out, eol);
    strbuf_add_span(out, m->rest);
}

void apply_stream(const struct message *message, const struct plan *plan, struct strbuf *out)
{
    size_t room = message->field_count + plan->edit_count + 1;
    struct piece *pieces = memory_new(room, sizeof *pieces);
    size_t count = collect_staying(message, plan, pieces);
    for (size_t i = 0; i < plan->edit_count; i++) {
        if (plan->edits[i].op == EDIT_INSERT)
            count = insert(pieces, count, &plan->edits[i]);
    }
    write_pieces(out, message, pieces, count);
    free(pieces);
}

/* message - see message.h */
#include "mail/message.h"

#include "mail/fold.h"
#include "text/ascii.h"
#include "text/memory.h"

#include <stdlib.h>

void message_init(struct message *m)
{
    *m = (struct message){.field_count = 0};
    header_init(&m->header);
}

void message_free(struct message *m)
{
    header_free(&m->header);
    free(m->fields);
    message_init(m);
}

/* Returns the first line of s with its line end, if it has one. */
static struct span first_line(struct span s)
{
    return span_sub(s, 0, span_find(s, '\n') + 1);
}

static struct span without_line_end(struct span line)
{
    if (line.n > 0 && line.p[line.n - 1] == '\n') {
        line.n--;
        if (line.n > 0 && line.p[line.n - 1] == '\r')
            line.n--;
    }
    return line;
}

/*
 *   field      = field-name *WSP ":" unstructured CRLF            RFC 5322 3.6.8, 4.5.8
 *   field-name = 1*ftext                ; %d33-57 / %d59-126
 *
 * Returns the place of the colon, or line.n if the line is no field. Postfix has this rule, too.
 */
static size_t colon_of(struct span line)
{
    size_t i = 0;
    while (i < line.n && line.p[i] > ' ' && line.p[i] <= '~' && line.p[i] != ':')
        i++;
    if (i == 0)
        return line.n;
    while (i < line.n && ascii_is_blank(line.p[i]))
        i++;
    return i < line.n && line.p[i] == ':' ? i : line.n;
}

/* A field of the text. */
struct lines {
    struct span all, name, value;
    size_t octets; /* on the wire, where lines end in CRLF (RULINGS 80) */
};

/* Steps over the field that *rest begins with, folds included. Returns false if there is none. */
static bool next_field(struct span *rest, struct lines *f)
{
    struct span line = first_line(*rest);
    size_t colon = colon_of(line), n = 0;
    if (colon == line.n)
        return false;
    f->octets = 0;
    do {
        line = first_line(span_sub(*rest, n, rest->n));
        f->octets += without_line_end(line).n + 2;
        n += line.n;
    } while (n < rest->n && ascii_is_blank(rest->p[n]));
    f->all = span_sub(*rest, 0, n);
    f->name = span_trim(span_sub(f->all, 0, colon));
    f->value = without_line_end(span_sub(f->all, colon + 1, n));
    *rest = span_sub(*rest, n, rest->n);
    return true;
}

/* Returns the leading "From " line, or an empty span: "From : x" is a field. */
static struct span mbox_line(struct span text)
{
    struct span line = first_line(text);
    bool is_one = span_eq(span_sub(line, 0, 5), span_of("From ", 5)) && colon_of(line) == line.n;
    return span_sub(text, 0, is_one ? line.n : 0);
}

void message_split(struct message *m, struct span text)
{
    struct header *header = &m->header;
    struct span line = first_line(text);
    struct lines f;
    m->crlf = line.n - without_line_end(line).n == 2;
    m->mbox_line = mbox_line(text);
    m->rest = span_sub(text, m->mbox_line.n, text.n);
    header_reset(header);
    m->field_count = 0;
    while (next_field(&m->rest, &f)) {
        header_add(header, f.name, f.value, f.octets);
        m->fields = array_grow(m->fields, m->field_count, &m->field_capacity, sizeof *m->fields);
        m->fields[m->field_count++] = (struct message_field){
            header->too_large ? field_name_find(f.name)
                              : header_field(header, header_count(header) - 1).id,
            f.all};
    }
}

struct span message_first(struct span text, enum field_name name, struct arena *arena)
{
    struct span rest = span_sub(text, mbox_line(text).n, text.n);
    size_t octets = 0;
    struct lines f;
    for (size_t i = 0; i < HEADER_MAX_FIELDS && next_field(&rest, &f); i++) {
        octets += f.octets;
        if (octets > HEADER_MAX_OCTETS)
            break;
        if (field_name_is(name, f.name))
            return fold_text(f.value, arena);
    }
    return span_of(NULL, 0);
}

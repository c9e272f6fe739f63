/* message - see message.h (RULINGS 5, 40). */
#include "mail/message.h"

#include "mail/fold.h"
#include "text/array.h"
#include "text/ascii.h"

#include <stdlib.h>

void message_init(struct message *m)
{
    m->mbox_line = span_of("", 0);
    header_init(&m->header);
    m->fields = NULL;
    m->field_count = 0;
    m->field_capacity = 0;
    m->rest = span_of("", 0);
    m->crlf = false;
}

void message_free(struct message *m)
{
    if (m == NULL)
        return;
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

/* Returns the bytes of a line on the wire, where it ends in CRLF, so that the tool refuses each
 * message that the daemon refuses (RULINGS 71, 80). */
static size_t wire_octets(struct span line)
{
    return without_line_end(line).n + 2;
}

/* Returns the lines of the field that s begins with, folds included, and sets *octets to their
 * bytes on the wire. Returns an empty span if s begins with no field. */
static struct span first_field(struct span s, size_t *colon, size_t *octets)
{
    struct span line = first_line(s);
    *colon = colon_of(line);
    if (*colon == line.n)
        return span_of("", 0);
    size_t n = line.n;
    *octets = wire_octets(line);
    while (n < s.n && ascii_is_blank(s.p[n])) {
        line = first_line(span_sub(s, n, s.n));
        *octets += wire_octets(line);
        n += line.n;
    }
    return span_sub(s, 0, n);
}

/* Returns the leading "From " line, or an empty span: "From : x" is a field. */
static struct span mbox_line(struct span text)
{
    struct span line = first_line(text);
    bool is_one = span_eq(span_sub(line, 0, 5), span_of("From ", 5)) && colon_of(line) == line.n;
    return span_sub(text, 0, is_one ? line.n : 0);
}

static struct span value_of(struct span field, size_t colon)
{
    return without_line_end(span_sub(field, colon + 1, field.n));
}

static void keep_field(struct message *m, enum field_name id, struct span lines)
{
    m->fields = array_grow(m->fields, m->field_count, &m->field_capacity, sizeof *m->fields);
    m->fields[m->field_count++] = (struct message_field){id, lines};
}

static bool ends_in_crlf(struct span line)
{
    return line.n - without_line_end(line).n == 2;
}

void message_split(struct message *m, struct span text)
{
    m->crlf = ends_in_crlf(first_line(text));
    m->mbox_line = mbox_line(text);
    m->rest = span_sub(text, m->mbox_line.n, text.n);
    header_reset(&m->header);
    m->field_count = 0;
    size_t colon, octets;
    for (;;) {
        struct span field = first_field(m->rest, &colon, &octets);
        if (field.n == 0)
            return;
        struct span name = span_trim(span_sub(field, 0, colon));
        struct span value = value_of(field, colon);
        header_add(&m->header, name, value, octets);
        keep_field(m,
                   m->header.too_large ? field_name_find(name)
                                       : header_field(&m->header, header_count(&m->header) - 1).id,
                   field);
        m->rest = span_sub(m->rest, field.n, m->rest.n);
    }
}

struct span message_first(struct span text, enum field_name name, struct arena *arena)
{
    struct span rest = span_sub(text, mbox_line(text).n, text.n);
    size_t room = HEADER_MAX_OCTETS;
    size_t colon, octets;
    for (size_t i = 0; i < HEADER_MAX_FIELDS; i++) {
        struct span field = first_field(rest, &colon, &octets);
        if (field.n == 0 || octets > room)
            break;
        if (field_name_is(name, span_trim(span_sub(field, 0, colon))))
            return fold_text(value_of(field, colon), arena);
        room -= octets;
        rest = span_sub(rest, field.n, rest.n);
    }
    return span_of(NULL, 0);
}

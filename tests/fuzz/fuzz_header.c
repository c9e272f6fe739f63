/* A message taken apart: its parts are the whole message again, and its fields are fields (RULINGS
 * 5, 40, 71). Input: a message. */
#include "fuzz.h"

#include "mail/message.h"
#include "text/ascii.h"

const char *const fuzz_grammar[] = {
    "S=%m%h%e",
    "m=|||From me@x Tue Jul  3 10:00:00 2007\n|From \r\n|from x\n",
    "h=|%f%f%h|%f%f%f%f%h|%f%h%f",
    "f=%n%w:%v%l",
    "n=List-Id|message-id|To|To|X|Received|%*|a b| |",
    "w=||| |\t ",
    "v=| %t|%t|%t%l %t|%t\n\t%t|\n %t",
    "t=a|<a@b>|\r|%*|%+x|a\0b",
    "l=\n|\r\n|\n|\r\n|\r|\r\r\n",
    "e=%l|\nbody|\r\nbody\r\n|no field\nX: y\n||",
    NULL,
};

static bool is_name(struct span name)
{
    for (size_t i = 0; i < name.n; i++) {
        if (name.p[i] <= ' ' || name.p[i] > '~' || name.p[i] == ':')
            return false;
    }
    return name.n > 0;
}

/* s without `start`, which it must begin with. */
static struct span behind(struct span s, struct span start, const char *what)
{
    fuzz_require_text(span_eq(span_sub(s, 0, start.n), start), what, s);
    return span_sub(s, start.n, s.n);
}

/* lines = name *WSP ":" value [ [CR] LF ] */
static void check_field(struct field field, struct span lines)
{
    struct span rest = behind(lines, field.name, "lines begin with the name");
    fuzz_require_text(is_name(field.name), "a name", field.name);
    fuzz_require(field.id == field_name_find(field.name), "the id is that of the name");
    while (rest.n > 0 && ascii_is_blank(rest.p[0]))
        rest = span_sub(rest, 1, rest.n);
    rest = behind(rest, span_of(":", 1), "a colon behind the name");
    rest = behind(rest, field.value, "the value behind the colon");
    fuzz_require_text(rest.n == 0 || span_eq(rest, span_of("\n", 1)) ||
                          span_eq(rest, span_of("\r\n", 2)),
                      "nothing but the line end behind the value", rest);
    fuzz_require_text(rest.n != 1 || field.value.n == 0 || field.value.p[field.value.n - 1] != '\r',
                      "a CR before the LF belongs to the line end", field.value);
}

static void check_parts(const struct message *m, struct span text)
{
    struct span rest = behind(text, m->mbox_line, "the mbox line first");
    size_t found[FIELD_NAME_COUNT] = {0};
    fuzz_require(header_count(&m->header) <= HEADER_MAX_FIELDS, "not more fields than are kept");
    fuzz_require(header_count(&m->header) == m->field_count || m->header.too_large,
                 "all fields are kept");
    for (size_t i = 0; i < m->field_count; i++) {
        struct span lines = m->fields[i].lines;
        fuzz_require(lines.n > 0 && lines.p == rest.p, "lines follow each other");
        if (i < header_count(&m->header))
            check_field(header_field(&m->header, i), lines);
        rest = span_sub(rest, lines.n, rest.n);
        if (m->fields[i].id != FIELD_OTHER && i < header_count(&m->header))
            fuzz_require(header_find(&m->header, m->fields[i].id, i) == i, "a field is found");
        found[m->fields[i].id] += i < header_count(&m->header);
    }
    fuzz_require_text(span_eq(rest, m->rest), "what is left is the rest", m->rest);
    for (int id = FIELD_OTHER + 1; id < FIELD_NAME_COUNT; id++)
        fuzz_require(header_count_of(&m->header, (enum field_name)id) == found[id],
                     "fields of a name are counted");
}

/* The rest begins with no field. */
static void check_rest(const struct message *m)
{
    struct span rest = m->rest;
    struct span line = fuzz_line(&rest);
    struct span name = span_sub(line, 0, span_find(line, ':'));
    fuzz_require_text(line.n == 0 || name.n == line.n || !is_name(span_trim(name)) ||
                          ascii_is_blank(line.p[0]) || span_find(name, '\r') < name.n,
                      "the header does not end before a field", line);
}

void fuzz_input(struct span text)
{
    struct message m;
    message_init(&m);
    message_split(&m, text);
    check_parts(&m, text);
    check_rest(&m);
    message_free(&m);
}

/* list_id - see list_id.h */
#include "spec/list_id.h"

#include "mail/fold.h"
#include "mail/rfc5322.h"
#include "spec/base_n.h"
#include "spec/phrase.h"
#include "text/ascii.h"
#include "text/cursor.h"

#include <stddef.h>

#define FIELD_PREFIX_COLUMNS (sizeof("List-Id: ") - 1)
#define LINE_COLUMNS         78 /* RFC 5322 2.1.1 */

const char *list_id_fault(struct span id)
{
    if (id.n == 0)
        return "is empty";
    if (id.n > LIST_ID_MAX)
        return "has more than 255 bytes";
    for (size_t i = 0; i < id.n; i++) {
        if (id.p[i] != '.' && !rfc5322_is_atext(id.p[i]))
            return "has a character that is none of A-Z a-z 0-9 . ! # $ % & ' * + - / = ? ^ _ ` "
                   "{ | } ~";
    }
    if (span_find(id, '.') == id.n)
        return "has no dot (expected a label, a dot and a domain, as in \"team.example.org\")";
    if (!rfc5322_is_dot_atom(id))
        return "begins or ends with a dot, or has two in a row";
    return NULL;
}

struct span list_id_label(struct span id)
{
    return span_sub(id, 0, span_find(id, '.'));
}

struct span list_id_namespace(struct span id)
{
    size_t dot = span_find(id, '.');
    return dot == id.n ? span_sub(id, id.n, 0) : span_sub(id, dot + 1, id.n);
}

/* The next of the labels between dots; false when there is none left. */
static bool next_label(struct span *rest, struct span *label)
{
    if (rest->n == 0)
        return false;
    size_t dot = span_find(*rest, '.');
    *label = span_sub(*rest, 0, dot);
    *rest = dot == rest->n ? span_sub(*rest, rest->n, 0) : span_sub(*rest, dot + 1, rest->n);
    return true;
}

/* At least 128 bits in hexadecimal digits. */
static bool is_random_label(struct span label)
{
    for (size_t i = 0; i < label.n; i++) {
        if (!ascii_is_hex(label.p[i]))
            return false;
    }
    return label.n >= 32;
}

/* MMYYYY */
static bool is_month_label(struct span label)
{
    if (label.n != 6)
        return false;
    for (size_t i = 0; i < label.n; i++) {
        if (!ascii_is_digit(label.p[i]))
            return false;
    }
    int month = (label.p[0] - '0') * 10 + (label.p[1] - '0');
    return month >= 1 && month <= 12;
}

bool list_id_lacks_randomness(struct span id)
{
    bool is_random = false;
    bool has_month = false;
    struct span rest = id;
    struct span label = {NULL, 0};
    while (next_label(&rest, &label)) {
        is_random = is_random || is_random_label(label);
        has_month = has_month || is_month_label(label);
    }
    /* label is the last one now; RFC 2919 section 5 speaks of ids that end with ".localhost". */
    return span_eq_nocase(label, span_cstr("localhost")) && !(is_random && has_month);
}

void list_id_make(struct strbuf *out, struct span name, struct span domain,
                  const unsigned char random[LIST_ID_RANDOM_OCTETS], int month, int year)
{
    char digits[BASE16_LENGTH(LIST_ID_RANDOM_OCTETS) + 1];
    strbuf_add_span(out, name);
    strbuf_add_char(out, '.');
    if (domain.n > 0) {
        strbuf_add_span(out, domain);
        return;
    }
    base16_encode(random, LIST_ID_RANDOM_OCTETS, digits);
    strbuf_addf(out, "%s.%02d%04d.localhost", digits, month, year);
}

/* list-id-field = *( quoted-string / comment / other ) "<" id ">" any     (read leniently) */
bool list_id_read(struct span value, struct arena *arena, struct span *id)
{
    struct cursor c = cursor_of(value);
    while (!cursor_at_end(&c) && *c.p != '<') {
        if (*c.p == '"')
            rfc5322_skip_quoted_string(&c); /* to the end, if it is not closed */
        else if (*c.p == '(')
            rfc5322_skip_comment(&c);
        else
            c.p++;
    }
    struct span rest = cursor_rest(&c);
    size_t close = span_find(rest, '>');
    if (close == rest.n)
        return false;
    *id = fold_without_space(span_sub(rest, 1, close - 1), arena);
    return id->n > 0;
}

void list_id_render(struct strbuf *out, struct span description, struct span id)
{
    size_t start = strbuf_span(out).n;
    phrase_add(out, description, FIELD_PREFIX_COLUMNS);
    struct span text = strbuf_span(out);

    if (text.n > start) {
        size_t columns = 0; /* of the field's last line so far */
        while (columns < text.n - start && text.p[text.n - 1 - columns] != '\n')
            columns++;
        if (columns == text.n - start)
            columns += FIELD_PREFIX_COLUMNS;
        size_t limit = phrase_is_encoded(description) ? ENCODED_LINE_COLUMNS : LINE_COLUMNS;
        bool fits = columns + 1 + id.n + 2 <= limit;
        strbuf_add_str(out, fits ? " <" : "\n <");
    } else {
        strbuf_add_char(out, '<');
    }
    strbuf_add_span(out, id);
    strbuf_add_char(out, '>');
}

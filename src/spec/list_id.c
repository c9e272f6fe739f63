/* list_id - see list_id.h */
#include "spec/list_id.h"

#include "mail/fold.h"
#include "mail/rfc5322.h"
#include "spec/base_n.h"
#include "spec/phrase.h"
#include "text/ascii.h"
#include "text/cursor.h"

#include <string.h>

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
    return span_sub(id, list_id_label(id).n + 1, id.n);
}

bool list_id_lacks_randomness(struct span id)
{
    bool is_random = false, has_month = false;
    struct span label = span_of("", 0);
    for (struct span rest = id; rest.n > 0; rest = span_sub(rest, label.n + 1, rest.n)) {
        size_t hex = 0, digits = 0;
        label = list_id_label(rest);
        for (size_t i = 0; i < label.n; i++) {
            hex += ascii_is_hex(label.p[i]);
            digits += ascii_is_digit(label.p[i]);
        }
        is_random |= hex >= 2 * LIST_ID_RANDOM_OCTETS && hex == label.n;
        int month = label.n == 6 && digits == 6 ? (label.p[0] - '0') * 10 + label.p[1] - '0' : 0;
        has_month |= month >= 1 && month <= 12;
    }
    /* The last label tells the name space (RFC 2919 5). */
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
    size_t most = phrase_is_encoded(description) ? ENCODED_LINE_COLUMNS : LINE_COLUMNS;
    size_t column = phrase_add(out, description, FIELD_PREFIX_COLUMNS);
    if (span_trim(description).n == 0)
        strbuf_add_char(out, '<');
    else
        strbuf_add_str(out, column + strlen(" <>") + id.n <= most ? " <" : "\n <");
    strbuf_add_span(out, id);
    strbuf_add_char(out, '>');
}

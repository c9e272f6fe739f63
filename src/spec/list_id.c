/* list_id - see list_id.h */
#include "spec/list_id.h"

#include "mail/fold.h"
#include "mail/rfc5322.h"
#include "spec/base_n.h"
#include "text/ascii.h"
#include "text/cursor.h"
#include "text/number.h"
#include "text/utf8.h"

#include <openssl/evp.h>
#include <string.h>

#define FIRST_COLUMN    (sizeof "List-Id: " - 1)
#define COLUMNS         78 /* RFC 5322 2.1.1 */
#define ENCODED_COLUMNS 76 /* of a line with encoded words: RFC 2047 2 */
#define WORD_OVERHEAD   12 /* "=?UTF-8?B?" and "?=" */

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
        size_t hex = 0;
        uint64_t month = 0; /* MMYYYY */
        label = list_id_label(rest);
        while (hex < label.n && ascii_is_hex(label.p[hex]))
            hex++;
        is_random |= hex == label.n && hex >= 2 * LIST_ID_RANDOM_OCTETS;
        has_month |= label.n == 6 && number_parse(label, 129999, &month) && month >= 10000;
    }
    /* The last label is the name space (RFC 2919 5). */
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
bool list_id_split(struct span value, struct list_id_parts *parts)
{
    struct cursor c = cursor_of(value);
    parts->is_phrase = true;
    while (!cursor_at_end(&c) && *c.p != '<') {
        if (*c.p == '"') {
            rfc5322_skip_quoted_string(&c); /* to the end, if it is not closed */
        } else if (*c.p == '(') {
            parts->is_phrase = false;
            rfc5322_skip_comment(&c);
        } else {
            char next = *c.p++;
            parts->is_phrase = parts->is_phrase && next != '\0' &&
                               (rfc5322_is_atext(next) || strchr(". \t\r\n", next) != NULL ||
                                (unsigned char)next >= 0x80);
        }
    }
    struct span rest = cursor_rest(&c);
    size_t close = span_find(rest, '>');
    parts->before = span_sub(value, 0, value.n - rest.n);
    parts->brackets = span_sub(rest, 0, close + 1);
    parts->after = span_trim(span_sub(rest, close + 1, rest.n));
    return close < rest.n;
}

bool list_id_read(struct span value, struct arena *arena, struct span *id)
{
    struct list_id_parts parts;
    if (!list_id_split(value, &parts))
        return false;
    *id = fold_without_space(span_sub(parts.brackets, 1, parts.brackets.n - 2), arena);
    return id->n > 0;
}

/* Appends text as encoded words of whole characters, each on a line of its own (RFC 2047 2, 5).
 * Returns the bytes of the last line. */
static size_t add_encoded_words(struct strbuf *out, struct span text)
{
    for (size_t column = FIRST_COLUMN;; column = 1) {
        size_t around = column + WORD_OVERHEAD;
        size_t most = (ENCODED_COLUMNS - around) / 4 * 3, n = 0;
        unsigned char base64[ENCODED_COLUMNS];
        while (n < text.n) {
            size_t length = utf8_length(span_sub(text, n, text.n));
            length = length > 0 ? length : 1; /* not UTF-8 */
            if (n + length > most)
                break;
            n += length;
        }
        int length = EVP_EncodeBlock(base64, (const unsigned char *)text.p, (int)n);
        strbuf_addf(out, "=?UTF-8?B?%s?=", (const char *)base64);
        text = span_sub(text, n, text.n);
        if (text.n == 0)
            return around + (size_t)length;
        strbuf_add_str(out, "\n ");
    }
}

/* True if text is 1*atext *( SP 1*atext ), and no word looks like an encoded word. */
static bool is_plain(struct span text)
{
    size_t inside = 0; /* the place after the "=?" of this word, or 0 */
    for (size_t i = 0; i < text.n; i++) {
        char c = text.p[i], next = i + 1 < text.n ? text.p[i + 1] : '\0';
        if (c == ' ' ? next == ' ' : !rfc5322_is_atext(c))
            return false;
        if (c == ' ')
            inside = 0;
        else if (inside == 0 && c == '=' && next == '?')
            inside = i + 2;
        else if (inside > 0 && i >= inside && c == '?' && next == '=')
            return false;
    }
    return true;
}

/* Appends words, within quotation marks unless they are plain. The blanks stay, so unfolding gives
 * the text back. Returns the bytes of the last line. */
static size_t add_words(struct strbuf *out, struct span text)
{
    const char *mark = is_plain(text) ? "" : "\"";
    size_t column = FIRST_COLUMN + strlen(mark);
    struct strbuf word = STRBUF_INIT;
    strbuf_add_str(out, mark);
    for (size_t i = 0; i < text.n;) {
        bool is_first = i == 0;
        strbuf_reset(&word); /* with the blanks before it */
        for (; i < text.n && text.p[i] == ' '; i++)
            strbuf_add_char(&word, ' ');
        for (; i < text.n && text.p[i] != ' '; i++) {
            strbuf_add_str(&word, text.p[i] == '"' || text.p[i] == '\\' ? "\\" : "");
            strbuf_add_char(&word, text.p[i]);
        }
        strbuf_add_str(&word, i == text.n ? mark : "");
        if (!is_first && column + word.len > COLUMNS) {
            strbuf_add_char(out, '\n');
            column = 0;
        }
        strbuf_add_span(out, strbuf_span(&word));
        column += word.len;
    }
    strbuf_free(&word);
    return column;
}

void list_id_render(struct strbuf *out, struct span description, struct span id)
{
    struct span text = span_trim(description);
    bool is_ascii = span_is_printable_ascii(text);
    if (text.n > 0) {
        size_t column = is_ascii ? add_words(out, text) : add_encoded_words(out, text);
        bool fits = column + strlen(" <>") + id.n <= (is_ascii ? COLUMNS : ENCODED_COLUMNS);
        strbuf_add_str(out, fits ? " " : "\n ");
    }
    strbuf_addf(out, "<%.*s>", (int)id.n, id.p);
}

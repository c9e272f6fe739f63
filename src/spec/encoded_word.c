/* encoded_word - see encoded_word.h */
#include "spec/encoded_word.h"

#include "text/ascii.h"
#include "text/utf8.h"

#include <string.h>

#define WORD_START "=?UTF-8?B?"
#define WORD_END   "?="

size_t encoded_word_length(size_t octets)
{
    return sizeof(WORD_START) - 1 + (octets + 2) / 3 * 4 + sizeof(WORD_END) - 1;
}

size_t encoded_word_room(size_t columns)
{
    size_t around = columns + encoded_word_length(0);
    size_t octets = around < ENCODED_LINE_COLUMNS ? (ENCODED_LINE_COLUMNS - around) / 4 * 3 : 0;
    return octets < ENCODED_WORD_OCTETS ? octets : ENCODED_WORD_OCTETS;
}

struct span encoded_word_take(struct span text, size_t octets)
{
    size_t n = 0;
    while (n < text.n) {
        size_t length = utf8_length(span_sub(text, n, text.n));
        if (length == 0) /* not UTF-8: a caller's mistake, but no reason to write wrong mail */
            length = 1;
        if (n > 0 && n + length > octets)
            break;
        n += length;
    }
    return span_sub(text, 0, n);
}

static void add_base64(struct strbuf *out, struct span text)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < text.n; i += 3) {
        unsigned long bits = (unsigned long)(unsigned char)text.p[i] << 16;
        size_t left = text.n - i;
        if (left > 1)
            bits |= (unsigned long)(unsigned char)text.p[i + 1] << 8;
        if (left > 2)
            bits |= (unsigned char)text.p[i + 2];
        strbuf_add_char(out, digits[(bits >> 18) & 63]);
        strbuf_add_char(out, digits[(bits >> 12) & 63]);
        strbuf_add_char(out, left > 1 ? digits[(bits >> 6) & 63] : '=');
        strbuf_add_char(out, left > 2 ? digits[bits & 63] : '=');
    }
}

void encoded_word_add(struct strbuf *out, struct span text)
{
    strbuf_add_str(out, WORD_START);
    add_base64(out, text);
    strbuf_add_str(out, WORD_END);
}

/* encoded-word = "=?" charset "?" encoding "?" encoded-text "?="; no blanks     RFC 2047 section 2
 * encoding = "B" / "Q", in any letter case */
size_t encoded_word_at(struct span text)
{
    size_t charset = 2, encoding, end;
    if (!span_eq(span_sub(text, 0, 2), span_cstr("=?")))
        return 0;
    encoding = charset + span_find(span_sub(text, charset, text.n), '?') + 1;
    if (encoding == charset + 1 || encoding + 2 >= text.n || text.p[encoding + 1] != '?' ||
        strchr("BbQq", text.p[encoding]) == NULL || text.p[encoding] == '\0')
        return 0;
    end = encoding + 2 + span_find(span_sub(text, encoding + 2, text.n), '?');
    if (end + 1 >= text.n || text.p[end + 1] != '=')
        return 0;
    for (size_t i = charset; i < end; i++)
        if (text.p[i] <= ' ' || text.p[i] > '~')
            return 0;
    return end + 2;
}

static bool parts_words(struct span text, size_t at)
{
    return at >= text.n || ascii_is_blank(text.p[at]) || text.p[at] == '(' || text.p[at] == ')';
}

const char *encoded_word_fault(struct span text, size_t at)
{
    size_t n = encoded_word_at(span_sub(text, at, text.n));
    if (n == 0)
        return "is cut, or has an encoding that is neither B nor Q";
    if (n > ENCODED_WORD_MAX)
        return "has more than 75 characters";
    if ((at > 0 && !parts_words(text, at - 1)) || !parts_words(text, at + n))
        return "is not set apart by blanks";
    return NULL;
}

/* What encoded_word_at finds; some programs find it within a longer word, too. */
bool encoded_word_seems(struct span text)
{
    size_t inside = 0; /* behind a "=?"; 0: there was none in this word */
    for (size_t i = 0; i + 1 < text.n; i++) {
        struct span two = span_sub(text, i, 2);
        if (text.p[i] == ' ')
            inside = 0;
        else if (inside == 0 && span_eq(two, span_cstr("=?")))
            inside = i + 2;
        else if (inside != 0 && i >= inside && span_eq(two, span_cstr(WORD_END)))
            return true;
    }
    return false;
}

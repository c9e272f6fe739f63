/* encoded_word - see encoded_word.h */
#include "spec/encoded_word.h"

#include "text/utf8.h"

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

/* Some programs find an encoded word within a longer word, too. */
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

/* phrase - see phrase.h */
#include "spec/phrase.h"

#include "mail/rfc5322.h"
#include "text/utf8.h"

#include <stdbool.h>
#include <stddef.h>

#define WORD_START      "=?UTF-8?B?"
#define WORD_END        "?="
#define WORD_MAX_OCTETS 45 /* 60 characters of Base 64, 72 with what is around them */
#define WORD_COLUMNS    76 /* of a line with encoded words: RFC 2047 section 2 */

/* 1*atext *( SP 1*atext ) */
static bool is_plain(struct span text)
{
    bool in_word = false;

    for (size_t i = 0; i < text.n; i++) {
        if (rfc5322_is_atext(text.p[i]))
            in_word = true;
        else if (text.p[i] == ' ' && in_word)
            in_word = false;
        else
            return false;
    }
    return in_word;
}

static void add_quoted(struct strbuf *out, struct span text)
{
    strbuf_add_char(out, '"');
    for (size_t i = 0; i < text.n; i++) {
        if (text.p[i] == '"' || text.p[i] == '\\')
            strbuf_add_char(out, '\\');
        strbuf_add_char(out, text.p[i]);
    }
    strbuf_add_char(out, '"');
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

/* As many whole characters from the begin of text as have at most `octets` octets; at least one. */
static struct span first_characters(struct span text, size_t octets)
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

/* Octets that an encoded word may hold on a line which has `column` octets already. */
static size_t word_octets(size_t column)
{
    size_t around = column + sizeof(WORD_START) - 1 + sizeof(WORD_END) - 1;
    size_t octets = around < WORD_COLUMNS ? (WORD_COLUMNS - around) / 4 * 3 : 0;

    return octets < WORD_MAX_OCTETS ? octets : WORD_MAX_OCTETS;
}

static void add_encoded_words(struct strbuf *out, struct span text, size_t column)
{
    for (;;) {
        struct span word = first_characters(text, word_octets(column));

        strbuf_add_str(out, WORD_START);
        add_base64(out, word);
        strbuf_add_str(out, WORD_END);
        text = span_sub(text, word.n, text.n);
        if (text.n == 0)
            return;
        strbuf_add_str(out, "\n ");
        column = 1;
    }
}

void phrase_add(struct strbuf *out, struct span text, size_t column)
{
    text = span_trim(text);
    if (text.n == 0)
        return;
    if (is_plain(text))
        strbuf_add_span(out, text);
    else if (span_is_printable_ascii(text))
        add_quoted(out, text);
    else
        add_encoded_words(out, text, column);
}

/* phrase - see phrase.h */
#include "spec/phrase.h"

#include "mail/rfc5322.h"
#include "text/utf8.h"

#include <stddef.h>

#define LINE_COLUMNS 78 /* RFC 5322 2.1.1 */

#define ENCODED_WORD_OCTETS 45 /* of text in one word, which has 72 characters then */
#define WORD_START          "=?UTF-8?B?"
#define WORD_END            "?="

/* Returns the characters of an encoded word that contains that number of octets. */
static size_t word_length(size_t octets)
{
    return sizeof(WORD_START) - 1 + (octets + 2) / 3 * 4 + sizeof(WORD_END) - 1;
}

/* Returns the octets of text that fit into a word on a line with `columns` other characters. */
static size_t word_room(size_t columns)
{
    size_t around = columns + word_length(0);
    size_t octets = around < ENCODED_LINE_COLUMNS ? (ENCODED_LINE_COLUMNS - around) / 4 * 3 : 0;
    return octets < ENCODED_WORD_OCTETS ? octets : ENCODED_WORD_OCTETS;
}

/* Returns the whole characters at the begin of text, which is UTF-8, that one word may contain: at
 * most `octets` octets, but at least one character (RFC 2047 5). */
static struct span word_text(struct span text, size_t octets)
{
    size_t n = 0;
    while (n < text.n) {
        size_t length = utf8_length(span_sub(text, n, text.n));
        if (length == 0) /* not UTF-8 */
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

/* 1*atext *( SP 1*atext ), none of which looks like an encoded word */
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
    return in_word && !phrase_seems_encoded(text);
}

/* Returns the first word of the text with the blanks before it. */
static struct span first_word(struct span text)
{
    size_t n = 0;
    while (n < text.n && text.p[n] == ' ')
        n++;
    while (n < text.n && text.p[n] != ' ')
        n++;
    return span_sub(text, 0, n);
}

static bool needs_backslash(char c)
{
    return c == '"' || c == '\\';
}

/* Returns the octets of the word, each quoted-pair counted as two. */
static size_t quoted_length(struct span word)
{
    size_t n = word.n;
    for (size_t i = 0; i < word.n; i++)
        n += needs_backslash(word.p[i]);
    return n;
}

/* Appends words, perhaps within quotation marks, folded before a word that would pass the last
 * column. The blanks stay, so unfolding gives the text back. */
static void add_words(struct strbuf *out, struct span text, size_t column, bool quoted)
{
    const char *mark = quoted ? "\"" : "";
    size_t marks = quoted ? 1 : 0;
    bool is_first = true;
    strbuf_add_str(out, mark);
    column += marks;
    while (text.n > 0) {
        struct span word = first_word(text);
        size_t length = quoted ? quoted_length(word) : word.n;
        text = span_sub(text, word.n, text.n);
        if (!is_first && column + length + (text.n == 0 ? marks : 0) > LINE_COLUMNS) {
            strbuf_add_char(out, '\n');
            column = 0;
        }
        for (size_t i = 0; i < word.n; i++) {
            if (quoted && needs_backslash(word.p[i]))
                strbuf_add_char(out, '\\');
            strbuf_add_char(out, word.p[i]);
        }
        column += length;
        is_first = false;
    }
    strbuf_add_str(out, mark);
}

static void add_encoded_words(struct strbuf *out, struct span text, size_t column)
{
    for (;;) {
        struct span word = word_text(text, word_room(column));
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

bool phrase_seems_encoded(struct span text)
{
    size_t inside = 0; /* after a "=?"; 0: none in this word yet */
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

bool phrase_is_encoded(struct span text)
{
    return !span_is_printable_ascii(span_trim(text));
}

void phrase_add(struct strbuf *out, struct span text, size_t column)
{
    text = span_trim(text);
    if (text.n == 0)
        return;
    if (phrase_is_encoded(text))
        add_encoded_words(out, text, column);
    else
        add_words(out, text, column, !is_plain(text));
}

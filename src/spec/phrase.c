/* phrase - see phrase.h */
#include "spec/phrase.h"

#include "mail/rfc5322.h"
#include "text/utf8.h"

#include <openssl/evp.h>
#include <string.h>

#define LINE_COLUMNS 78 /* RFC 5322 2.1.1 */

#define ENCODED_WORD_OCTETS 45 /* of text in one word, which has 72 characters then */
#define WORD_START          "=?UTF-8?B?"
#define WORD_END            "?="

/* Returns the whole characters at the begin of text that fit into an encoded word on a line with
 * `column` other characters, but at least one (RFC 2047 5). */
static struct span first_part(struct span text, size_t column)
{
    size_t around = column + strlen(WORD_START WORD_END), n = 0;
    size_t room = around < ENCODED_LINE_COLUMNS ? (ENCODED_LINE_COLUMNS - around) / 4 * 3 : 0;
    if (room > ENCODED_WORD_OCTETS)
        room = ENCODED_WORD_OCTETS;
    while (n < text.n) {
        size_t length = utf8_length(span_sub(text, n, text.n));
        length = length > 0 ? length : 1; /* not UTF-8 */
        if (n > 0 && n + length > room)
            break;
        n += length;
    }
    return span_sub(text, 0, n);
}

static size_t add_encoded_words(struct strbuf *out, struct span text, size_t column)
{
    for (;;) {
        unsigned char base64[ENCODED_WORD_OCTETS / 3 * 4 + 1];
        struct span part = first_part(text, column);
        int length = EVP_EncodeBlock(base64, (const unsigned char *)part.p, (int)part.n);
        strbuf_addf(out, WORD_START "%s" WORD_END, (const char *)base64);
        text = span_sub(text, part.n, text.n);
        if (text.n == 0)
            return column + strlen(WORD_START WORD_END) + (size_t)length;
        strbuf_add_str(out, "\n ");
        column = 1;
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

static bool needs_backslash(char c)
{
    return c == '"' || c == '\\';
}

/* Appends words, perhaps within quotation marks. The blanks stay, so unfolding gives the text back.
 */
static size_t add_words(struct strbuf *out, struct span text, size_t column, bool quoted)
{
    const char *mark = quoted ? "\"" : "";
    strbuf_add_str(out, mark);
    column += strlen(mark);
    for (size_t start = 0, end; start < text.n; start = end) {
        size_t length = 0; /* of the next word and the blanks before it */
        for (end = start; end < text.n && text.p[end] == ' '; end++)
            length++;
        for (; end < text.n && text.p[end] != ' '; end++)
            length += quoted && needs_backslash(text.p[end]) ? 2 : 1;
        if (start > 0 && column + length + (end == text.n ? strlen(mark) : 0) > LINE_COLUMNS) {
            strbuf_add_char(out, '\n');
            column = 0;
        }
        for (size_t i = start; i < end; i++) {
            strbuf_add_str(out, quoted && needs_backslash(text.p[i]) ? "\\" : "");
            strbuf_add_char(out, text.p[i]);
        }
        column += length;
    }
    strbuf_add_str(out, mark);
    return column + strlen(mark);
}

bool phrase_is_encoded(struct span text)
{
    return !span_is_printable_ascii(span_trim(text));
}

size_t phrase_add(struct strbuf *out, struct span text, size_t column)
{
    text = span_trim(text);
    if (text.n == 0)
        return column;
    return phrase_is_encoded(text) ? add_encoded_words(out, text, column)
                                   : add_words(out, text, column, !is_plain(text));
}

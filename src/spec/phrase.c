/* phrase - see phrase.h */
#include "spec/phrase.h"

#include "mail/rfc5322.h"
#include "spec/encoded_word.h"

#include <stdbool.h>
#include <stddef.h>

#define LINE_COLUMNS 78 /* RFC 5322 2.1.1 */

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
    return in_word && !encoded_word_seems(text);
}

/* A word of the text with the blanks in front of it. */
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

/* Octets of the word, each quoted-pair counted as two. */
static size_t quoted_length(struct span word)
{
    size_t n = word.n;
    for (size_t i = 0; i < word.n; i++)
        n += needs_backslash(word.p[i]);
    return n;
}

/* Words as they are, or within quotation marks; folded in front of a word that would pass the last
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
        struct span word = encoded_word_take(text, encoded_word_room(column));
        encoded_word_add(out, word);
        text = span_sub(text, word.n, text.n);
        if (text.n == 0)
            return;
        strbuf_add_str(out, "\n ");
        column = 1;
    }
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

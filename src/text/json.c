/* json - see json.h. */
#include "text/json.h"

#include "text/ascii.h"
#include "text/utf8.h"

/*
 *   string    = quotation-mark *char quotation-mark               RFC 8259 7
 *   unescaped = %x20-21 / %x23-5B / %x5D-10FFFF
 *
 * What is not visible needs no escape but gets one: these lines are read on terminals, and U+0085,
 * U+2028 and U+2029 end a line for some readers of lines.
 */
static void add_ascii(struct strbuf *out, char c)
{
    switch (c) {
    case '"':
        strbuf_add_str(out, "\\\"");
        return;
    case '\\':
        strbuf_add_str(out, "\\\\");
        return;
    case '\n':
        strbuf_add_str(out, "\\n");
        return;
    case '\r':
        strbuf_add_str(out, "\\r");
        return;
    case '\t':
        strbuf_add_str(out, "\\t");
        return;
    default:
        if (ascii_is_control(c))
            strbuf_addf(out, "\\u%04x", (unsigned)c);
        else
            strbuf_add_char(out, c);
    }
}

/* A character of 2 to 4 octets. */
static void add_character(struct strbuf *out, struct span s)
{
    unsigned code = (unsigned char)s.p[0] & (s.n == 2 ? 0x1Fu : 0x0Fu);

    if (utf8_is_visible(s)) { /* so is every character of four octets */
        strbuf_add_span(out, s);
        return;
    }
    for (size_t i = 1; i < s.n; i++)
        code = code << 6 | ((unsigned char)s.p[i] & 0x3Fu);
    strbuf_addf(out, "\\u%04x", code);
}

void json_add_string(struct strbuf *out, struct span s)
{
    strbuf_add_char(out, '"');
    while (s.n > 0) {
        size_t n = utf8_length(s);
        if (n == 1)
            add_ascii(out, s.p[0]);
        else if (n == 0)
            strbuf_add_str(out, "\xEF\xBF\xBD"); /* U+FFFD for this octet */
        else
            add_character(out, span_sub(s, 0, n));
        s = span_sub(s, n == 0 ? 1 : n, s.n);
    }
    strbuf_add_char(out, '"');
}

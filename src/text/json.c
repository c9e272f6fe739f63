/* json - see json.h. */
#include "text/json.h"

#include "text/ascii.h"
#include "text/utf8.h"

/*
 *   string    = quotation-mark *char quotation-mark               RFC 8259 7
 *   unescaped = %x20-21 / %x23-5B / %x5D-10FFFF
 *
 * DEL and the controls U+0080 to U+009F need no escape but get one: these lines are read on
 * terminals. So do U+2028 and U+2029, which (as U+0085) end a line for some readers of lines.
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
    unsigned char last = (unsigned char)s.p[s.n - 1];

    if (s.n == 2 && s.p[0] == '\xC2' && last < 0xA0)
        strbuf_addf(out, "\\u%04x", (unsigned)last);
    else if (span_eq(s, span_cstr("\xE2\x80\xA8")))
        strbuf_add_str(out, "\\u2028");
    else if (span_eq(s, span_cstr("\xE2\x80\xA9")))
        strbuf_add_str(out, "\\u2029");
    else
        strbuf_add_span(out, s);
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

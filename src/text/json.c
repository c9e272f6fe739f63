/* json - see json.h */
#include "text/json.h"

#include "text/ascii.h"
#include "text/visible.h"

#include <inttypes.h>

/* string = quotation-mark *char quotation-mark                     RFC 8259 7
 *
 * Invisible characters need no escape but get one: terminals show these lines, and U+0085, U+2028
 * and U+2029 end a line for some readers. */
static void add_ascii(struct strbuf *out, char c)
{
    static const struct span special = {"\"\\\n\r\t", 5};
    size_t place = span_find(special, c);
    if (place < special.n)
        strbuf_addf(out, "\\%c", "\"\\nrt"[place]);
    else if (ascii_is_control(c))
        strbuf_addf(out, "\\u%04x", (unsigned)c);
    else
        strbuf_add_char(out, c);
}

/* Appends an invisible character of 2 or 3 bytes. */
static void add_code(struct strbuf *out, struct span character)
{
    unsigned code = (unsigned char)character.p[0] & (character.n == 2 ? 0x1Fu : 0x0Fu);
    for (size_t i = 1; i < character.n; i++)
        code = code << 6 | ((unsigned char)character.p[i] & 0x3Fu);
    strbuf_addf(out, "\\u%04x", code);
}

void json_add_string(struct strbuf *out, struct span s)
{
    struct span character;
    strbuf_add_char(out, '"');
    while (s.n > 0) {
        bool is_visible = visible_next(&s, &character);
        if (character.n == 1 && ((unsigned char)character.p[0] & 0x80) != 0)
            strbuf_add_str(out, "\xEF\xBF\xBD"); /* U+FFFD for this byte */
        else if (character.n == 1)
            add_ascii(out, character.p[0]);
        else if (is_visible) /* as is every character of four bytes */
            strbuf_add_span(out, character);
        else
            add_code(out, character);
    }
    strbuf_add_char(out, '"');
}

void json_add_name(struct strbuf *out, const char *name)
{
    struct span before = strbuf_span(out);
    char last = before.n > 0 ? before.p[before.n - 1] : '{';
    if (last != '{' && last != '[')
        strbuf_add_char(out, ',');
    strbuf_addf(out, "\"%s\":", name);
}

void json_add_text(struct strbuf *out, const char *name, struct span value)
{
    json_add_name(out, name);
    json_add_string(out, value);
}

void json_add_number(struct strbuf *out, const char *name, uint64_t value)
{
    json_add_name(out, name);
    strbuf_addf(out, "%" PRIu64, value);
}

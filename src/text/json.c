/* json - see json.h */
#include "text/json.h"

#include "text/utf8.h"
#include "text/visible.h"

#include <inttypes.h>

/* Returns the code point of a character of at most 3 bytes. */
static unsigned code_of(struct span character)
{
    static const unsigned char first[] = {0, 0x7F, 0x1F, 0x0F};
    unsigned code = (unsigned char)character.p[0] & first[character.n];
    for (size_t i = 1; i < character.n; i++)
        code = code << 6 | ((unsigned char)character.p[i] & 0x3F);
    return code;
}

/* string = quotation-mark *char quotation-mark                     RFC 8259 7
 *
 * Invisible characters need no escape but get one. Terminals show these lines, and some readers end
 * a line at U+0085, U+2028 or U+2029. */
void json_add_string(struct strbuf *out, struct span s)
{
    static const struct span special = {"\"\\\n\r\t", 5};
    struct span character;
    strbuf_add_char(out, '"');
    while (s.n > 0) {
        bool is_visible = visible_next(&s, &character);
        size_t place = span_find(special, character.p[0]);
        if (place < special.n)
            strbuf_addf(out, "\\%c", "\"\\nrt"[place]);
        else if (is_visible) /* a character of four bytes is visible, too */
            strbuf_add_span(out, character);
        else if (utf8_length(character) == 0)
            strbuf_add_str(out, "\xEF\xBF\xBD"); /* U+FFFD for this byte */
        else
            strbuf_addf(out, "\\u%04x", code_of(character));
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

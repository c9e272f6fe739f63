/* visible - see visible.h */
#include "text/visible.h"

#include "text/ascii.h"
#include "text/utf8.h"

bool visible_next(struct span *rest, struct span *character)
{
    size_t n = utf8_length(*rest);
    const unsigned char *u = (const unsigned char *)rest->p;
    *character = span_sub(*rest, 0, n == 0 ? 1 : n);
    *rest = span_sub(*rest, character->n, rest->n);
    switch (n) {
    case 0:
        return false;
    case 1:
        return !ascii_is_control(character->p[0]);
    case 2: /* U+0080 to U+009F, U+061C */
        return !(u[0] == 0xC2 && u[1] < 0xA0) && !(u[0] == 0xD8 && u[1] == 0x9C);
    case 3: /* U+200E, U+200F, U+2028 to U+202E, U+2066 to U+2069 */
        return u[0] != 0xE2 || !((u[1] == 0x80 && (u[2] == 0x8E || u[2] == 0x8F)) ||
                                 (u[1] == 0x80 && u[2] >= 0xA8 && u[2] <= 0xAE) ||
                                 (u[1] == 0x81 && u[2] >= 0xA6 && u[2] <= 0xA9));
    default:
        return true;
    }
}

void visible_add(struct strbuf *out, struct span s)
{
    struct span character;
    while (s.n > 0)
        if (visible_next(&s, &character))
            strbuf_add_span(out, character);
        else
            strbuf_add_char(out, '?');
}

/* rfc5322 - see rfc5322.h. */
#include "mail/rfc5322.h"

#include "text/ascii.h"

#include <stddef.h>
#include <string.h>

/* atext = ALPHA / DIGIT / "!" / "#" / "$" / "%" / "&" / "'" / "*" / "+" / "-" / "/" / "=" / "?" /
 *         "^" / "_" / "`" / "{" / "|" / "}" / "~"                             RFC 5322 3.2.3 */
bool rfc5322_is_atext(char c)
{
    return ascii_is_alpha(c) || ascii_is_digit(c) ||
           (c != '\0' && strchr("!#$%&'*+-/=?^_`{|}~", c) != NULL);
}

/* dot-atom-text = 1*atext *("." 1*atext)                                      RFC 5322 3.2.3 */
bool rfc5322_is_dot_atom(struct span s)
{
    bool in_atom = false;
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] == '.' ? !in_atom : !rfc5322_is_atext(s.p[i]))
            return false;
        in_atom = s.p[i] != '.';
    }
    return in_atom;
}

/* Steps over a quoted-pair, or over one byte. */
static void skip_byte(struct cursor *c)
{
    if (*c->p == '\\' && c->p + 1 < c->end)
        c->p++;
    c->p++;
}

/* quoted-string = DQUOTE *(qtext / quoted-pair) DQUOTE                        RFC 5322 3.2.4 */
bool rfc5322_skip_quoted_string(struct cursor *c)
{
    if (!cursor_take(c, '"'))
        return false;
    while (!cursor_at_end(c)) {
        if (cursor_take(c, '"'))
            return true;
        skip_byte(c);
    }
    return false;
}

/* comment = "(" *(ctext / quoted-pair / comment) ")"                          RFC 5322 3.2.2 */
bool rfc5322_skip_comment(struct cursor *c)
{
    size_t depth = 0;
    while (!cursor_at_end(c)) {
        if (cursor_take(c, '(')) {
            depth++;
        } else if (cursor_take(c, ')')) {
            if (--depth == 0)
                return true;
        } else {
            skip_byte(c);
        }
    }
    return false;
}

/* CFWS = *([FWS] comment) [FWS]; the value is unfolded or not                 RFC 5322 3.2.2 */
bool rfc5322_skip_cfws(struct cursor *c)
{
    for (;;) {
        while (ascii_is_space(cursor_peek(c)))
            c->p++;
        if (cursor_peek(c) != '(')
            return true;
        if (!rfc5322_skip_comment(c))
            return false;
    }
}

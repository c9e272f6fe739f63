/* stencil - see stencil.h */
#include "text/stencil.h"

#include <string.h>

#define ITSELF (STENCIL_VALUES + 1)

/* What stands next in a stencil: a value, or octets that mean themselves. The stencil is not empty.
 */
static struct span take(struct span *stencil, const struct stencil_values *values)
{
    unsigned char octet = (unsigned char)stencil->p[0];
    size_t n = octet <= ITSELF && octet > 0 ? 1 : 0;
    struct span part = {stencil->p, 0};
    if (n > 0 && octet < ITSELF) {
        part = values->of[octet - 1];
    } else if (n > 0) {
        part = span_sub(*stencil, 1, 1);
        n += part.n;
    } else {
        while (n < stencil->n && (unsigned char)(stencil->p[n] - 1) >= ITSELF)
            n++;
        part.n = n;
    }
    *stencil = span_sub(*stencil, n, stencil->n);
    return part;
}

static bool begins_with(struct span text, struct span value)
{
    return value.n <= text.n && memcmp(text.p, value.p, value.n) == 0;
}

/* The number of a value at the begin of the text; STENCIL_VALUES: there is none. */
static size_t value_at(struct span text, const struct stencil_values *values)
{
    size_t i = 0;
    while (i < STENCIL_VALUES && (values->of[i].n == 0 || !begins_with(text, values->of[i])))
        i++;
    return i;
}

void stencil_add(struct strbuf *out, struct span text, const struct stencil_values *values)
{
    while (text.n > 0) {
        size_t value = value_at(text, values);
        if (value == STENCIL_VALUES && (unsigned char)(text.p[0] - 1) < ITSELF)
            strbuf_add_char(out, ITSELF);
        strbuf_add_char(out, value == STENCIL_VALUES ? text.p[0] : (char)(value + 1));
        text = span_sub(text, value == STENCIL_VALUES ? 1 : values->of[value].n, text.n);
    }
}

bool stencil_is(struct span stencil, const struct stencil_values *values, struct span text)
{
    while (stencil.n > 0) {
        struct span part = take(&stencil, values);
        if (part.n > 0 && !begins_with(text, part))
            return false;
        text = span_sub(text, part.n, text.n);
    }
    return text.n == 0;
}

size_t stencil_length(struct span stencil, const struct stencil_values *values)
{
    size_t n = 0;
    while (stencil.n > 0)
        n += take(&stencil, values).n;
    return n;
}

void stencil_write(struct span stencil, const struct stencil_values *values, char *text)
{
    while (stencil.n > 0) {
        struct span part = take(&stencil, values);
        if (part.n > 0)
            memcpy(text, part.p, part.n);
        text += part.n;
    }
}

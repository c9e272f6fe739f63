/* strbuf - see strbuf.h. The buffer doubles: n additions copy O(n) bytes. */
#include "text/strbuf.h"

#include "text/memory.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STRBUF_FIRST = 256 }; /* most texts that are made are shorter */

void strbuf_init(struct strbuf *b)
{
    *b = (struct strbuf)STRBUF_INIT;
}

void strbuf_free(struct strbuf *b)
{
    free(b->data);
    strbuf_init(b);
}

void strbuf_truncate(struct strbuf *b, size_t n)
{
    if (n >= b->len)
        return;
    b->len = n;
    b->data[n] = '\0';
}

void strbuf_reset(struct strbuf *b)
{
    strbuf_truncate(b, 0);
}

/* Makes room for n more bytes and a NUL. */
static void reserve(struct strbuf *b, size_t n)
{
    if (b->cap > b->len && n < b->cap - b->len)
        return;
    if (n >= SIZE_MAX / 4 - b->len)
        memory_exhausted();
    size_t cap = b->cap == 0 ? STRBUF_FIRST : b->cap;
    while (cap <= b->len + n)
        cap *= 2;
    b->data = memory_resize(b->data, cap, 1);
    b->cap = cap;
}

void strbuf_add(struct strbuf *b, const char *p, size_t n)
{
    reserve(b, n);
    if (n > 0)
        memcpy(b->data + b->len, p, n);
    b->len += n;
    b->data[b->len] = '\0';
}

void strbuf_add_span(struct strbuf *b, struct span s)
{
    strbuf_add(b, s.p, s.n);
}

void strbuf_add_str(struct strbuf *b, const char *s)
{
    strbuf_add(b, s, strlen(s));
}

void strbuf_add_char(struct strbuf *b, char c)
{
    reserve(b, 1);
    b->data[b->len++] = c;
    b->data[b->len] = '\0';
}

void strbuf_addf(struct strbuf *b, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    strbuf_addv(b, format, ap);
    va_end(ap);
}

void strbuf_addv(struct strbuf *b, const char *format, va_list ap)
{
    reserve(b, 0);
    va_list again;
    va_copy(again, ap);
    int n = vsnprintf(b->data + b->len, b->cap - b->len, format, ap);
    if (n >= 0 && (size_t)n >= b->cap - b->len) {
        reserve(b, (size_t)n);
        vsnprintf(b->data + b->len, b->cap - b->len, format, again);
    }
    va_end(again);
    b->len += n < 0 ? 0 : (size_t)n; /* only a wide character could make it fail */
    b->data[b->len] = '\0';
}

struct span strbuf_span(const struct strbuf *b)
{
    return span_of(strbuf_str(b), b->len);
}

const char *strbuf_str(const struct strbuf *b)
{
    return b->data == NULL ? "" : b->data;
}

const char *strbuf_keep(struct strbuf *b, struct arena *arena)
{
    const char *kept = arena_strdup(arena, strbuf_span(b));
    strbuf_free(b);
    return kept;
}

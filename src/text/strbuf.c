/* strbuf - see strbuf.h. The buffer doubles, so that n additions cost O(n) octets of copying. */
#include "text/strbuf.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STRBUF_FIRST = 256 }; /* most texts that are made are shorter */

void strbuf_init(struct strbuf *b)
{
    struct strbuf fresh = STRBUF_INIT;
    *b = fresh;
}

void strbuf_free(struct strbuf *b)
{
    if (b == NULL)
        return;
    free(b->data);
    strbuf_init(b);
}

void strbuf_reset(struct strbuf *b)
{
    b->len = 0;
    b->failed = false;
    if (b->data != NULL)
        b->data[0] = '\0';
}

/* Makes room for n more octets and a NUL. */
static bool reserve(struct strbuf *b, size_t n)
{
    if (b->failed)
        return false;
    if (b->cap > b->len && n < b->cap - b->len)
        return true;
    if (n >= SIZE_MAX / 2 - b->len) {
        b->failed = true;
        return false;
    }
    size_t need = b->len + n + 1;
    size_t cap = b->cap == 0 ? STRBUF_FIRST : b->cap;
    while (cap < need)
        cap *= 2; /* cannot overflow: need is at most SIZE_MAX / 2 */
    char *data = realloc(b->data, cap);
    if (data == NULL) {
        b->failed = true;
        return false;
    }
    b->data = data;
    b->cap = cap;
    return true;
}

void strbuf_add(struct strbuf *b, const char *p, size_t n)
{
    if (!reserve(b, n))
        return;
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
    strbuf_add(b, &c, 1);
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
    if (!reserve(b, 0))
        return;
    size_t room = b->cap - b->len;
    va_list again;
    va_copy(again, ap);
    int n = vsnprintf(b->data + b->len, room, format, ap);
    if (n >= 0 && (size_t)n >= room && reserve(b, (size_t)n))
        n = vsnprintf(b->data + b->len, b->cap - b->len, format, again);
    va_end(again);
    if (n < 0)
        b->failed = true;
    if (b->failed)
        b->data[b->len] = '\0'; /* takes back what did not fit */
    else
        b->len += (size_t)n;
}

void strbuf_truncate(struct strbuf *b, size_t n)
{
    if (n >= b->len)
        return;
    b->len = n;
    b->data[n] = '\0';
}

bool strbuf_failed(const struct strbuf *b)
{
    return b->failed;
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
    const char *kept = b->failed ? NULL : arena_strdup(arena, strbuf_span(b));
    strbuf_free(b);
    return kept;
}

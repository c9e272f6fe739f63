/*
 * strbuf - text that grows
 *
 * The buffer owns its memory; strbuf_free frees it.  Adding never fails (text/memory.h).  One
 * thread at a time.
 */
#ifndef MLMILTER_TEXT_STRBUF_H
#define MLMILTER_TEXT_STRBUF_H

#include "text/arena.h"
#include "text/span.h"

#include <stdarg.h>
#include <stddef.h>

struct strbuf {
    char *data; /* always NUL-terminated once anything was added; NULL before */
    size_t len; /* bytes without the NUL */
    size_t cap;
};

#define STRBUF_INIT                                                                                \
    {                                                                                              \
        NULL, 0, 0                                                                                 \
    }

void strbuf_init(struct strbuf *b);
void strbuf_free(struct strbuf *b);

/* Empties the buffer and keeps the memory. */
void strbuf_reset(struct strbuf *b);

void strbuf_add(struct strbuf *b, const char *p, size_t n);
void strbuf_add_span(struct strbuf *b, struct span s);
void strbuf_add_str(struct strbuf *b, const char *s);
void strbuf_add_char(struct strbuf *b, char c);
void strbuf_addf(struct strbuf *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
void strbuf_addv(struct strbuf *b, const char *format, va_list ap)
    __attribute__((format(printf, 2, 0)));

/* Cuts the text to its first n bytes; does nothing if it is shorter. */
void strbuf_truncate(struct strbuf *b, size_t n);

/* Return the text so far, which lives until the next addition. A C string is "" if it is empty. */
struct span strbuf_span(const struct strbuf *b);
const char *strbuf_str(const struct strbuf *b);

/* Moves the text to the arena, as a C string, and frees the buffer. */
const char *strbuf_keep(struct strbuf *b, struct arena *arena);

#endif

/*
 * strbuf - text that grows
 *
 * The buffer owns its memory; strbuf_free gives it back.  Running out of memory
 * is remembered: from then on additions do nothing and strbuf_failed() is true,
 * so a writer checks once, at the end.  Not shared between threads.
 */
#ifndef MLMILTER_TEXT_STRBUF_H
#define MLMILTER_TEXT_STRBUF_H

#include "text/arena.h"
#include "text/span.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

struct strbuf {
    char *data; /* always NUL-terminated once anything was added; NULL before */
    size_t len; /* octets, the NUL not counted */
    size_t cap;
    bool failed;
};

#define STRBUF_INIT                                                                                \
    {                                                                                              \
        NULL, 0, 0, false                                                                          \
    }

void strbuf_init(struct strbuf *b);
void strbuf_free(struct strbuf *b);

/* Empties the buffer and forgets a failure, keeps the memory. */
void strbuf_reset(struct strbuf *b);

void strbuf_add(struct strbuf *b, const char *p, size_t n);
void strbuf_add_span(struct strbuf *b, struct span s);
void strbuf_add_str(struct strbuf *b, const char *s);
void strbuf_add_char(struct strbuf *b, char c);
void strbuf_addf(struct strbuf *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
void strbuf_addv(struct strbuf *b, const char *format, va_list ap)
    __attribute__((format(printf, 2, 0)));

/* Cuts the text to its first n octets; nothing happens when it is shorter. */
void strbuf_truncate(struct strbuf *b, size_t n);

bool strbuf_failed(const struct strbuf *b);

/* The text so far; lives until the next addition. */
struct span strbuf_span(const struct strbuf *b);

/* The text as a C string, "" when nothing was added; lives until the next addition. */
const char *strbuf_str(const struct strbuf *b);

/* Moves the text to the arena, as a C string, and frees the buffer. NULL: out of memory, now or
 * when something was added. */
const char *strbuf_keep(struct strbuf *b, struct arena *arena);

#endif

/*
 * span - a piece of borrowed text: its begin and its number of bytes
 *
 * Text of mail and of the configuration may contain any byte, so no function looks for a NUL.  A
 * span never owns its text.  Pure; any thread.
 */
#ifndef MLMILTER_TEXT_SPAN_H
#define MLMILTER_TEXT_SPAN_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct span {
    const char *p; /* may be NULL if n is 0 */
    size_t n;      /* bytes */
};

/* Returns a span of n bytes at p. */
static inline struct span span_of(const char *p, size_t n)
{
    return (struct span){p, n};
}

/* Returns a span of a C string without its NUL; an empty span for NULL. */
static inline struct span span_cstr(const char *s)
{
    return s == NULL ? span_of("", 0) : span_of(s, strlen(s));
}

/* Returns the part of s from byte `from` on, at most n bytes, as far as s has them. */
static inline struct span span_sub(struct span s, size_t from, size_t n)
{
    if (s.p == NULL)
        return s;
    if (from > s.n)
        from = s.n;
    if (n > s.n - from)
        n = s.n - from;
    return span_of(s.p + from, n);
}

/* True if the bytes are equal. */
bool span_eq(struct span a, struct span b);

/* True if the bytes are equal, ASCII letter case aside (LI-10). */
bool span_eq_nocase(struct span a, struct span b);

/* True if s begins or ends with the text, ASCII letter case aside. */
bool span_starts_nocase(struct span s, struct span start);
bool span_ends_nocase(struct span s, struct span end);

/* Returns s without SP, TAB, CR and LF at both ends. */
struct span span_trim(struct span s);

/* Returns the place of the first c in s, or s.n. */
static inline size_t span_find(struct span s, char c)
{
    if (s.n == 0)
        return 0;
    const char *found = memchr(s.p, c, s.n);
    return found == NULL ? s.n : (size_t)(found - s.p);
}

/* Returns the place of the last c in s, or s.n. */
size_t span_find_last(struct span s, char c);

/* Returns the place of the first character in s that is one of the set, or s.n. */
size_t span_find_any(struct span s, const char *set);

/* Takes the first line of *rest. Returns it without its LF or CRLF. */
struct span span_take_line(struct span *rest);

/* True if every byte is below 0x80. */
bool span_is_ascii(struct span s);

/* True if every byte is from 0x20 to 0x7E (printable ASCII or a blank). */
bool span_is_printable_ascii(struct span s);

#endif

/*
 * span - a piece of borrowed text: where it begins and how many octets it has
 *
 * Mail and configuration text may hold any octet, so nothing here looks for a
 * NUL.  A span never owns what it points to; whoever hands one out says how
 * long it lives.  All functions are pure and may be called from any thread.
 * Some are inline: of what reading 100,000 lists takes, a tenth was calling them.
 */
#ifndef MLMILTER_TEXT_SPAN_H
#define MLMILTER_TEXT_SPAN_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct span {
    const char *p; /* may be NULL when n is 0 */
    size_t n;      /* octets */
};

/* A span over n octets at p. */
static inline struct span span_of(const char *p, size_t n)
{
    struct span s = {p, n};
    return s;
}

/* A span over a C string, its NUL left out; NULL gives the empty span. */
static inline struct span span_cstr(const char *s)
{
    return s == NULL ? span_of("", 0) : span_of(s, strlen(s));
}

/* The part of s from octet `from` on, at most n octets; what lies outside of s is left out. */
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

/* Octet by octet equal. */
bool span_eq(struct span a, struct span b);

/* Equal without regard to the letter case of ASCII letters (LI-10). */
bool span_eq_nocase(struct span a, struct span b);

/* s begins / ends with the given text, ASCII letter case aside. */
bool span_starts_nocase(struct span s, struct span start);
bool span_ends_nocase(struct span s, struct span end);

/* s without SP, TAB, CR and LF at both ends. Nothing else counts as white space. */
struct span span_trim(struct span s);

/* Place of the first octet c in s, or s.n when there is none. */
static inline size_t span_find(struct span s, char c)
{
    if (s.n == 0)
        return 0;
    const char *found = memchr(s.p, c, s.n);
    return found == NULL ? s.n : (size_t)(found - s.p);
}

/* Every octet is from 0x20 to 0x7E (printable ASCII or a blank). */
bool span_is_printable_ascii(struct span s);

#endif

/*
 * span - a piece of borrowed text: where it begins and how many octets it has
 *
 * Mail and configuration text may hold any octet, so nothing here looks for a
 * NUL.  A span never owns what it points to; whoever hands one out says how
 * long it lives.  All functions are pure and may be called from any thread.
 */
#ifndef MLMILTER_TEXT_SPAN_H
#define MLMILTER_TEXT_SPAN_H

#include <stdbool.h>
#include <stddef.h>

struct span {
    const char *p; /* may be NULL when n is 0 */
    size_t n;      /* octets */
};

/* A span over n octets at p. */
struct span span_of(const char *p, size_t n);

/* A span over a C string, its NUL left out; NULL gives the empty span. */
struct span span_cstr(const char *s);

/* The part of s from octet `from` on, at most n octets; what lies outside of s is left out. */
struct span span_sub(struct span s, size_t from, size_t n);

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
size_t span_find(struct span s, char c);

/* Every octet is from 0x20 to 0x7E (printable ASCII or a blank). */
bool span_is_printable_ascii(struct span s);

#endif

/*
 * check - what table-driven tests have in common
 *
 * A table test walks all rows, complains about each one that is wrong, and fails once, at the end:
 *
 *     for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
 *         check_row(rows[i].text);
 *         check_int("octets", rows[i].octets, utf8_length(span_cstr(rows[i].text)));
 *     }
 *     check_end();
 *
 * A complaint names the row by its number and its text.  Tests run one after another in one thread;
 * the state below is theirs alone.
 */
#ifndef MLMILTER_TESTS_CHECK_H
#define MLMILTER_TESTS_CHECK_H

#include "text/span.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* The order matters: cmocka.h needs the four headers setjmp, stdarg, stddef and stdint. */
#include <cmocka.h>

#define CHECK_COUNT(table) (sizeof(table) / sizeof((table)[0]))

/* A span over a string literal that may hold NUL bytes. */
#define CHECK_SPAN(literal) span_of(literal, sizeof(literal) - 1)

/* The same as the initialiser of a row in a static table. */
#define CHECK_LITERAL(literal)                                                                     \
    {                                                                                              \
        literal, sizeof(literal) - 1                                                               \
    }

/* No setup or tear-down forgets this state: check_end() clears it also when it fails. It is weak,
 * as all files of a program have one: a complaint in a function of a table counts. */
struct check_state {
    int row; /* 0: no row yet */
    int faults;
    char text[120];
};
struct check_state check_now __attribute__((weak));

/* s, so that each byte can be read, into out (size bytes, cut off there). */
static inline const char *check_show(struct span s, char *out, size_t size)
{
    size_t at = 0;
    for (size_t i = 0; i < s.n && at + 6 < size; i++) {
        unsigned char c = (unsigned char)s.p[i];
        int n = c == '\n'                ? snprintf(out + at, size - at, "\\n")
                : c == '\r'              ? snprintf(out + at, size - at, "\\r")
                : c == '\t'              ? snprintf(out + at, size - at, "\\t")
                : (c < 0x20 || c > 0x7E) ? snprintf(out + at, size - at, "\\x%02X", c)
                                         : snprintf(out + at, size - at, "%c", c);
        at += (size_t)n;
    }
    out[at < size ? at : size - 1] = '\0';
    return out;
}

/* From here on complaints are about this row. The text is copied. */
static inline void check_row_span(struct span text)
{
    check_now.row++;
    check_show(text, check_now.text, sizeof check_now.text);
}

static inline void check_row(const char *text)
{
    check_row_span(span_cstr(text));
}

static inline void check_complain(const char *what, const char *expected, const char *got)
{
    check_now.faults++;
    print_error("row %d (%s): %s: expected %s, got %s\n", check_now.row, check_now.text, what,
                expected, got);
}

static inline bool check_int(const char *what, long long expected, long long got)
{
    char e[32], g[32];
    if (expected == got)
        return true;
    snprintf(e, sizeof e, "%lld", expected);
    snprintf(g, sizeof g, "%lld", got);
    check_complain(what, e, g);
    return false;
}

static inline bool check_bool(const char *what, bool expected, bool got)
{
    if (expected == got)
        return true;
    check_complain(what, expected ? "true" : "false", got ? "true" : "false");
    return false;
}

static inline bool check_span(const char *what, struct span expected, struct span got)
{
    char e[400], g[400], quoted_e[410], quoted_g[410];
    if (expected.n == got.n && (got.n == 0 || memcmp(expected.p, got.p, got.n) == 0))
        return true;
    snprintf(quoted_e, sizeof quoted_e, "\"%s\"", check_show(expected, e, sizeof e));
    snprintf(quoted_g, sizeof quoted_g, "\"%s\"", check_show(got, g, sizeof g));
    check_complain(what, quoted_e, quoted_g);
    return false;
}

/* The span that was got against a C string. */
static inline bool check_text(const char *what, const char *expected, struct span got)
{
    return check_span(what, span_cstr(expected), got);
}

/* Two C strings; NULL is equal to NULL only. */
static inline bool check_str(const char *what, const char *expected, const char *got)
{
    if (expected != NULL && got != NULL)
        return check_span(what, span_cstr(expected), span_cstr(got));
    if (expected == got)
        return true;
    check_complain(what, expected ? expected : "NULL", got ? got : "NULL");
    return false;
}

/* At the end of each test that complains: fails if there was a complaint, and forgets the rows. */
static inline void check_end(void)
{
    int faults = check_now.faults;
    memset(&check_now, 0, sizeof check_now);
    if (faults != 0)
        fail_msg("%d wrong", faults);
}

/* Names the row in which a test ended before check_end(): for a teardown. Always 0. */
static inline int check_left(void **state)
{
    (void)state;
    if (check_now.row != 0)
        print_error("row %d (%s): it ended the test\n", check_now.row, check_now.text);
    memset(&check_now, 0, sizeof check_now);
    return 0;
}

/* Says that a test, or what is left of it, cannot be run here; the test then returns. cmocka's own
 * skip() is "not ok # SKIP" in TAP, which counts as a failure (measured with cmocka 1.1.5). */
static inline void check_skip(const char *why)
{
    printf("# SKIP %s\n", why);
}

#endif

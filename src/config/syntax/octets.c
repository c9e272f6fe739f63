/* octets - what is wrong with octets of a configuration file. */
#include "config/syntax/octets.h"

#include "text/ascii.h"
#include "text/utf8.h"

#include <string.h>

static const char *control_fault(const char *p, const char *end)
{
    if (*p == '\0')
        return "a NUL octet stands here (expected text)";
    if (*p == '\t' || *p == '\n' || (*p == '\r' && p + 1 < end && p[1] == '\n'))
        return NULL;
    return "a control character stands here (expected text)";
}

const char *octets_fault(struct span text, int *line)
{
    const char *end = text.p + text.n;
    *line = 1;
    for (const char *p = text.p; p < end;) {
        if (*p >= ' ' && *p < 0x7f) {
            p++;
        } else if (ascii_is_control(*p)) {
            const char *fault = control_fault(p, end);
            if (fault != NULL)
                return fault;
            if (*p == '\n')
                ++*line;
            p++;
        } else {
            size_t n = utf8_length(span_of(p, (size_t)(end - p)));
            if (n == 0)
                return "this line is not valid UTF-8 (expected a file in UTF-8)";
            p += n;
        }
    }
    return NULL;
}

/* The digits behind a backslash: libConfuse takes one to three octal ones, up to 377. */
static const char *octal_fault(const char *p, const char *end)
{
    unsigned value = 0;
    int digits = 0;
    for (; p < end && ascii_is_digit(*p); p++, digits++) {
        if (*p > '7' || digits == 3)
            return "a backslash with digits behind it is no character (expected one to three "
                   "octal digits)";
        value = value * 8 + (unsigned)(*p - '0');
    }
    if (value > 0xff)
        return "a backslash with digits over 377 is no character (expected octal digits)";
    return value == 0 ? "a NUL character (\"\\0\") cannot stand in a value" : NULL;
}

const char *octets_escape_fault(const char *p, const char *end)
{
    if (ascii_is_digit(*p))
        return octal_fault(p, end);
    if (*p != 'x' || p + 1 >= end || p[1] != '0')
        return NULL;
    bool second = p + 2 < end && ascii_is_hex(p[2]);
    if (!second || p[2] == '0')
        return "a NUL character (\"\\x00\") cannot stand in a value";
    return NULL;
}

const char *octets_outside_fault(const char *p, const char *end)
{
    if (end - p >= 3 && memcmp(p, "\xE2\x80", 2) == 0 &&
        strchr("\x98\x99\x9A\x9C\x9D\x9E", p[2]) != NULL)
        return "a typographic quote stands here (expected \" or ' around a text)";
    switch (*p) {
    case '(':
    case ')':
        return "a parenthesis stands outside of quotes (expected \"...\" around the whole text)";
    case '*':
        return "a \"*\" stands outside of quotes (expected \"...\" around the whole text)";
    case '+':
        return "a \"+\" stands outside of quotes (expected \"...\" around the whole text)";
    case '"':
    case '\'':
        return "a quote stands in the middle of a text (expected it before the whole text)";
    default:
        return "a character stands here that must be in quotes (expected text in quotes, a word, "
               "\"=\", \"{\", \"}\" or \",\")";
    }
}

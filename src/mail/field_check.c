/* field_check - see field_check.h (AT-09). */
#include "mail/field_check.h"

#include "text/ascii.h"

/* Checks that a line contains printable ASCII, SP and TAB only. */
static enum field_fault check_octets(struct span line)
{
    for (size_t i = 0; i < line.n; i++) {
        if (ascii_is_control(line.p[i]) && line.p[i] != '\t')
            return FIELD_HAS_CONTROL;
        if ((unsigned char)line.p[i] >= 0x80)
            return FIELD_NOT_ASCII;
    }
    return FIELD_FINE;
}

/* True if the line after a fold begins with a blank (RFC 5322 2.2.3) and has text (4.2). */
static bool is_continuation(struct span line)
{
    return line.n > 0 && ascii_is_blank(line.p[0]) && span_trim(line).n > 0;
}

enum field_fault field_check(struct span name, struct span value)
{
    enum field_fault fault = name.n + value.n > FIELD_MAX ? FIELD_TOO_LARGE : check_octets(name);
    size_t column = name.n + 2; /* the colon, and the blank after it */
    for (bool has_more = true; has_more && fault == FIELD_FINE; column = 0) {
        struct span line = span_sub(value, 0, span_find(value, '\n'));
        has_more = line.n < value.n;
        value = span_sub(value, line.n + 1, value.n);
        fault = check_octets(line);
        if (fault == FIELD_FINE && column == 0 && !is_continuation(line))
            fault = FIELD_HAS_CONTROL;
        if (fault == FIELD_FINE && column + line.n > FIELD_LINE_MAX)
            fault = FIELD_LINE_TOO_LONG;
    }
    return fault;
}

const char *field_fault_text(enum field_fault fault)
{
    static const char *const texts[] = {
        [FIELD_HAS_CONTROL] = "has a control character",
        [FIELD_NOT_ASCII] = "is not ASCII",
        [FIELD_LINE_TOO_LONG] = "has a line over 998 bytes",
        [FIELD_TOO_LARGE] = "has more than 65,000 bytes",
    };
    return texts[fault];
}

/* Unfolding, a CR inside a value, and what may reach a header: equal to these rules written down a
 * second time (RULINGS 5, 116, AT-09). Input: a line that is a field's name, then its value. */
#include "fuzz.h"

#include "mail/field_check.h"
#include "mail/fold.h"
#include "text/ascii.h"

const char *const fuzz_grammar[] = {
    "S=%n\n%v",
    "n=List-Id|X|Archived-At|%*|%+L",
    "v=|%t%t%t%v|%t%v%t%t|%t%t%v",
    "t=a| |\t|\n|\n |\r|\r\n |\r\r\n\t|\n\t \n|%*|%+x|\n %+y",
    NULL,
};

static char byte_at(struct span s, size_t i)
{
    return i < s.n ? s.p[i] : '\0';
}

static void unfold(struct span value)
{
    struct strbuf expected = STRBUF_INIT;
    struct arena arena;
    arena_init(&arena, 0);
    for (size_t i = 0; i < value.n; i++) {
        size_t end = i;
        while (byte_at(value, end) == '\r')
            end++;
        bool is_fold = byte_at(value, end) == '\n' && ascii_is_blank(byte_at(value, end + 1));
        if (is_fold)
            i = end;
        else
            strbuf_add_char(&expected, value.p[i]);
    }
    struct span text = fold_text(value, &arena);
    fuzz_require_text(span_eq(text, span_trim(strbuf_span(&expected))), "unfolded and trimmed",
                      text);
    fuzz_require(arena.used == 0 || text.n == 0 || text.p < value.p || text.p >= value.p + value.n,
                 "either a copy or a part of the value");
    strbuf_free(&expected);
    arena_free(&arena);
}

/* Reads from the end: a CR is no stray one if an LF, the end or such a CR comes after it. */
static bool has_stray_cr(struct span value)
{
    bool ends_line = true;
    for (size_t i = value.n; i > 0; i--) {
        if (value.p[i - 1] == '\r' && !ends_line)
            return true;
        ends_line = value.p[i - 1] == '\n' || (value.p[i - 1] == '\r' && ends_line);
    }
    return false;
}

static bool line_may_be_sent(struct span line)
{
    for (size_t i = 0; i < line.n; i++)
        if ((line.p[i] < 0x20 || line.p[i] > 0x7e) && line.p[i] != '\t')
            return false;
    return true;
}

/* True for ASCII without control characters but TAB and LF, an LF only with a blank after it, no
 * line over 998 bytes, and at most 65,000 bytes. */
static bool may_be_sent(struct span name, struct span value)
{
    size_t size = name.n + value.n, before = name.n + 2;
    for (;; before = 0) {
        bool is_last = span_find(value, '\n') == value.n;
        struct span line = fuzz_line(&value);
        if (!line_may_be_sent(line) || before + line.n > 998)
            return false;
        if (before == 0 && (span_trim(line).n == 0 || !ascii_is_blank(line.p[0])))
            return false;
        if (is_last)
            return line_may_be_sent(name) && size <= 65000;
    }
}

void fuzz_input(struct span rest)
{
    struct span name = fuzz_own(fuzz_line(&rest));
    struct span value = fuzz_own(rest);
    unfold(value);
    fuzz_require_text(fold_has_stray_cr(value) == has_stray_cr(value), "a stray CR", value);
    fuzz_require_text((field_check(name, value) == FIELD_FINE) == may_be_sent(name, value),
                      "what may be sent is fine, and nothing else", value);
}

/* Unfolding, a CR inside a value, and what may reach a header: equal to the same rules written down
 * a second time (RULINGS 5, 116, AT-09). Input: a line that is a field's name, then its value. */
#include "fuzz.h"

#include "mail/field_check.h"
#include "mail/fold.h"

static void unfold(struct span value)
{
    struct strbuf expected = STRBUF_INIT;
    struct arena arena;
    struct span text;
    arena_init(&arena, 0);
    text = fold_text(value, &arena);
    fuzz_unfold(value, &expected);
    fuzz_require_text(span_eq(text, strbuf_span(&expected)), "unfolded and trimmed", text);
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

void fuzz_input(const uint8_t *data, size_t size)
{
    struct span rest = span_of((const char *)data, size);
    struct span name = fuzz_own(fuzz_line(&rest));
    struct span value = fuzz_own(rest);
    unfold(value);
    fuzz_require_text(fold_has_stray_cr(value) == has_stray_cr(value), "a stray CR", value);
    fuzz_require_text((field_check(name, value) == FIELD_FINE) == fuzz_may_be_sent(name, value),
                      "what may be sent is fine, and nothing else", value);
}

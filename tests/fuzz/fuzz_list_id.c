/* List-Id: what is written can be sent, is read back as the same id, and decodes to the same
 * description (LI-06 to LI-08, RULINGS 18, 37). Input: a description, an id, and a List-Id value.
 */
#include "fuzz.h"

#include "mail/field_check.h"
#include "spec/list_id.h"
#include "text/ascii.h"
#include "text/utf8.h"

#include <string.h>

static void check_read(struct span value)
{
    struct arena arena;
    struct span id;
    arena_init(&arena, 0);
    if (list_id_read(value, &arena, &id)) {
        fuzz_require(id.n > 0, "an id is not empty");
        for (size_t i = 0; i < id.n; i++)
            fuzz_require_text(span_trim(span_of(id.p + i, 1)).n == 1 && id.p[i] != '>',
                              "no white space, no bracket in an id", id);
    }
    arena_free(&arena);
}

static unsigned digit_of(char c)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *found = strchr(digits, c);
    fuzz_require(c != '\0' && found != NULL, "a digit of Base 64");
    return (unsigned)(found - digits);
}

static void decode_base64(struct span text, struct strbuf *out)
{
    fuzz_require(text.n % 4 == 0, "whole groups of Base 64");
    for (size_t i = 0; i < text.n; i += 4) {
        unsigned bits = digit_of(text.p[i]) << 18 | digit_of(text.p[i + 1]) << 12;
        bits |= text.p[i + 2] != '=' ? digit_of(text.p[i + 2]) << 6 : 0;
        bits |= text.p[i + 3] != '=' ? digit_of(text.p[i + 3]) : 0;
        strbuf_add_char(out, (char)(bits >> 16));
        if (text.p[i + 2] != '=')
            strbuf_add_char(out, (char)(bits >> 8 & 0xff));
        if (text.p[i + 3] != '=')
            strbuf_add_char(out, (char)(bits & 0xff));
    }
}

/* phrase = encoded-word *( LF SP encoded-word ); each of whole characters (RFC 2047 5) */
static void decode_words(struct span phrase, struct strbuf *out)
{
    while (phrase.n > 0) {
        struct span line = fuzz_line(&phrase);
        struct span word = span_trim(line);
        size_t before = out->len;
        fuzz_require_text(word.n <= 75 && word.n > 12 &&
                              span_eq(span_sub(word, 0, 10), span_cstr("=?UTF-8?B?")) &&
                              span_eq(span_sub(word, word.n - 2, 2), span_cstr("?=")),
                          "an encoded word", word);
        decode_base64(span_sub(word, 10, word.n - 12), out);
        fuzz_require_text(utf8_is_valid(span_sub(strbuf_span(out), before, out->len)),
                          "whole characters in a word", word);
    }
}

/* quoted-string, or atoms as they are; no reader may find an encoded word in the latter */
static void decode_ascii(struct span phrase, struct strbuf *out)
{
    bool quoted = phrase.n > 1 && phrase.p[0] == '"' && phrase.p[phrase.n - 1] == '"';
    for (struct span rest = quoted ? span_cstr("") : phrase; rest.n > 0;) {
        struct span word = span_sub(rest, 0, span_find(rest, ' '));
        struct span atom = span_trim(word);
        fuzz_require_text(atom.n < 4 || !span_starts_nocase(atom, span_cstr("=?")) ||
                              !span_ends_nocase(atom, span_cstr("?=")),
                          "an atom that looks like an encoded word", atom);
        rest = span_sub(rest, word.n + 1, rest.n);
    }
    for (size_t i = quoted ? 1 : 0; i < phrase.n - (quoted ? 1 : 0); i++) {
        fuzz_require_text(!quoted || phrase.p[i] != '"', "one quoted string", phrase);
        if (phrase.p[i] == '\n') /* a fold, whose blank stays */
            continue;
        if (quoted && phrase.p[i] == '\\')
            i++;
        strbuf_add_char(out, phrase.p[i]);
    }
}

static void check_lines(struct span value, bool encoded)
{
    struct span rest = value;
    size_t column = strlen("List-Id: ");
    while (rest.n > 0) {
        struct span line = fuzz_line(&rest);
        bool has_word = span_find(line, '?') < span_find(line, '<');
        struct span text = span_trim(line);
        bool is_one = span_find(text, ' ') == text.n; /* a word, or the id */
        fuzz_require_text((encoded && !has_word) || is_one ||
                              column + line.n <= (encoded ? 76 : 78),
                          "short lines (RFC 2047 2, RULINGS 37)", line);
        column = 0;
    }
}

static bool is_text(struct span s)
{
    for (size_t i = 0; i < s.n; i++) {
        if (ascii_is_control(s.p[i]))
            return false;
    }
    return utf8_is_valid(s);
}

static void check_rendered(struct span description, struct span id)
{
    struct strbuf value = STRBUF_INIT, decoded = STRBUF_INIT;
    struct span trimmed = span_trim(description), got, phrase;
    bool encoded = !span_is_printable_ascii(trimmed);
    struct arena arena;
    enum field_fault fault;
    if (!is_text(description) || list_id_fault(id) != NULL)
        return;
    arena_init(&arena, 0);
    list_id_render(&value, description, id);
    fault = field_check(span_cstr("List-Id"), strbuf_span(&value));
    fuzz_require_text(fault == FIELD_FINE ||
                          (fault == FIELD_LINE_TOO_LONG && !encoded && value.len > 900) ||
                          (fault == FIELD_TOO_LARGE && strlen("List-Id") + value.len > FIELD_MAX),
                      "can be sent", strbuf_span(&value));
    fuzz_require_text(list_id_read(strbuf_span(&value), &arena, &got) && span_eq(got, id),
                      "is read back", strbuf_span(&value));
    check_lines(strbuf_span(&value), encoded);
    phrase = span_trim(span_sub(strbuf_span(&value), 0, value.len - id.n - 2));
    if (encoded)
        decode_words(phrase, &decoded);
    else
        decode_ascii(phrase, &decoded);
    fuzz_require_text(span_eq(strbuf_span(&decoded), trimmed), "decodes to the description",
                      strbuf_span(&value));
    strbuf_free(&decoded);
    strbuf_free(&value);
    arena_free(&arena);
}

static void check_id(struct span id)
{
    struct span label = list_id_label(id), namespace = list_id_namespace(id);
    if (list_id_fault(id) == NULL)
        fuzz_require_text(id.n <= LIST_ID_MAX && label.n + 1 + namespace.n == id.n && label.n > 0 &&
                              namespace.n > 0 && span_find(label, '.') == label.n,
                          "label and name space", id);
    (void)list_id_lacks_randomness(id);
}

static void check_made(struct span name, struct span domain)
{
    static const unsigned char random[LIST_ID_RANDOM_OCTETS] = {0, 1, 0xfe, 0xff};
    struct strbuf id = STRBUF_INIT;
    list_id_make(&id, name, domain, random, 11, 2026);
    if (domain.n == 0 && list_id_fault(strbuf_span(&id)) == NULL)
        fuzz_require_text(!list_id_lacks_randomness(strbuf_span(&id)), "has randomness (LI-04)",
                          strbuf_span(&id));
    strbuf_free(&id);
}

void fuzz_input(const uint8_t *data, size_t size)
{
    struct span rest = span_of((const char *)data, size);
    struct span description = fuzz_own(fuzz_line(&rest));
    struct span id = fuzz_own(fuzz_line(&rest));
    check_read(fuzz_own(rest));
    check_rendered(description, id);
    check_id(id);
    check_made(description, span_of("", 0));
    check_made(description, id);
}

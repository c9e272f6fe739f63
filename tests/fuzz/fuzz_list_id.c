/* List-Id: what is written can be sent, is read back as the same id, and decodes to the same
 * description (LI-06 to LI-08, RULINGS 18, 37). Input: a description, an id, and a List-Id value.
 */
#include "fuzz.h"

#include "mail/field_check.h"
#include "spec/list_id.h"

#include <string.h>

const char *const fuzz_grammar[] = {
    "S=%d\n%i\n%v",
    "d=|%w%d|%w %d|%w%w%w%d|%w %w %w %w%d",
    "w=a|announcements|Example,|=?UTF-8?Q?x?=|\"|\\|(|)|<| "
    "|R&D|\xC3\xA9%u|\xE2\x82\xAC%u|\xF0\x9F\x93\xA7%u|%+a|%*",
    "u=|%u%u|\xC3\xA9%u|\xC3\xA9\xE6\x97\xA5\xC3\xA9%u",
    "i=a.b|%+a.%+b|a.%+1.example|a.da39efc25c530ad145d41b86f7420c3b.021999.localhost|x.localhost|a."
    ".b|%*.b",
    "v=%d <%i>|<%i|\"%d\"\r\n < %i\t>|(%d) <%i> %v|<%i>%v",
    NULL,
};

static void check_read(struct span value)
{
    struct arena arena;
    struct span id;
    arena_init(&arena, 0);
    if (list_id_read(value, &arena, &id)) {
        fuzz_require(id.n > 0, "an id is not empty");
        fuzz_require_bare(id);
    }
    arena_free(&arena);
}

/* Appends the bytes of Base 64. */
static void decode_base64(struct span text, struct strbuf *out)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    fuzz_require(text.n % 4 == 0, "whole groups of Base 64");
    unsigned bits = 0, count = 0;
    for (size_t i = 0; i < text.n && text.p[i] != '='; i++) {
        const char *found = strchr(digits, text.p[i]);
        fuzz_require_text(found != NULL, "digits of Base 64", text);
        bits = bits << 6 | (unsigned)(found - digits);
        count += 6;
        if (count >= 8) {
            count -= 8;
            strbuf_add_char(out, (char)(bits >> count & 0xff));
        }
    }
}

/* phrase = encoded-word *( LF SP encoded-word ); each of whole characters (RFC 2047 5) */
static void decode_words(struct span phrase, struct strbuf *out)
{
    while (phrase.n > 0) {
        struct span word = span_trim(fuzz_line(&phrase));
        size_t before = out->len;
        fuzz_require_text(word.n <= 75 && word.n > 12 &&
                              span_eq(span_sub(word, 0, 10), span_cstr("=?UTF-8?B?")) &&
                              span_eq(span_sub(word, word.n - 2, 2), span_cstr("?=")),
                          "an encoded word", word);
        decode_base64(span_sub(word, 10, word.n - 12), out);
        fuzz_require_text(fuzz_is_text(span_sub(strbuf_span(out), before, out->len)),
                          "whole characters in a word", word);
    }
}

/* quoted-string, or atoms as they are; no reader may find an encoded word in the latter */
static void decode_ascii(struct span phrase, struct strbuf *out)
{
    bool quoted = phrase.n > 1 && phrase.p[0] == '"' && phrase.p[phrase.n - 1] == '"';
    for (struct span rest = quoted ? span_cstr("") : phrase, atom; rest.n > 0;) {
        atom = span_trim(fuzz_word(&rest));
        fuzz_require_text(atom.n < 4 || !span_starts_nocase(atom, span_cstr("=?")) ||
                              !span_ends_nocase(atom, span_cstr("?=")),
                          "no atom that looks like an encoded word", atom);
    }
    if (quoted)
        phrase = span_sub(phrase, 1, phrase.n - 2);
    for (size_t i = 0; i < phrase.n; i++) {
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
    size_t column = strlen("List-Id: ");
    for (; value.n > 0; column = 0) {
        struct span line = fuzz_line(&value), text = span_trim(line);
        bool has_word = span_find(line, '?') < span_find(line, '<');
        bool is_one = span_find(text, ' ') == text.n; /* a word, or the id */
        fuzz_require_text((encoded && !has_word) || is_one ||
                              column + line.n <= (encoded ? 76 : 78),
                          "short lines (RFC 2047 2, RULINGS 37)", line);
    }
}

static void check_rendered(struct span description, struct span id)
{
    struct strbuf value = STRBUF_INIT, decoded = STRBUF_INIT;
    struct span trimmed = span_trim(description), got;
    bool encoded = !span_is_printable_ascii(trimmed);
    struct arena arena;
    if (!fuzz_is_text(description) || list_id_fault(id) != NULL)
        return;
    arena_init(&arena, 0);
    list_id_render(&value, description, id);
    enum field_fault fault = field_check(span_cstr("List-Id"), strbuf_span(&value));
    fuzz_require_text(fault == FIELD_FINE ||
                          (fault == FIELD_LINE_TOO_LONG && !encoded && value.len > 900) ||
                          (fault == FIELD_TOO_LARGE && strlen("List-Id") + value.len > FIELD_MAX),
                      "can be sent", strbuf_span(&value));
    fuzz_require_text(list_id_read(strbuf_span(&value), &arena, &got) && span_eq(got, id),
                      "is read back", strbuf_span(&value));
    check_lines(strbuf_span(&value), encoded);
    struct span phrase = span_trim(span_sub(strbuf_span(&value), 0, value.len - id.n - 2));
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

void fuzz_input(struct span rest)
{
    struct span description = fuzz_own(fuzz_line(&rest));
    struct span id = fuzz_own(fuzz_line(&rest));
    check_read(fuzz_own(rest));
    check_rendered(description, id);
    check_id(id);
    check_made(description, span_of("", 0));
    check_made(description, id);
}

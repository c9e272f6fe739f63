/* Message-ID: hashes as RFC 4648 and SU-01 say, a generated one that is well-formed (SU-02, SU-03,
 * SU-14, RULINGS 7, 65). Input: a list id, a Date, and the Message-ID's text. */
#include "fuzz.h"

#include "spec/digest.h"
#include "spec/list_id.h"
#include "spec/message_id.h"
#include "text/ascii.h"

#include <string.h>

static void hash_of(const struct span *parts, size_t count, char hash[33])
{
    unsigned char octets[SHA1_OCTETS];
    digest_sha1(parts, count, octets);
    fuzz_base32(octets, hash);
}

static void check_hashes(struct span text, struct span date)
{
    struct span bare = message_id_bare(text);
    bool brackets = text.n > 1 && text.p[0] == '<' && text.p[text.n - 1] == '>';
    struct span both[2] = {text, date};
    char expected[33], got[33], again[33];
    fuzz_require_text(span_eq(bare, brackets ? span_sub(text, 1, text.n - 2) : text),
                      "brackets off if both are there", bare);
    hash_of(&bare, 1, expected);
    message_id_hash(bare, got);
    fuzz_require(strcmp(got, expected) == 0, "SU-01");
    fuzz_require(message_id_hash_normalize(span_cstr(got), again) && strcmp(got, again) == 0,
                 "a hash is canonical");
    hash_of(both, 2, expected);
    message_id_list_hash(text, date, got);
    fuzz_require(strcmp(got, expected) == 0, "R1-01");
    if (message_id_hash_normalize(text, got))
        fuzz_require(strlen(got) == 32 && strspn(got, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") == 32,
                     "a canonical hash is Base 32");
}

/* Checks the least that a well-formed id must have. */
static void check_well_formed(struct span text)
{
    size_t at = span_find(text, '@');
    bool literal = span_sub(text, at + 1, 1).n > 0 && text.p[at + 1] == '[';
    if (!message_id_is_well_formed(text))
        return;
    fuzz_require_text(text.n >= 5 && text.n <= 256 && text.p[0] == '<' &&
                          text.p[text.n - 1] == '>' && span_is_printable_ascii(text) &&
                          span_find(text, ' ') == text.n,
                      "<, printable ASCII without blanks, >", text);
    fuzz_require_text(at < text.n && (literal || span_find(text, '>') == text.n - 1),
                      "an @, and one pair of brackets outside of a domain literal", text);
}

static void check_generated(const struct span *parts, size_t count, struct span list_id)
{
    struct span hashed[6];
    struct span right = list_id_namespace(list_id);
    struct arena arena;
    struct span id = {NULL, 0};
    struct span again = {NULL, 0};
    char hash[33];
    arena_init(&arena, 0);
    for (size_t i = 0; i < count; i++) {
        hashed[2 * i] = parts[i];
        hashed[2 * i + 1] = span_of("\n", 1);
    }
    hash_of(hashed, 2 * count, hash);
    id = message_id_generate(parts, count, list_id, &arena);
    again = message_id_generate(parts, count, list_id, &arena);
    fuzz_require(span_eq(id, again), "the same for every copy");
    fuzz_require_text(id.n == right.n + 35 && id.p[33] == '@' &&
                          span_eq_nocase(span_sub(id, 1, 32), span_cstr(hash)) &&
                          span_eq(span_sub(id, 34, right.n), right),
                      "<HASH@NAMESPACE>", id);
    if (list_id_fault(list_id) == NULL && id.n <= 256)
        fuzz_require_text(message_id_is_well_formed(id), "well-formed", id);
    arena_free(&arena);
}

void fuzz_input(const uint8_t *data, size_t size)
{
    struct span rest = span_of((const char *)data, size);
    struct span line = fuzz_line(&rest);
    struct span list_id = fuzz_own(span_sub(line, 0, span_find(line, '\0')));
    struct span parts[3];
    parts[0] = fuzz_own(fuzz_line(&rest));
    parts[1] = fuzz_own(rest);
    parts[2] = span_of(NULL, 0);
    check_hashes(parts[1], parts[0]);
    check_well_formed(parts[1]);
    check_generated(parts, 3, list_id);
}

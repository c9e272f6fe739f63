/* Message-ID: hashes that are canonical, and a generated id that is well-formed (SU-01 to SU-03,
 * SU-14, RULINGS 7, 65). Input: a list id, a Date, and the Message-ID's text. */
#include "fuzz.h"

#include "spec/list_id.h"
#include "spec/message_id.h"

#include <string.h>

const char *const fuzz_grammar[] = {
    "S=%l\n%d\n%i",
    "l=a.b|announce.lists.example.org|.|%+a.b|%*|a.b\x80",
    "d=|Wed, 04 Jul 2007 16:49:58 +0900|%*",
    "i=<%p@%p>|<%p>|%p|<%p@[%p]>| <%p@%p> (c)|<<%p@%p>>| %h ",
    "p=a|a.b|a..b|.|\"a b\"|[|]|<|>|%*|%+a|\\|\x80|%p%p",
    "h=jjigkpkb6cvdx6b2cug4ihajriqioutp|JJ1GKPKB6CVDX6B2CUG41HAJR1Q10UTP|%+A",
    NULL,
};

static void check_hash(struct span text)
{
    struct span bare = message_id_bare(text);
    bool brackets = text.n > 1 && text.p[0] == '<' && text.p[text.n - 1] == '>';
    char hash[MESSAGE_ID_HASH_LENGTH + 1], again[MESSAGE_ID_HASH_LENGTH + 1];
    fuzz_require_text(span_eq(bare, brackets ? span_sub(text, 1, text.n - 2) : text),
                      "brackets off if both are there", bare);
    message_id_hash(bare, hash);
    fuzz_require(message_id_hash_normalize(span_cstr(hash), again) && strcmp(hash, again) == 0,
                 "a hash is canonical");
    if (message_id_hash_normalize(text, hash))
        fuzz_require(strlen(hash) == 32 && strspn(hash, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") == 32,
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
    struct span right = list_id_namespace(list_id);
    struct arena arena;
    arena_init(&arena, 0);
    struct span id = message_id_generate(parts, count, list_id, &arena);
    fuzz_require(span_eq(id, message_id_generate(parts, count, list_id, &arena)),
                 "equal for every copy");
    fuzz_require_text(id.n == right.n + 35 && id.p[33] == '@' &&
                          span_eq(span_sub(id, 34, right.n), right),
                      "<HASH@NAMESPACE>", id);
    if (list_id_fault(list_id) == NULL && id.n <= 256)
        fuzz_require_text(message_id_is_well_formed(id), "well-formed", id);
    arena_free(&arena);
}

void fuzz_input(struct span rest)
{
    struct span list_id = span_cstr(fuzz_own_cstr(fuzz_line(&rest)));
    struct span parts[3] = {fuzz_own(fuzz_line(&rest)), fuzz_own(rest), {NULL, 0}};
    check_hash(parts[1]);
    check_well_formed(parts[1]);
    check_generated(parts, 3, list_id);
}

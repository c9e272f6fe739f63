/* message_id - see message_id.h */
#include "spec/message_id.h"

#include "mail/rfc5322.h"
#include "spec/base_n.h"
#include "spec/digest.h"
#include "spec/list_id.h"
#include "text/ascii.h"
#include "text/strbuf.h"

#define WELL_FORMED_MAX 254 /* bytes between the brackets (RULINGS 65) */

_Static_assert(BASE32_LENGTH(SHA1_OCTETS) == MESSAGE_ID_HASH_LENGTH, "SHA-1 in Base 32");

struct span message_id_bare(struct span text)
{
    if (text.n >= 2 && text.p[0] == '<' && text.p[text.n - 1] == '>')
        return span_sub(text, 1, text.n - 2);
    return text;
}

void message_id_list_hash(struct span id_text, struct span date_text,
                          char hash[MESSAGE_ID_HASH_LENGTH + 1])
{
    unsigned char octets[SHA1_OCTETS];
    const struct span parts[] = {id_text, date_text};
    digest_sha1(parts, 2, octets);
    base32_encode(octets, SHA1_OCTETS, hash);
}

void message_id_hash(struct span bare, char hash[MESSAGE_ID_HASH_LENGTH + 1])
{
    message_id_list_hash(bare, span_of("", 0), hash);
}

struct span message_id_generate(const struct span *parts, size_t count, struct span list_id,
                                struct arena *arena)
{
    char hash[MESSAGE_ID_HASH_LENGTH + 1];
    struct strbuf text = STRBUF_INIT;
    for (size_t i = 0; i < count; i++) {
        strbuf_add_span(&text, parts[i]);
        strbuf_add_char(&text, '\n');
    }
    message_id_hash(strbuf_span(&text), hash);
    for (char *c = hash; *c != '\0'; c++)
        *c = ascii_lower(*c);
    strbuf_reset(&text);
    struct span right = list_id_namespace(list_id);
    strbuf_addf(&text, "<%s@%.*s>", hash, (int)right.n, right.p);
    return span_cstr(strbuf_keep(&text, arena));
}

/* dtext = %d33-90 / %d94-126: printable, none of "[", "]" and "\"     RFC 5322 3.4.1 */
static bool is_dtext(struct span text)
{
    return text.n > 0 && span_is_printable_ascii(text) && span_find_any(text, " []\\") == text.n;
}

/* msg-id = "<" dot-atom-text "@" ( dot-atom-text / "[" 1*dtext "]" ) ">"   RFC 5322 3.6.4, strict
 */
bool message_id_is_well_formed(struct span text)
{
    struct span bare = message_id_bare(text);
    size_t at = span_find(bare, '@');
    struct span right = span_sub(bare, at + 1, bare.n);
    if (bare.n == text.n || bare.n > WELL_FORMED_MAX || !rfc5322_is_dot_atom(span_sub(bare, 0, at)))
        return false;
    if (right.n > 2 && right.p[0] == '[' && right.p[right.n - 1] == ']')
        return is_dtext(span_sub(right, 1, right.n - 2));
    return rfc5322_is_dot_atom(right);
}

bool message_id_hash_normalize(struct span typed, char hash[MESSAGE_ID_HASH_LENGTH + 1])
{
    typed = span_trim(typed);
    if (typed.n != MESSAGE_ID_HASH_LENGTH)
        return false;
    for (size_t i = 0; i < typed.n; i++) {
        char c = ascii_upper(typed.p[i]);
        c = c == '0' ? 'O' : c == '1' ? 'I' : c;
        if (!(c >= 'A' && c <= 'Z') && !(c >= '2' && c <= '7'))
            return false;
        hash[i] = c;
    }
    hash[typed.n] = '\0';
    return true;
}

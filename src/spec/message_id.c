/* message_id - see message_id.h */
#include "spec/message_id.h"

#include "mail/rfc5322.h"
#include "spec/base_n.h"
#include "text/ascii.h"

#include <stdint.h>
#include <string.h>

#define SHA1_OCTETS     20
#define WELL_FORMED_MAX 254 /* octets between the brackets (RULINGS 65) */

_Static_assert(BASE32_LENGTH(SHA1_OCTETS) == MESSAGE_ID_HASH_LENGTH, "SHA-1 in Base 32");

struct span message_id_bare(struct span text)
{
    if (text.n >= 2 && text.p[0] == '<' && text.p[text.n - 1] == '>')
        return span_sub(text, 1, text.n - 2);
    return text;
}

/* Upper-case Base 32 of SHA-1 over the parts. */
static int hash_parts(const struct digest *sha1, const struct span *parts, size_t count,
                      char hash[MESSAGE_ID_HASH_LENGTH + 1])
{
    unsigned char octets[DIGEST_MAX_OCTETS];
    if (digest_size(sha1) != SHA1_OCTETS || digest_compute(sha1, parts, count, octets) != 0)
        return -1;
    base32_encode(octets, SHA1_OCTETS, hash);
    return 0;
}

int message_id_hash(const struct digest *sha1, struct span bare,
                    char hash[MESSAGE_ID_HASH_LENGTH + 1])
{
    return hash_parts(sha1, &bare, 1, hash);
}

int message_id_list_hash(const struct digest *sha1, struct span id_text, struct span date_text,
                         char hash[MESSAGE_ID_HASH_LENGTH + 1])
{
    const struct span parts[] = {id_text, date_text};
    return hash_parts(sha1, parts, 2, hash);
}

int message_id_generate(const struct digest *sha1, const struct span *parts, size_t count,
                        struct span list_id, struct arena *arena, struct span *id)
{
    char hash[MESSAGE_ID_HASH_LENGTH + 1];
    if (count > SIZE_MAX / 2)
        return -1;
    struct span *lines = arena_calloc(arena, count * 2, sizeof(*lines));
    if (lines == NULL)
        return -1;
    for (size_t i = 0; i < count; i++) {
        lines[2 * i] = parts[i];
        lines[2 * i + 1] = span_of("\n", 1);
    }
    if (hash_parts(sha1, lines, count * 2, hash) != 0)
        return -1;

    char *text = arena_alloc(arena, MESSAGE_ID_HASH_LENGTH + list_id.n + sizeof("<@>"));
    if (text == NULL)
        return -1;
    char *p = text;
    *p++ = '<';
    for (size_t i = 0; i < MESSAGE_ID_HASH_LENGTH; i++)
        *p++ = ascii_lower(hash[i]);
    *p++ = '@';
    if (list_id.n > 0)
        memcpy(p, list_id.p, list_id.n);
    p += list_id.n;
    *p++ = '>';
    *p = '\0';
    *id = span_of(text, (size_t)(p - text));
    return 0;
}

/* dtext = %d33-90 / %d94-126: printable, none of "[", "]" and "\"     RFC 5322 3.4.1 */
static bool is_dtext(struct span text)
{
    for (size_t i = 0; i < text.n; i++) {
        char c = text.p[i];
        if (c < '!' || c > '~' || (c >= '[' && c <= ']'))
            return false;
    }
    return text.n > 0;
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
        if (c == '0')
            c = 'O';
        else if (c == '1')
            c = 'I';
        if (!(c >= 'A' && c <= 'Z') && !(c >= '2' && c <= '7'))
            return false;
        hash[i] = c;
    }
    hash[typed.n] = '\0';
    return true;
}

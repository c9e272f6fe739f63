/* archived_at - see archived_at.h */
#include "spec/archived_at.h"

#include "mail/fold.h"
#include "mail/rfc5322.h"
#include "text/ascii.h"

struct span archived_at_uri(struct span value, struct arena *arena)
{
    struct span uri = fold_without_space(value, arena);
    if (uri.n >= 2 && uri.p[0] == '<' && uri.p[uri.n - 1] == '>')
        return span_sub(uri, 1, uri.n - 2);
    return uri;
}

/* Reads a word up to a blank, "/", ";", "=" or "(", and the comments and blanks around it. */
static struct span media_token(struct cursor *c)
{
    (void)rfc5322_skip_cfws(c); /* to the end, if a comment is not closed */
    struct span rest = cursor_rest(c), token = span_sub(rest, 0, span_find_any(rest, " \t/;=("));
    c->p += token.n;
    (void)rfc5322_skip_cfws(c);
    return token;
}

/* True if the next parameter "number" of a content type is 1 (RFC 2046 5.2.2). */
static bool is_first_fragment(struct cursor *c)
{
    while (!cursor_at_end(c)) {
        struct span rest = cursor_rest(c);
        c->p += span_find_any(rest, ";\"");
        if (cursor_peek(c) == '"') {
            (void)rfc5322_skip_quoted_string(c);
        } else if (cursor_take(c, ';') && span_eq_nocase(media_token(c), span_cstr("number"))) {
            struct span value = cursor_take(c, '=') ? media_token(c) : span_of("", 0);
            return span_eq(value, span_cstr("1")) || span_eq(value, span_cstr("\"1\""));
        }
    }
    return false;
}

/* content = type "/" subtype *(";" parameter), comments and blanks between (RFC 2045 5.1) */
enum content_kind archived_at_content_kind(struct span content_type)
{
    struct cursor c = cursor_of(content_type);
    struct span type = media_token(&c);
    struct span subtype = cursor_take(&c, '/') ? media_token(&c) : span_of("", 0);
    if (span_eq_nocase(type, span_cstr("message")) && span_eq_nocase(subtype, span_cstr("partial")))
        return is_first_fragment(&c) ? CONTENT_FIRST_FRAGMENT : CONTENT_FRAGMENT;
    bool is_digest = span_eq_nocase(type, span_cstr("multipart")) &&
                     span_eq_nocase(subtype, span_cstr("digest"));
    return is_digest ? CONTENT_DIGEST : CONTENT_OTHER;
}

/* True if the text up to a blank, ";" or "(", without quotes, is "no" (RFC 5536 3.2.2 has "Archive:
 * no; x=y"). */
static bool says_no(struct span text)
{
    text = span_sub(text, 0, span_find_any(text, " \t;("));
    return span_eq_nocase(text, span_cstr("no")) || span_eq_nocase(text, span_cstr("\"no\""));
}

static bool is_in_word(char c)
{
    return ascii_is_alpha(c) || ascii_is_digit(c) || c == '-' || c == '_';
}

/* True if the text has the word "no-external-archive", as Sympa and MHonArc look for it. */
static bool restricts_archives(struct span text)
{
    for (size_t n = 0; text.n > 0; text = span_sub(text, n + 1, text.n)) {
        for (n = 0; n < text.n && is_in_word(text.p[n]);)
            n++;
        if (span_eq_nocase(span_sub(text, 0, n), span_cstr("no-external-archive")))
            return true;
    }
    return false;
}

enum field_name archived_at_wish(const struct header *header, struct arena *arena)
{
    static const enum field_name names[] = {FIELD_X_NO_ARCHIVE, FIELD_X_ARCHIVE, FIELD_ARCHIVE,
                                            FIELD_RESTRICT};
    for (size_t n = 0; n < sizeof names / sizeof names[0]; n++) {
        for (size_t i = header_find(header, names[n], 0); i < header_count(header);
             i = header_find(header, names[n], i + 1)) {
            struct span text = header_text(header, i, arena);
            /* Mailman looks for X-No-Archive with any value. */
            if (names[n] == FIELD_RESTRICT ? restricts_archives(text)
                                           : names[n] == FIELD_X_NO_ARCHIVE || says_no(text))
                return names[n];
        }
    }
    return FIELD_OTHER;
}

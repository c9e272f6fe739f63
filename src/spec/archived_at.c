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

/* Reads up to a blank, "/", ";" or "(". */
static struct span media_token(struct cursor *c)
{
    const char *start = c->p;
    while (!cursor_at_end(c) && !ascii_is_blank(*c->p) && *c->p != '/' && *c->p != ';' &&
           *c->p != '(')
        c->p++;
    return span_of(start, (size_t)(c->p - start));
}

/* content = type "/" subtype *(";" parameter), comments and blanks between (RFC 2045 5.1) */
enum content_kind archived_at_content_kind(struct span content_type)
{
    struct cursor c = cursor_of(content_type);
    struct span type, subtype;
    if (!rfc5322_skip_cfws(&c))
        return CONTENT_OTHER;
    type = media_token(&c);
    if (!rfc5322_skip_cfws(&c) || !cursor_take(&c, '/') || !rfc5322_skip_cfws(&c))
        return CONTENT_OTHER;
    subtype = media_token(&c);
    if (span_eq_nocase(type, span_cstr("message")) && span_eq_nocase(subtype, span_cstr("partial")))
        return CONTENT_FRAGMENT;
    if (span_eq_nocase(type, span_cstr("multipart")) &&
        span_eq_nocase(subtype, span_cstr("digest")))
        return CONTENT_DIGEST;
    return CONTENT_OTHER;
}

/* The text up to a blank, ";" or "(", quotes off (RFC 5536 3.2.2 has "Archive: no; x=y"). */
static struct span first_word(struct span text)
{
    size_t n = 0;
    while (n < text.n && !ascii_is_blank(text.p[n]) && text.p[n] != ';' && text.p[n] != '(')
        n++;
    if (n > 1 && text.p[0] == '"' && text.p[n - 1] == '"')
        return span_of(text.p + 1, n - 2);
    return span_of(text.p, n);
}

static bool says_no(struct span text)
{
    return span_eq_nocase(first_word(text), span_cstr("no"));
}

/* Mailman looks for the field only, and a post that it does not archive has no link. */
static bool any_value(struct span text)
{
    (void)text;
    return true;
}

static bool is_in_word(char c)
{
    return ascii_is_alpha(c) || ascii_is_digit(c) || c == '-' || c == '_';
}

/* Sympa and MHonArc look for the word anywhere in the field. */
static bool restricts_archives(struct span text)
{
    const struct span word = span_cstr("no-external-archive");
    bool between = true; /* the octet before is no part of a word */
    for (; text.n >= word.n; text = span_sub(text, 1, text.n)) {
        if (between && span_starts_nocase(text, word) &&
            (text.n == word.n || !is_in_word(text.p[word.n])))
            return true;
        between = !is_in_word(text.p[0]);
    }
    return false;
}

enum field_name archived_at_wish(const struct header *header, struct arena *arena)
{
    static const struct {
        enum field_name name;
        bool (*asks)(struct span text);
    } wishes[] = {{FIELD_X_NO_ARCHIVE, any_value},
                  {FIELD_X_ARCHIVE, says_no},
                  {FIELD_ARCHIVE, says_no},
                  {FIELD_RESTRICT, restricts_archives}};
    for (size_t w = 0; w < sizeof wishes / sizeof wishes[0]; w++) {
        for (size_t i = header_find(header, wishes[w].name, 0); i < header_count(header);
             i = header_find(header, wishes[w].name, i + 1)) {
            if (wishes[w].asks(fold_text(header_field(header, i).value, arena)))
                return wishes[w].name;
        }
    }
    return FIELD_OTHER;
}

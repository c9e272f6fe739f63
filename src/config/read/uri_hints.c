/* uri_hints - what is unwise about a URI as it is written, with its variables; see faults.h */
#include "config/read/faults.h"
#include "spec/list_fields.h"
#include "spec/uri.h"
#include "spec/variables.h"
#include "text/ascii.h"

/* Takes the text before the next separator, or before the end. Returns false after the last. */
static bool next_part(struct span *rest, char separator, struct span *part)
{
    if (rest->p == NULL)
        return false;
    size_t end = span_find(*rest, separator);
    *part = span_sub(*rest, 0, end);
    *rest = end < rest->n ? span_sub(*rest, end + 1, rest->n) : span_of(NULL, 0);
    return true;
}

static bool contains(struct span text, const char *word)
{
    for (size_t i = 0; i < text.n; i++)
        if (span_starts_nocase(span_sub(text, i, text.n), span_cstr(word)))
            return true;
    return false;
}

/* Returns the number of "@" in an address, with those of variables. */
static size_t count_at_signs(struct span address)
{
    size_t count = 0;
    for (size_t i = 0; i < address.n; i++) {
        struct span rest = span_sub(address, i, address.n);
        count += rest.p[0] == '@' || span_starts_nocase(rest, span_cstr("{address}")) ||
                 span_starts_nocase(rest, span_cstr("{recipient}"));
    }
    return count;
}

/* mailto = "mailto:" [ address *( "," address ) ] [ "?" field *( "&" field ) ]      RFC 6068 2
 * field  = name "=" value */
static enum remark mailto_hint(struct span uri)
{
    struct span rest = span_sub(uri, sizeof "mailto:" - 1, span_find(uri, '#'));
    struct span to = span_sub(rest, 0, span_find(rest, '?')), part;
    struct span fields = to.n < rest.n ? span_sub(rest, to.n + 1, rest.n) : span_of(NULL, 0);
    if (span_find(to, '&') < to.n)
        return HINT_NO_QUESTION_MARK;
    while (next_part(&to, ',', &part)) {
        size_t count = count_at_signs(part);
        if (count > 1)
            return HINT_TWO_AT;
        if (count == 0)
            return contains(part, "%40") ? HINT_ESCAPED_AT : HINT_BROKEN_ADDRESS;
    }
    while (next_part(&fields, '&', &part))
        if (span_find(part, '=') == part.n)
            return HINT_NO_EQUALS;
    return REMARK_NONE;
}

static bool has_unknown_scheme(struct span uri)
{
    size_t colon = span_find_any(uri, ":{");
    return colon < uri.n && uri.p[colon] == ':' && !uri_scheme_is_known(span_sub(uri, 0, colon));
}

/* True for "$archive", as other programs write a variable. */
static bool has_foreign_variable(struct span text)
{
    for (size_t n; (n = span_find(text, '$') + 1) <= text.n;) {
        size_t end = 0;
        text = span_sub(text, n, text.n);
        while (end < text.n && (ascii_is_alpha(text.p[end]) || text.p[end] == '_'))
            end++;
        if (variable_is_name(span_sub(text, 0, end)))
            return true;
    }
    return false;
}

enum remark item_hint(struct span text)
{
    struct list_item item;
    if (list_item_split(text, &item) != NULL || item.uri.n == 0)
        return REMARK_NONE;
    if (has_unknown_scheme(item.uri))
        return HINT_SCHEME;
    if (has_foreign_variable(text))
        return HINT_FOREIGN_VARIABLE;
    if (item.uri.p[item.uri.n - 1] == ')' && item.comment.n == 0 &&
        span_find(item.uri, '(') < item.uri.n) /* "mailto:x@y.example(comment)" */
        return HINT_COMMENT;
    return uri_has_scheme(item.uri, "mailto") ? mailto_hint(item.uri) : REMARK_NONE;
}

/* "https://x.example/?list=dev/{message_id_hash}": the slash and the hash are a part of the query's
 * value. */
enum remark link_hint(struct span text)
{
    struct span uri = span_trim(text), query = span_sub(uri, span_find(uri, '?'), uri.n);
    if (has_unknown_scheme(uri))
        return HINT_SCHEME;
    if (has_foreign_variable(uri))
        return HINT_FOREIGN_VARIABLE;
    return contains(query, "/{message_id_hash") || contains(query, "/{list_id_hash")
               ? HINT_HASH_IN_QUERY
               : REMARK_NONE;
}

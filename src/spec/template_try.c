/* template_try - see template_try.h */
#include "spec/template_try.h"

#include "spec/uri.h"
#include "text/number.h"

#include <stdbool.h>

/* Does the host name, which has begun, end in this text? */
static bool host_ends_in(struct span text)
{
    return span_find(text, '/') < text.n || span_find(text, '?') < text.n ||
           span_find(text, '#') < text.n;
}

/* Where the host name begins in a text with the end of the scheme. false: there is none. */
static bool find_host(struct span text, struct span *host)
{
    size_t colon = span_find(text, ':');
    *host = span_sub(text, colon + 3, text.n);
    return !host_ends_in(span_sub(text, 0, colon)) &&
           span_eq(span_sub(text, colon, 3), span_cstr("://"));
}

uint64_t template_host_variables(const struct template *uri)
{
    uint64_t variables = 0;
    bool inside = false;
    for (size_t i = 0; i < uri->count; i++) {
        const struct template_part *part = &uri->parts[i];
        struct span text = part->literal;
        if (part->variable == VAR_ARCHIVE)
            return 0; /* a whole URI up to a "/" */
        if (part->variable != VAR_COUNT) {
            variables |= inside ? VAR_BIT(part->variable) : 0;
            continue;
        }
        if (!inside && span_find(text, ':') == text.n && !host_ends_in(text))
            continue; /* still the scheme */
        if (!inside && !find_host(text, &text))
            return 0;
        if (host_ends_in(text))
            return variables;
        inside = true;
    }
    return variables;
}

/* NULL; or, when a variable of the host name is not the list's, what is wrong (RULINGS 47): else
 * whoever writes the message would say where the URI leads. */
static const char *host_fault(const struct template *uri)
{
    return (template_host_variables(uri) & ~VARS_LIST) == 0
               ? NULL
               : "has a value of the message or the recipient in the host name (expected "
                 "it after a \"/\")";
}

/* As long as such a value often is, since what is made of a template has to fit into a line. */
static const char *sample_of(int variable)
{
    switch (variable) {
    case VAR_ARCHIVE:
        return "https://example.org/";
    case VAR_MESSAGE_ID:
        return "a@b.example";
    case VAR_MONTH_NAME:
        return "September";
    case VAR_MONTH_ABBR:
        return "Sep";
    case VAR_RECIPIENT:
        return "user@b.example";
    case VAR_MESSAGE_ID_HASH:
    case VAR_LIST_ID_HASH:
        return "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    case VAR_RECIPIENT_TOKEN:
        return "ABCDEFGHIJKLMNOPQRSTUVWXYZABCDEFGHIJKLMNOPQ";
    case VAR_SEQUENCE:
        return NUMBER_TEXT(POST_NUMBER_MAX);
    default:
        return "1";
    }
}

static struct variable_values add_samples(const struct variable_values *values, uint64_t needs,
                                          const char *sample)
{
    struct variable_values all = *values;
    for (int v = 0; v < VAR_COUNT; v++)
        if ((needs & ~values->set & VAR_BIT(v)) != 0)
            all.text[v] = span_cstr(sample != NULL && v != VAR_ARCHIVE ? sample : sample_of(v));
    all.set |= needs;
    return all;
}

int template_try(const struct template *t, const struct variable_values *values, const char *sample,
                 struct strbuf *uri, const char **fault)
{
    struct variable_values all = add_samples(values, t->needs, sample);
    size_t begin = uri->len;
    struct template bound;
    struct arena arena;
    int result;
    arena_init(&arena, 0);
    result = template_bind(t, TEMPLATE_URI, &all, &arena, &bound);
    if (result == 0)
        result = template_expand(&bound, TEMPLATE_URI, &all, uri, NULL);
    arena_free(&arena);
    if (result != 0 || strbuf_failed(uri))
        return -1;
    *fault = host_fault(t);
    if (*fault == NULL)
        *fault = uri_fault(span_sub(strbuf_span(uri), begin, uri->len));
    return *fault == NULL ? 0 : 1;
}

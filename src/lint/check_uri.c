/* check_uri - see check_uri.h */
#include "lint/check_uri.h"

#include "mail/address.h"
#include "spec/mailbox.h"
#include "spec/uri.h"

void lint_suggest_brackets(struct lint_context *c, struct span text)
{
    if (text.n > 0 && text.p[0] == '<')
        text = span_sub(text, 1, text.n);
    if (text.n > 0 && text.p[text.n - 1] == '>')
        text.n--;
    if (text.n <= LINT_QUOTED && uri_fault(text) == NULL)
        lint_instead(c->findings, "\"<%.*s>\"", (int)text.n, text.p);
}

void lint_find_uri_space(struct lint_context *c, enum field_name field, size_t place)
{
    lint_find(c->findings, LINT_URI_SPACE, field, place, "has white space within angle brackets");
}

/* In what stands in front of the first comma and of what comes with the mail: an "@" within
 * quotation marks is %40 (RFC 6068 2). */
static bool has_two_ats(struct span uri)
{
    struct span first = span_sub(uri, 0, span_find(uri, '?'));
    size_t at;
    first = span_sub(first, 0, span_find(first, ','));
    at = span_find(first, '@');
    return at < first.n && span_find(span_sub(first, at + 1, first.n), '@') < first.n - at - 1;
}

/* A mail program writes to what is there. */
static void check_mailto(struct lint_context *c, enum field_name field, size_t place,
                         struct span uri)
{
    struct span mailbox = mailbox_of_mailto(uri, c->arena);
    if (mailbox.n == 0)
        return; /* "to=" names it: spec/uri.h looked */
    if (address_local(mailbox).n > 0 && address_domain(mailbox).n > 0 && !has_two_ats(uri))
        return;
    lint_find(c->findings, LINT_URI_MAILTO, field, place,
              "has <%.*s>, which is not one mailbox with its domain", lint_quoted(uri), uri.p);
}

static void check_scheme(struct lint_context *c, enum field_name field, size_t place,
                         struct span uri)
{
    struct span scheme = uri_scheme(uri);
    if (uri_has_scheme(uri, "mailto"))
        check_mailto(c, field, place, uri);
    if (uri_has_scheme(uri, "http"))
        lint_find(c->findings, LINT_URI_HTTP, field, place, "has an http: link, <%.*s>",
                  lint_quoted(uri), uri.p);
    if (!uri_scheme_is_known(scheme))
        lint_find(c->findings, LINT_URI_SCHEME, field, place,
                  "has a scheme that mail programs hardly know, \"%.*s:\"", lint_quoted(scheme),
                  scheme.p);
}

bool lint_check_uri(struct lint_context *c, enum field_name field, size_t place, struct span uri)
{
    const char *fault;
    if (uri_scheme_is_harmful(uri_scheme(uri))) {
        lint_find(c->findings, LINT_URI_HARMFUL, field, place,
                  "has a URI that can do harm, <%.*s>: mail programs must not open it",
                  lint_quoted(uri), uri.p);
        if (field == FIELD_ARCHIVED_AT)
            lint_cite(c->findings, "RULINGS 63");
        return false;
    }
    if (span_find(uri, '{') < uri.n || span_find(uri, '}') < uri.n) {
        lint_find(c->findings, LINT_URI_TEMPLATE, field, place,
                  "has a variable that nobody filled in, in <%.*s>", lint_quoted(uri), uri.p);
        if (field == FIELD_ARCHIVED_AT)
            lint_cite(c->findings, "AT-01");
        return false;
    }
    fault = uri_fault(uri);
    if (fault != NULL) {
        lint_find(c->findings, LINT_URI_FORM, field, place, "has <%.*s>, which %s",
                  lint_quoted(uri), uri.p, fault);
        if (uri_scheme(uri).n == 0 && span_find(uri, '@') < uri.n && uri.n <= LINT_QUOTED)
            lint_instead(c->findings, "<mailto:%.*s>", (int)uri.n, uri.p);
        return false;
    }
    check_scheme(c, field, place, uri);
    return true;
}

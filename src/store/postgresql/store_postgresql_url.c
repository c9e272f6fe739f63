/* store_postgresql_url - see store_postgresql_url.h */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "store/postgresql/store_postgresql_url.h"

#include "text/ascii.h"

#include <libpq-fe.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char scheme[] = "postgresql:";

size_t postgresql_conninfo_room(struct span rest)
{
    return sizeof scheme + rest.n;
}

char *postgresql_conninfo(struct span rest, char *to)
{
    size_t n = 0;

    if (span_starts_nocase(rest, span_cstr("//"))) {
        n = sizeof scheme - 1;
        memcpy(to, scheme, n);
    }
    if (rest.n)
        memcpy(to + n, rest.p, rest.n);
    to[n + rest.n] = '\0';
    return to;
}

/* The keyword in libpq's 'invalid connection option "KEYWORD"'; empty: it says something else. */
static struct span named_keyword(const char *message)
{
    struct span rest = span_cstr(message), word;
    size_t n = 0;

    rest = span_sub(rest, span_find(rest, '"') + 1, rest.n);
    word = span_sub(rest, 0, span_find(rest, '"'));
    while (n < word.n && (ascii_is_alpha(word.p[n]) || word.p[n] == '_'))
        n++;
    return n == word.n && n < rest.n ? word : span_of(NULL, 0);
}

/* Does the keyword stand where no password can be cut by mistake, such as one with a blank that
 * nobody quoted: before "password", and before the "@" of a URI? */
static bool is_no_secret(struct span keyword, struct span rest)
{
    bool is_uri = span_starts_nocase(rest, span_cstr("//"));

    if (keyword.n == 0)
        return false;
    for (size_t i = 0; i + keyword.n < rest.n; i++) {
        struct span here = span_sub(rest, i, rest.n);

        if (span_eq(span_sub(here, 0, keyword.n), keyword) &&
            span_starts_nocase(span_trim(span_sub(here, keyword.n, here.n)), span_cstr("=")))
            return !is_uri || span_find(here, '@') == here.n;
        if (span_starts_nocase(here, span_cstr("pass")))
            return false;
    }
    return false;
}

const char *postgresql_url_fault(struct span rest, char *room, size_t size)
{
    char *conninfo = malloc(postgresql_conninfo_room(rest));
    char *message = NULL;
    PQconninfoOption *options;
    struct span keyword;
    bool is_shown;

    if (!conninfo)
        return "cannot be checked: memory is out";
    options = PQconninfoParse(postgresql_conninfo(rest, conninfo), &message);
    free(conninfo);
    if (options) {
        PQconninfoFree(options);
        return NULL;
    }
    /* libpq's own text may show a part of a password. */
    keyword = message ? named_keyword(message) : span_of(NULL, 0);
    is_shown = is_no_secret(keyword, rest);
    if (is_shown)
        snprintf(room, size, "has the keyword \"%.*s\", which libpq does not know", (int)keyword.n,
                 keyword.p);
    PQfreemem(message);
    return is_shown ? room
                    : "is no connection string of libpq: \"postgresql:KEYWORD=VALUE ...\" or "
                      "\"postgresql://HOST/DATABASE?KEYWORD=VALUE\"";
}

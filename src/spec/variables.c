/* variables - see variables.h */
#include "spec/variables.h"

#include "text/edit_distance.h"
#include "text/number.h"

#define VARIABLE_ROW(v, ...) [v] = {__VA_ARGS__},

static const struct {
    const char *name, *sample;
    bool is_number;
} rows[VAR_COUNT] = {VARIABLES(VARIABLE_ROW)};

_Static_assert(VAR_COUNT < 64, "a template's needs have 64 bits");

const char *variable_name(enum variable v)
{
    return v < VAR_FIRST_TOKEN ? rows[v].name : "a token";
}

struct span variable_text(enum variable v, const struct token_names *tokens)
{
    size_t token = (size_t)v - VAR_FIRST_TOKEN;
    if (v < VAR_FIRST_TOKEN)
        return span_cstr(rows[v].name);
    return tokens != NULL && token < tokens->count ? tokens->names[token] : span_of(NULL, 0);
}

enum variable variable_find(struct span name, const struct token_names *tokens)
{
    unsigned v = 0;
    while (v < VAR_COUNT && (name.n == 0 || !span_eq(name, variable_text(v, tokens))))
        v++;
    return (enum variable)v;
}

bool variable_is_name(struct span name)
{
    return variable_find(name, NULL) != VAR_COUNT;
}

const char *variable_sample(enum variable v)
{
    return v < VAR_FIRST_TOKEN ? rows[v].sample : "1";
}

bool variable_is_number(enum variable v)
{
    return rows[v].is_number;
}

void variable_add_meant(struct strbuf *out, struct span name, uint64_t allowed,
                        const struct token_names *tokens)
{
    struct edit_nearest meant = edit_nearest_to(name);
    struct strbuf names = STRBUF_INIT;
    size_t last = 0; /* the place of the last name, with the ", " before it */
    for (unsigned v = 0; v < VAR_COUNT; v++) {
        struct span text = variable_text(v, tokens);
        if ((allowed & VAR_BIT(v)) == 0 || text.n == 0)
            continue;
        edit_nearest_try(&meant, text);
        last = names.len;
        strbuf_addf(&names, "%s{%.*s}", last > 0 ? ", " : "", (int)text.n, text.p);
    }
    if (meant.nearest.p != NULL)
        strbuf_addf(out, "did you mean {%.*s}?", (int)meant.nearest.n, meant.nearest.p);
    else if (last > 0)
        strbuf_addf(out, "expected %.*s or %s", (int)last, names.data, names.data + last + 2);
    else
        strbuf_addf(out, "expected %s", strbuf_str(&names));
    strbuf_free(&names);
}

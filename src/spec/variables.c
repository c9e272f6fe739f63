/* variables - see variables.h */
#include "spec/variables.h"

#include "text/edit_distance.h"

static const char *const variable_names[VAR_FIRST_TOKEN] = {
    [VAR_LIST_ID] = "list_id",
    [VAR_LIST_LABEL] = "list_label",
    [VAR_LIST_NAMESPACE] = "list_namespace",
    [VAR_ADDRESS] = "address",
    [VAR_ADDRESS_LOCAL] = "address_local",
    [VAR_ADDRESS_DOMAIN] = "address_domain",
    [VAR_ARCHIVE] = "archive",
    [VAR_MESSAGE_ID] = "message_id",
    [VAR_MESSAGE_ID_HASH] = "message_id_hash",
    [VAR_LIST_ID_HASH] = "list_id_hash",
    [VAR_YEAR] = "year",
    [VAR_MONTH] = "month",
    [VAR_DAY] = "day",
    [VAR_MONTH_NAME] = "month_name",
    [VAR_MONTH_ABBR] = "month_abbr",
    [VAR_SEQUENCE] = "sequence",
    [VAR_DATE] = "date",
    [VAR_FROM] = "from",
    [VAR_TO] = "to",
    [VAR_SUBJECT] = "subject",
    [VAR_RECIPIENT] = "recipient",
    [VAR_RECIPIENT_TOKEN] = "recipient_token",
    [VAR_LF] = "lf",
};

_Static_assert(VAR_COUNT < 64, "a template's needs have 64 bits");

const char *variable_name(enum variable v)
{
    return v < VAR_FIRST_TOKEN ? variable_names[v] : "a token";
}

struct span variable_text(enum variable v, const struct token_names *tokens)
{
    size_t token = (size_t)v - VAR_FIRST_TOKEN;
    if (v < VAR_FIRST_TOKEN)
        return span_cstr(variable_names[v]);
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

bool variable_is_number(enum variable v)
{
    return v == VAR_YEAR || v == VAR_MONTH || v == VAR_DAY || v == VAR_SEQUENCE;
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

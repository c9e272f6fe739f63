/* samples - values such as a message might have. */
#include "config/lists/samples.h"

#include "mail/field_check.h"
#include "spec/uri.h"
#include "text/strbuf.h"

#include <string.h>

/* Values such as a message might have, to see what a template makes of them. */
static void add_samples(struct variable_values *values)
{
    static const struct {
        enum variable variable;
        const char *text;
    } samples[] = {
        {VAR_MESSAGE_ID, "a@b.example"},
        {VAR_MESSAGE_ID_HASH, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"},
        {VAR_LIST_ID_HASH, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"},
        {VAR_YEAR, "2024"},
        {VAR_MONTH, "9"},
        {VAR_DAY, "30"},
        {VAR_MONTH_NAME, "September"},
        {VAR_MONTH_ABBR, "Sep"},
        {VAR_SEQUENCE, "999999999999999"},
        {VAR_RECIPIENT, "user@b.example"},
        {VAR_RECIPIENT_TOKEN, "ABCDEFGHIJKLMNOPQRSTUVWXYZABCDEFGHIJKLMNOPQ"},
    };
    for (size_t i = 0; i < sizeof samples / sizeof samples[0]; i++) {
        values->set |= VAR_BIT(samples[i].variable);
        values->text[samples[i].variable] = span_cstr(samples[i].text);
    }
}

/* A text as long as the token's values. .p is NULL when out of memory. */
static struct span token_sample(const struct token *token, struct arena *arena)
{
    size_t octets = 1; /* of a token that is wrong */
    if (token->hmac != NULL)
        octets = hmac_size(token->hmac);
    else if (token->digest != NULL)
        octets = digest_size(token->digest);
    size_t digits = token_encoded_length(token->encoding, octets, false);
    size_t length = token_encoded_length(token->encoding, octets, token->padding);
    char *text = arena_alloc(arena, token->prefix.n + length);
    if (text == NULL)
        return span_of(NULL, 0);
    if (token->prefix.n > 0)
        memcpy(text, token->prefix.p, token->prefix.n);
    memset(text + token->prefix.n, 'A', digits);
    memset(text + token->prefix.n + digits, '=', length - digits);
    return span_of(text, token->prefix.n + length);
}

/* Samples of the tokens that the template needs. 0 or -1. */
static int add_token_samples(struct list_builder *b, uint64_t needs, struct variable_values *values)
{
    for (size_t i = 0; i < b->given.token_names->count; i++) {
        size_t variable = VAR_FIRST_TOKEN + i;
        if ((needs & VAR_BIT(variable)) == 0)
            continue;
        values->set |= VAR_BIT(variable);
        values->text[variable] = token_sample(&b->given.tokens[i], &b->scratch);
        if (values->text[variable].p == NULL)
            return -1;
    }
    return 0;
}

/* It must still fit into a line, since what was made of a sample is not yet the field. */
enum outcome draft_check_sample(struct list_draft *draft, const struct config_text *text,
                                const struct template *bound, enum field_name name)
{
    struct variable_values values = draft->values;
    add_samples(&values);
    if (add_token_samples(draft->builder, bound->needs, &values) != 0)
        return NO_MEMORY;
    struct strbuf value = STRBUF_INIT;
    strbuf_add_char(&value, '<');
    template_expand(bound, TEMPLATE_URI, &values, &value, NULL);
    strbuf_add_char(&value, '>');
    enum outcome result = strbuf_failed(&value) ? NO_MEMORY : DONE;
    if (result == DONE) {
        struct span all = strbuf_span(&value);
        const char *fault = template_host_fault(bound);
        if (fault == NULL)
            fault = uri_fault(span_sub(all, 1, all.n - 2));
        enum field_fault field_fault = field_check(span_cstr(field_name_text(name)), all);
        if (fault == NULL && field_fault != FIELD_FINE)
            fault = field_fault_text(field_fault);
        if (fault != NULL)
            result = draft_wrong(draft, text, fault);
    }
    strbuf_free(&value);
    return result;
}

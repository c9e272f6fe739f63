/* DKIM-Signature: which fields it covers (RFC 6376 3.5). Input: a value. */
#include "fuzz.h"

#include "spec/dkim_signature.h"

const char *const fuzz_grammar[] = {
    "S=%t|%t;%t|v=1; %t; %t;%S",
    "t=h=%n|h=%n|d=%d|h = %n |d = %d\t|%*=%n|bh=x|=x|",
    "n=list-id|%n:%n|From : %n|To\r\n :%n|:|List-Id=|%*|x%n",
    "d=a.example|b.a.example|example|.a.example| a . b |%*|",
    NULL,
};

void fuzz_input(struct span value)
{
    struct span domain = dkim_domain(value);
    size_t counts[FIELD_NAME_COUNT], sum = 0, colons = 0;
    dkim_signed_counts(value, counts);
    for (size_t i = 0; i < value.n; i++)
        colons += value.p[i] == ':';
    for (size_t i = 0; i < FIELD_NAME_COUNT; i++)
        sum += counts[i];
    fuzz_require(counts[FIELD_OTHER] == 0, "unknown fields are not counted");
    fuzz_require(sum <= colons + 1, "a name behind each colon at most");
    fuzz_require(sum == 0 || span_find(value, 'h') < value.n, "names stand in a tag h");
    fuzz_require_text(domain.n == 0 ||
                          (domain.p >= value.p && domain.p + domain.n <= value.p + value.n &&
                           span_find(domain, ';') == domain.n && span_trim(domain).n == domain.n),
                      "a part of the value, blanks off", domain);
    fuzz_require(dkim_is_aligned(domain, domain) == (domain.n > 0),
                 "a domain is aligned with itself");
    for (size_t i = 0; i <= value.n; i += 1 + value.n / 16) {
        struct span other = span_sub(value, i, value.n);
        fuzz_require(dkim_is_aligned(domain, other) == dkim_is_aligned(other, domain),
                     "it does not matter who signs");
    }
}

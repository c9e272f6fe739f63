/* address - see address.h */
#include "mail/address.h"

struct span address_bare(struct span argument)
{
    struct span s = span_trim(argument);
    if (s.n >= 2 && s.p[0] == '<' && s.p[s.n - 1] == '>')
        s = span_trim(span_sub(s, 1, s.n - 2));
    return s;
}

struct span address_local(struct span address)
{
    return span_sub(address, 0, span_find_last(address, '@'));
}

struct span address_domain(struct span address)
{
    return span_sub(address, span_find_last(address, '@') + 1, address.n);
}

bool address_domain_is_within(struct span domain, struct span other)
{
    size_t at = domain.n - other.n;
    if (other.n == 0 || domain.n < other.n || !span_ends_nocase(domain, other))
        return false;
    return at == 0 || domain.p[at - 1] == '.';
}

/* sender_number - see sender_number.h */
#include "plan/sender_number.h"

#include "mail/address.h"
#include "spec/variables.h"
#include "text/ascii.h"

uint64_t sender_number(struct span sender, struct span address)
{
    static const struct span bounces = {"bounces-", 8};
    struct span local = address_local(sender);
    struct span list = address_local(address);
    struct span rest;
    uint64_t number = 0;
    size_t digits = 0;
    if (list.n == 0 || local.n <= list.n || !span_starts_nocase(local, list) ||
        (local.p[list.n] != '+' && local.p[list.n] != '-'))
        return 0;
    rest = span_sub(local, list.n + 1, local.n);
    if (!span_starts_nocase(rest, bounces))
        return 0;
    rest = span_sub(rest, bounces.n, rest.n);
    for (; digits < rest.n && ascii_is_digit(rest.p[digits]); digits++) {
        number = number * 10 + (uint64_t)(rest.p[digits] - '0');
        if (number > POST_NUMBER_MAX)
            return 0;
    }
    if (digits == 0 || (digits < rest.n && rest.p[digits] != '-'))
        return 0;
    return number;
}

/* address_fault - checks configured addresses; mail is never checked with this. */
#include "config/address_fault.h"

#include "config/list_index.h"
#include "mail/address.h"
#include "mail/rfc5322.h"
#include "text/cursor.h"

static bool is_quoted_string(struct span text)
{
    struct cursor c = cursor_of(text);
    return cursor_peek(&c) == '"' && rfc5322_skip_quoted_string(&c) && cursor_at_end(&c);
}

static bool is_domain_literal(struct span text)
{
    return text.n > 2 && text.p[0] == '[' && span_find(text, ']') == text.n - 1 &&
           span_find(text, ' ') == text.n &&
           span_find(span_sub(text, 1, text.n), '[') == text.n - 1;
}

const char *address_fault(struct span address)
{
    for (size_t i = 0; i < address.n; i++)
        if ((unsigned char)address.p[i] >= 0x80)
            return NOT_INTERNATIONAL;
    struct span local = address_local(address);
    struct span domain = address_domain(address);
    if (local.n == 0 || domain.n == 0)
        return "is no address (expected LOCAL@DOMAIN)";
    if (address.n > LIST_ADDRESS_MAX)
        return "is too long (expected at most 254 octets)";
    if (!span_is_printable_ascii(address))
        return "holds a control character (expected LOCAL@DOMAIN)";
    if (!rfc5322_is_dot_atom(local) && !is_quoted_string(local))
        return "has a wrong part before the \"@\" (expected LOCAL@DOMAIN, no name and no brackets)";
    if (!rfc5322_is_dot_atom(domain) && !is_domain_literal(domain))
        return "has a wrong domain (expected LOCAL@DOMAIN, no brackets)";
    return NULL;
}

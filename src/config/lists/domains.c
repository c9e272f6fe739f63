/* domains - reads and compares domains. */
#include "config/lists/domains.h"

#include "mail/rfc5322.h"
#include "spec/iri.h"
#include "text/strbuf.h"

#define DOMAIN_MAX_OCTETS 253

const char *domain_read(struct span text, struct arena *arena, struct domain *out)
{
    static const char wrong[] = "is no domain (expected one such as \"lists.example\", or "
                                "\"*.lists.example\" for all below it)";
    struct span name;
    out->below = span_starts_nocase(text, span_cstr("*."));
    const char *fault = domain_to_ascii(span_sub(text, out->below ? 2 : 0, text.n), arena, &name);
    if (fault != NULL)
        return fault;
    /* "*" is an octet of atoms as any other. */
    if (!rfc5322_is_dot_atom(name) || name.n > DOMAIN_MAX_OCTETS || span_find(name, '*') < name.n)
        return wrong;
    struct strbuf whole = STRBUF_INIT;
    if (out->below)
        strbuf_add_char(&whole, '.');
    strbuf_add_span(&whole, name);
    out->name = span_cstr(strbuf_keep(&whole, arena));
    return NULL;
}

bool domains_cover(const struct domains *domains, struct span domain, struct arena *scratch)
{
    struct span ascii;
    if (domain_to_ascii(domain, scratch, &ascii) != NULL)
        return false;
    for (size_t i = 0; i < domains->count; i++) {
        const struct domain *own = &domains->items[i];
        if (own->below ? ascii.n > own->name.n && span_ends_nocase(ascii, own->name)
                       : span_eq_nocase(ascii, own->name))
            return true;
    }
    return false;
}

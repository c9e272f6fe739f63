/* domains - reads and compares domains. */
#include "config/lists/domains.h"

#include "mail/rfc5322.h"
#include "spec/iri.h"
#include "text/strbuf.h"

#define DOMAIN_MAX_OCTETS 253

enum outcome domain_read(struct span text, struct arena *arena, struct domain *out,
                         const char **fault)
{
    static const char wrong[] = "is no domain (expected one such as \"lists.example\", or "
                                "\"*.lists.example\" for all below it)";
    struct span name;
    out->below = span_starts_nocase(text, span_cstr("*."));
    *fault = domain_to_ascii(span_sub(text, out->below ? 2 : 0, text.n), arena, &name);
    if (*fault != NULL)
        return REFUSED;
    *fault = wrong;
    /* "*" is an octet of atoms as any other. */
    if (!rfc5322_is_dot_atom(name) || name.n > DOMAIN_MAX_OCTETS || span_find(name, '*') < name.n)
        return REFUSED;
    struct strbuf whole = STRBUF_INIT;
    if (out->below)
        strbuf_add_char(&whole, '.');
    strbuf_add_span(&whole, name);
    const char *kept = strbuf_keep(&whole, arena);
    out->name = span_cstr(kept != NULL ? kept : "");
    return kept != NULL ? DONE : NO_MEMORY;
}

enum outcome domains_cover(const struct domains *domains, struct span domain, struct arena *scratch)
{
    struct span ascii;
    if (domain_to_ascii(domain, scratch, &ascii) != NULL)
        return REFUSED;
    for (size_t i = 0; i < domains->count; i++) {
        const struct domain *own = &domains->items[i];
        if (own->below ? ascii.n > own->name.n && span_ends_nocase(ascii, own->name)
                       : span_eq_nocase(ascii, own->name))
            return DONE;
    }
    return REFUSED;
}

/* domains - see domains.h */
#include "config/lists/domains.h"

#include "mail/rfc5322.h"
#include "spec/iri.h"

#define DOMAIN_BYTES_MAX 253

const char *domain_read(struct span text, struct arena *arena, struct domain *out)
{
    out->is_below = span_starts_nocase(text, span_cstr("*."));
    struct span name = span_sub(text, out->is_below ? 2 : 0, text.n);
    const char *fault = domain_to_ascii(name, arena, &name);
    out->name = arena_dup(arena, name);
    /* "*" is a character of atoms. */
    if (fault == NULL &&
        (!rfc5322_is_dot_atom(name) || name.n > DOMAIN_BYTES_MAX || span_find(name, '*') < name.n))
        fault = "is no domain (expected one such as \"lists.example\", or \"*.lists.example\" for "
                "all below it)";
    return fault;
}

bool domains_cover(const struct domains *domains, struct span domain, struct arena *scratch)
{
    struct span ascii;
    if (domain_to_ascii(domain, scratch, &ascii) != NULL)
        return false;
    for (size_t i = 0; i < domains->count; i++) {
        struct span name = domains->items[i].name;
        size_t above = ascii.n > name.n ? ascii.n - name.n : 0;
        bool is_below = above > 0 && ascii.p[above - 1] == '.';
        if (span_eq_nocase(span_sub(ascii, above, ascii.n), name) &&
            (domains->items[i].is_below ? is_below : above == 0))
            return true;
    }
    return false;
}

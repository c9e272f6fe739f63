/* international - see international.h */
#include "config/international.h"

#include "mail/address.h"
#include "spec/iri.h"
#include "spec/mailbox.h"

int address_configured(struct span text, struct arena *arena, struct configured_address *out,
                       const char **fault)
{
    struct span domain = address_domain(text);
    struct span ascii;
    *out = (struct configured_address){.text = text};
    int result = domain_to_ascii(domain, arena, &ascii, fault);
    if (result != 0)
        return result;
    if (!span_eq(ascii, domain))
        out->ascii_domain = ascii;
    return mailbox_of(text, arena, &out->mailbox);
}

/* Does the host name, which has begun, end in this text? */
static bool host_ends_in(struct span text)
{
    return span_find(text, '/') < text.n || span_find(text, '?') < text.n ||
           span_find(text, '#') < text.n;
}

/* Where the host name begins in the text behind the scheme; false: there is none. */
static bool find_host(struct span text, struct span *host)
{
    size_t colon = span_find(text, ':');
    *host = span_sub(text, colon + 3, text.n);
    return span_eq(span_sub(text, colon, 3), span_cstr("://"));
}

bool template_host_has(const struct template *uri, enum variable variable)
{
    struct span host;
    if (uri->count == 0 || uri->parts[0].variable != VAR_COUNT ||
        !find_host(uri->parts[0].literal, &host) || host_ends_in(host))
        return false;
    for (size_t i = 1; i < uri->count; i++) {
        const struct template_part *part = &uri->parts[i];
        if (part->variable == variable)
            return true;
        if (part->variable == VAR_COUNT && host_ends_in(part->literal))
            return false;
    }
    return false;
}

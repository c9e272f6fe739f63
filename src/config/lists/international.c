/* international - see international.h */
#include "config/lists/international.h"

#include "mail/address.h"
#include "spec/iri.h"
#include "spec/mailbox.h"

#include <stdbool.h>

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

/* Where the host name begins in a text with the end of the scheme. false: there is none. */
static bool find_host(struct span text, struct span *host)
{
    size_t colon = span_find(text, ':');
    *host = span_sub(text, colon + 3, text.n);
    return !host_ends_in(span_sub(text, 0, colon)) &&
           span_eq(span_sub(text, colon, 3), span_cstr("://"));
}

uint64_t template_host_variables(const struct template *uri)
{
    uint64_t variables = 0;
    bool inside = false;
    for (size_t i = 0; i < uri->count; i++) {
        const struct template_part *part = &uri->parts[i];
        struct span text = part->literal;
        if (part->variable == VAR_ARCHIVE)
            return 0; /* a whole URI up to a "/" */
        if (part->variable != VAR_COUNT) {
            variables |= inside ? VAR_BIT(part->variable) : 0;
            continue;
        }
        if (!inside && span_find(text, ':') == text.n && !host_ends_in(text))
            continue; /* still the scheme */
        if (!inside && !find_host(text, &text))
            return 0;
        if (host_ends_in(text))
            return variables;
        inside = true;
    }
    return variables;
}

const char *template_host_fault(const struct template *uri)
{
    return (template_host_variables(uri) & ~VARS_LIST) == 0
               ? NULL
               : "has a value of the message or the recipient where the host name stands (expected "
                 "it behind a \"/\")";
}

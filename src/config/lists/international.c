/* international - see international.h */
#include "config/lists/international.h"

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

/* international - see international.h */
#include "config/international.h"

#include "mail/address.h"
#include "spec/iri.h"
#include "text/ascii.h"
#include "text/strbuf.h"

/* May the two forms of the domain differ? Nearly none of 100,000 addresses are looked at closer. */
static bool is_international(struct span domain)
{
    static const char prefix[] = "xn--"; /* of an A-label */
    for (size_t i = 0; i < domain.n; i++) {
        if ((unsigned char)domain.p[i] >= 0x80)
            return true;
        if (domain.p[i] == '-' && i >= 3 && domain.p[i - 1] == '-' &&
            span_starts_nocase(span_sub(domain, i - 3, 4), span_cstr(prefix)))
            return true;
    }
    return false;
}

/* Adds local@domain unless it is there. 0 or -1 (memory). */
static int add_form(struct address_forms *out, struct span local, struct span domain,
                    struct arena *arena)
{
    struct strbuf form = STRBUF_INIT;
    strbuf_add_span(&form, local);
    strbuf_add_char(&form, '@');
    strbuf_add_span(&form, domain);
    int result = strbuf_failed(&form) ? -1 : 0;
    bool known = false;
    for (size_t i = 0; result == 0 && i < out->count; i++)
        known = known || span_eq_nocase(out->forms[i], strbuf_span(&form));
    if (result == 0 && !known) {
        out->forms[out->count] = arena_dup(arena, strbuf_span(&form));
        result = out->forms[out->count].p == NULL ? -1 : 0;
        out->count++;
    }
    strbuf_free(&form);
    return result;
}

int address_forms(struct span address, struct arena *arena, struct address_forms *out,
                  const char **fault)
{
    struct span local = address_local(address);
    struct span domain = address_domain(address);
    struct span ascii;
    struct span unicode;
    *out = (struct address_forms){.forms = {address}, .count = 1};
    if (!is_international(domain))
        return 0;
    int result = domain_to_ascii(domain, arena, &ascii, fault);
    if (result != 0)
        return result;
    if (domain_to_unicode(ascii, arena, &unicode) != 0)
        return -1;
    if (!span_eq(ascii, domain))
        out->ascii_domain = ascii;
    if (add_form(out, local, ascii, arena) != 0)
        return -1;
    return add_form(out, local, unicode, arena);
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

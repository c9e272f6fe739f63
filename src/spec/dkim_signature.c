/* dkim_signature - see dkim_signature.h. Skips text that is no tag. */
#include "spec/dkim_signature.h"

#include "mail/address.h"

#include <string.h>

/* tag-list = tag-spec *( ";" tag-spec ) [ ";" ]                  RFC 6376 3.2
 * tag-spec = [FWS] tag-name [FWS] "=" [FWS] tag-value [FWS]
 *
 * Returns the value of the first tag of that name, letter case included, without FWS at its ends;
 * empty if there is none. */
static struct span tag_value(struct span value, const char *tag)
{
    while (value.n > 0) {
        struct span spec = span_sub(value, 0, span_find(value, ';'));
        size_t equals = span_find(spec, '=');
        if (equals < spec.n && span_eq(span_trim(span_sub(spec, 0, equals)), span_cstr(tag)))
            return span_trim(span_sub(spec, equals + 1, spec.n));
        value = span_sub(value, spec.n + 1, value.n);
    }
    return span_sub(value, 0, 0);
}

/* sig-h-tag = %x68 [FWS] "=" [FWS] hdr-name *( [FWS] ":" [FWS] hdr-name )      3.5 */
void dkim_signed_counts(struct span value, size_t counts[FIELD_NAME_COUNT])
{
    struct span names = tag_value(value, "h");
    memset(counts, 0, FIELD_NAME_COUNT * sizeof *counts);
    while (names.n > 0) {
        struct span one = span_sub(names, 0, span_find(names, ':'));
        counts[field_name_find(span_trim(one))]++;
        names = span_sub(names, one.n + 1, names.n);
    }
    counts[FIELD_OTHER] = 0;
}

/* sig-d-tag = %x64 [FWS] "=" [FWS] domain-name                     3.5 */
struct span dkim_domain(struct span value)
{
    return tag_value(value, "d");
}

bool dkim_is_aligned(struct span signer, struct span author)
{
    struct span longer = signer.n >= author.n ? signer : author;
    struct span shorter = signer.n >= author.n ? author : signer;
    bool has_two_labels = span_find(shorter, '.') < shorter.n && longer.n > shorter.n + 1;
    return address_domain_is_within(longer, shorter) && (has_two_labels || longer.n == shorter.n);
}

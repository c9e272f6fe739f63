/* dkim_signature - see dkim_signature.h. Text that is no tag is skipped: for a lenient reader an
 * edit still breaks such a signature. */
#include "spec/dkim_signature.h"

#include "text/ascii.h"
#include "text/cursor.h"

#include <string.h>

/*
 *   tag-list = tag-spec *( ";" tag-spec ) [ ";" ]                  RFC 6376 3.2
 *   tag-spec = [FWS] tag-name [FWS] "=" [FWS] tag-value [FWS]
 *
 * Tag names are compared with their letter case. A tag must not stand twice; the first counts. The
 * value of the tag, FWS at its ends off; empty when there is none.
 */
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

/* longer = 1*( label "." ) shorter */
static bool is_below(struct span longer, struct span shorter)
{
    size_t at = longer.n - shorter.n;
    return at > 1 && longer.p[at - 1] == '.' && span_find(shorter, '.') < shorter.n &&
           span_eq_nocase(span_sub(longer, at, longer.n), shorter);
}

bool dkim_is_aligned(struct span signer, struct span author)
{
    if (signer.n == 0 || author.n == 0)
        return false;
    if (signer.n == author.n)
        return span_eq_nocase(signer, author);
    return signer.n > author.n ? is_below(signer, author) : is_below(author, signer);
}

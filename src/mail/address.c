/* address - see address.h */
#include "mail/address.h"

struct span address_before_delimiter(struct span local, struct span delimiters)
{
    static const char *const whole[] = {"postmaster", "mailer-daemon", "double-bounce"};
    size_t end = 1;
    for (size_t i = 0; i < sizeof whole / sizeof whole[0]; i++)
        if (span_eq_nocase(local, span_cstr(whole[i])))
            return local;
    if (span_find(delimiters, '-') < delimiters.n &&
        (span_starts_nocase(local, span_cstr("owner-")) ||
         span_ends_nocase(local, span_cstr("-request"))))
        return local;
    /* An address that begins with a delimiter has a name, too. */
    while (end < local.n && span_find(delimiters, local.p[end]) == delimiters.n)
        end++;
    return span_sub(local, 0, end);
}

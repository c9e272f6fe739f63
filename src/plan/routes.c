/* routes - see recipient.h: the address behind the routes that MTAs follow (RULINGS 110) */
#include "plan/recipient.h"

#include "mail/address.h"
#include "spec/iri.h"

/* Undoes "a@b"@c, or a%b@c: the domain follows the first mark, up to the next one. MTAs undo the
 * last mark first, again and again. */
static void undo_mark(struct address *a, char mark)
{
    size_t end = span_find(a->local, mark);
    if (end == a->local.n)
        return;
    struct span rest = span_sub(a->local, end + 1, a->local.n);
    a->domain = span_sub(rest, 0, span_find(rest, mark));
    a->local.n = end;
}

/* Undoes b!a@c: the domain is before the last "!", after the one before it. */
static void undo_bangs(struct address *a)
{
    size_t end = span_find_last(a->local, '!');
    if (end == a->local.n)
        return;
    struct span before = span_sub(a->local, 0, end);
    size_t begin = span_find_last(before, '!');
    a->domain = begin < end ? span_sub(before, begin + 1, end) : before;
    a->local = span_sub(a->local, end + 1, a->local.n);
}

struct address recipient_address(struct span mailbox, struct arena *arena)
{
    struct address a = {address_local(mailbox), address_domain(mailbox)};
    struct span ascii;
    undo_mark(&a, '@');
    undo_bangs(&a);
    undo_mark(&a, '%');
    while (a.domain.n > 0 && a.domain.p[a.domain.n - 1] == '.')
        a.domain.n--; /* Sendmail takes several */
    if (!span_is_ascii(a.domain) && domain_to_ascii(a.domain, arena, &ascii) == NULL)
        a.domain = ascii;
    return a;
}

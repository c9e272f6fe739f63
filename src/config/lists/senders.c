/* senders - the list that an address is derived from (RULINGS 19, 69, 75, 100, 112, 113); see
 * list_index.h */
#include "config/lists/list.h"
#include "config/lists/list_index.h"
#include "mail/address.h"

static const struct span owner = {"owner-", 6};

/* True if LOCAL@DOMAIN is derived from an address. */
static bool is_derived_from(struct span local, struct span domain, struct span address)
{
    size_t at = span_find_last(address, '@');
    struct span base = span_sub(address, 0, at), after = span_sub(local, at, local.n);
    if (at == 0 || domain.n == 0 || !span_eq_nocase(domain, span_sub(address, at + 1, address.n)))
        return false;
    if (after.n > 0 && (after.p[0] == '-' || after.p[0] == '+') && span_starts_nocase(local, base))
        return true;
    return span_starts_nocase(local, owner) &&
           span_eq_nocase(span_sub(local, owner.n, local.n), base);
}

size_t list_derives(const struct list *list, struct span local, struct span domain)
{
    size_t longest = is_derived_from(local, domain, list->mailbox) ? list->mailbox.n : 0;
    for (size_t i = 0; i < list->alias_count; i++)
        if (list->aliases[i].n > longest && is_derived_from(local, domain, list->aliases[i]))
            longest = list->aliases[i].n;
    return longest;
}

size_t list_derives_sender(const struct list *list, struct span sender)
{
    return list_derives(list, address_local(sender), address_domain(sender));
}

const struct list *list_contact_at(const struct list_index *index, struct span local,
                                   struct span domain)
{
    const struct list *list = list_at(index, LIST_BY_ANY_COMMAND, local, domain);
    return list != NULL && list_derives(list, local, domain) > 0 ? list : NULL;
}

/* Returns how many characters of its local part an entry of `senders` has besides "*" if the sender
 * fits, else 0. */
static size_t pattern_length(struct span pattern, struct span sender)
{
    size_t star = span_find(pattern, '*');
    struct span before = span_sub(pattern, 0, star), after = span_sub(pattern, star + 1, pattern.n);
    if (star == pattern.n || sender.n < pattern.n || !span_starts_nocase(sender, before) ||
        !span_ends_nocase(sender, after))
        return 0;
    struct span any = span_sub(sender, before.n, sender.n - before.n - after.n);
    return span_find(any, '@') == any.n ? address_local(pattern).n - 1 : 0;
}

/* Returns the length of the longest local part by which the list has the sender, or 0. */
static size_t length_for(const struct list *list, struct span sender)
{
    size_t longest = list_derives_sender(list, sender);
    longest -= longest > 0 ? address_domain(sender).n + 1 : 0;
    for (size_t i = 0; i < list->sender_count; i++) {
        size_t length = pattern_length(list_senders(list)[i], sender);
        longest = length > longest ? length : longest;
    }
    return longest;
}

/* Returns the list at an address, or NULL. by_sender: only if it has select = "sender" without
 * `senders`. */
static const struct list *base_at(const struct list_index *index, bool by_sender, struct span local,
                                  struct span domain)
{
    const struct list *list = list_at(index, LIST_BY_ADDRESS, local, domain);
    bool counts =
        !by_sender || (list != NULL && list->select == SELECT_SENDER && list->sender_count == 0);
    return counts ? list : NULL;
}

/* Returns the list with the longest local part that the sender is derived from, and sets *length to
 * that of the local part. owner-dev-bounces is derived from dev-bounces, from owner-dev and from
 * owner. X of owner-X is tried before a prefix of the same length. */
static const struct list *find_derived(const struct list_index *index, bool by_sender,
                                       struct span sender, size_t *length)
{
    const struct list *list = NULL;
    struct span local = address_local(sender), domain = address_domain(sender);
    size_t after_owner = span_starts_nocase(local, owner) ? local.n - owner.n : 0;
    size_t n = domain.n > 0 ? local.n : 0;
    while (n-- > 0 && list == NULL) {
        if (n == after_owner && n > 0)
            list = base_at(index, by_sender, span_sub(local, owner.n, n), domain);
        if (list == NULL && (local.p[n] == '-' || local.p[n] == '+'))
            list = base_at(index, by_sender, span_sub(local, 0, n), domain);
        *length = n;
    }
    return list;
}

bool list_sender_is_others(const struct list_index *index, const struct list *list,
                           struct span sender)
{
    size_t length = 0;
    struct span local = address_local(sender), domain = address_domain(sender);
    const struct list *others[] = {list_get(index, LIST_BY_ADDRESS, sender),
                                   list_get(index, LIST_BY_ADDRESS, local),
                                   list_contact_at(index, local, domain)};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (others[i] != NULL && others[i] != list)
            return true;
    const struct list *other = find_derived(index, false, sender, &length);
    return other != NULL && other != list && length > length_for(list, sender);
}

const struct list *list_by_sender(const struct list_index *index, struct span sender)
{
    size_t longest = 0;
    const struct list *best = list_get(index, LIST_BY_SENDER, sender);
    if (best != NULL && best->select == SELECT_SENDER && span_find(sender, '*') == sender.n)
        return best;
    best = find_derived(index, true, sender, &longest);
    if (best == NULL || list_sender_is_others(index, best, sender)) {
        best = NULL;
        longest = 0;
    }
    for (size_t i = 0; i < index->pattern_count; i++) {
        const struct sender_pattern *pattern = &index->patterns[i];
        size_t length = pattern_length(pattern->text, sender);
        if (length <= longest || list_sender_is_others(index, pattern->list, sender))
            continue;
        longest = length;
        best = pattern->list;
    }
    return best;
}

bool list_has_sender(const struct list_index *index, const struct list *list, struct span sender)
{
    for (size_t i = 0; i < list->sender_count; i++) {
        struct span entry = list_senders(list)[i];
        if (span_find(entry, '*') == entry.n && span_eq_nocase(entry, sender))
            return true;
    }
    return length_for(list, sender) > 0 && !list_sender_is_others(index, list, sender);
}

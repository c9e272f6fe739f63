/* list_index - maps from ids and addresses to lists; derived senders by their prefixes. */
#include "config/lists/list_index.h"

#include "config/lists/list.h"
#include "mail/address.h"

#include <stdlib.h>
#include <string.h>

void list_index_init(struct list_index *index, uint64_t seed)
{
    memset(index, 0, sizeof *index);
    strmap_init(&index->by_id, seed);
    strmap_init(&index->by_address, seed);
    strmap_init(&index->by_name, seed);
    strmap_init(&index->shared_names, seed);
    strmap_init(&index->by_command_address, seed);
    strmap_init(&index->by_from_address, seed);
    strmap_init(&index->by_always_address, seed);
    strmap_init(&index->by_sender, seed);
}

void list_index_free(struct list_index *index)
{
    if (index == NULL)
        return;
    free(index->lists);
    strmap_free(&index->by_id);
    strmap_free(&index->by_address);
    strmap_free(&index->by_name);
    strmap_free(&index->shared_names);
    strmap_free(&index->by_command_address);
    strmap_free(&index->by_from_address);
    strmap_free(&index->by_always_address);
    strmap_free(&index->by_sender);
    index->lists = NULL;
    index->count = 0;
    index->capacity = 0;
}

static int append(struct list_index *index, struct list *list)
{
    if (index->count == index->capacity) {
        size_t capacity = index->capacity == 0 ? 64 : index->capacity * 2;
        struct list **lists = realloc(index->lists, capacity * sizeof(struct list *));
        if (lists == NULL)
            return -1;
        index->lists = lists;
        index->capacity = capacity;
    }
    index->lists[index->count++] = list;
    return 0;
}

/* 0: key leads to list now, or did already. */
static int put(struct strmap *map, struct span key, struct list *list, struct list **other)
{
    void *present = NULL;
    int result = strmap_put(map, key, list, &present);
    if (result != 1)
        return result;
    if (present == list)
        return 0;
    *other = present;
    return 1;
}

/* The same, unless key leads to another list in the map beside it. */
static int put_beside(struct strmap *map, const struct strmap *beside, struct span key,
                      struct list *list, struct list **other)
{
    struct list *present = strmap_get(beside, key);
    if (present == NULL || present == list)
        return put(map, key, list, other);
    *other = present;
    return 1;
}

int list_index_add(struct list_index *index, struct list *list, struct list **other)
{
    int result = put(&index->by_id, list->id, list, other);
    if (result != 0)
        return result;
    if (list->select == SELECT_RECIPIENT)
        index->recipient_lists++;
    return append(index, list);
}

int list_index_add_address(struct list_index *index, struct span address, struct list *list,
                           struct list **other)
{
    int result = put(&index->by_address, address, list, other);
    if (result == 0 && list->select == SELECT_SENDER && !list->has_senders)
        index->derives_senders = true;
    return result;
}

int list_index_add_name(struct list_index *index, struct span name, struct list *list)
{
    struct list *other = NULL;
    int result = put(&index->by_name, name, list, &other);
    if (result == 1)
        result = put(&index->shared_names, name, list, &other);
    return result < 0 ? -1 : 0;
}

int list_index_add_command_address(struct list_index *index, struct span address, struct list *list,
                                   struct list **other)
{
    return put_beside(&index->by_command_address, &index->by_from_address, address, list, other);
}

int list_index_add_from_address(struct list_index *index, struct span address, struct list *list,
                                struct list **other)
{
    size_t n = address_local(address).n;
    if (n > index->longest_from_local)
        index->longest_from_local = n;
    return put_beside(&index->by_from_address, &index->by_command_address, address, list, other);
}

int list_index_add_always_address(struct list_index *index, struct span address, struct list *list)
{
    struct list *other = NULL;
    return put(&index->by_always_address, address, list, &other) < 0 ? -1 : 0;
}

int list_index_add_sender(struct list_index *index, struct span address, struct list *list,
                          struct list **other)
{
    return put(&index->by_sender, address, list, other);
}

const struct list *list_by_id(const struct list_index *index, struct span id)
{
    return strmap_get(&index->by_id, id);
}

const struct list *list_by_address(const struct list_index *index, struct span address)
{
    return strmap_get(&index->by_address, address);
}

const struct list *list_by_name(const struct list_index *index, struct span name)
{
    const struct list *list = strmap_get(&index->by_address, name);
    if (list != NULL || strmap_get(&index->shared_names, name) != NULL)
        return list;
    return strmap_get(&index->by_name, name);
}

const struct list *list_by_command_address(const struct list_index *index, struct span address)
{
    return strmap_get(&index->by_command_address, address);
}

const struct list *list_by_from_address(const struct list_index *index, struct span address)
{
    return strmap_get(&index->by_from_address, address);
}

/* local@domain; empty when there is no local part, or it is longer than any list's address. */
static struct span join(struct span local, struct span domain, char room[LIST_ADDRESS_MAX])
{
    if (local.n == 0 || domain.n > LIST_ADDRESS_MAX - 1 ||
        local.n > LIST_ADDRESS_MAX - 1 - domain.n)
        return span_of("", 0);
    memcpy(room, local.p, local.n);
    room[local.n] = '@';
    memcpy(room + local.n + 1, domain.p, domain.n);
    return span_of(room, local.n + 1 + domain.n);
}

/* The list that the address local@domain leads to. */
static const struct list *list_at(const struct strmap *addresses, struct span local,
                                  struct span domain)
{
    char room[LIST_ADDRESS_MAX];
    struct span address = join(local, domain, room);
    return address.n > 0 ? strmap_get(addresses, address) : NULL;
}

const struct list *list_at_address(const struct list_index *index, struct span local,
                                   struct span domain)
{
    return list_at(&index->by_address, local, domain);
}

/* The one with that address if envelope senders may be derived from it. */
static const struct list *deriving_list(const struct list_index *index, struct span local,
                                        struct span domain)
{
    const struct list *list = list_at_address(index, local, domain);
    if (list == NULL || list->select != SELECT_SENDER || list->has_senders)
        return NULL;
    return list;
}

const struct list *list_by_sender(const struct list_index *index, struct span sender)
{
    static const char owner[] = "owner-";
    const struct list *list = strmap_get(&index->by_sender, sender);
    struct span local = address_local(sender);
    struct span domain = address_domain(sender);
    if (list != NULL || !index->derives_senders || domain.n == 0)
        return list;

    /* The longest local part wins (RULINGS 75): owner-dev-bounces is derived from dev-bounces, from
     * owner-dev and from owner. X of owner-X is tried before a prefix of the same length. */
    size_t behind_owner = 0;
    if (span_starts_nocase(local, span_cstr(owner)))
        behind_owner = local.n - (sizeof owner - 1);
    for (size_t n = local.n; n-- > 0 && list == NULL;) {
        if (n == behind_owner && n > 0)
            list = deriving_list(index, span_sub(local, sizeof owner - 1, n), domain);
        if (list == NULL && (local.p[n] == '-' || local.p[n] == '+'))
            list = deriving_list(index, span_sub(local, 0, n), domain);
    }
    return list;
}

/* The list of an address that stands before a "+" in this one's local part. */
static const struct list *by_token(const struct list_index *index, const struct strmap *addresses,
                                   struct span address, const struct list *wanted)
{
    struct span local = address_local(address);
    struct span domain = address_domain(address);
    /* From may be long and all "+": 1 MB of it took 0.4 s without this bound. */
    size_t n = index->longest_from_local + 1 < local.n ? index->longest_from_local + 1 : local.n;
    while (n-- > 0) {
        if (local.p[n] != '+')
            continue;
        const struct list *list = list_at(addresses, span_sub(local, 0, n), domain);
        if (list != NULL && (wanted == NULL || list == wanted))
            return list;
    }
    return NULL;
}

const struct list *list_by_from_token(const struct list_index *index, struct span address,
                                      const struct list *wanted)
{
    return by_token(index, &index->by_from_address, address, wanted);
}

bool list_always_commands(const struct list_index *index, const struct list *list,
                          struct span address)
{
    return strmap_get(&index->by_always_address, address) == list ||
           by_token(index, &index->by_always_address, address, list) != NULL;
}

static bool is_derived_from(struct span sender, struct span address)
{
    struct span local = address_local(sender);
    struct span list_local = address_local(address);
    struct span domain = address_domain(address);
    if (list_local.n == 0 || domain.n == 0 || !span_eq_nocase(address_domain(sender), domain))
        return false;
    if (local.n > list_local.n && span_starts_nocase(local, list_local))
        if (local.p[list_local.n] == '-' || local.p[list_local.n] == '+')
            return true;
    struct span owner = span_cstr("owner-");
    return span_starts_nocase(local, owner) &&
           span_eq_nocase(span_sub(local, owner.n, local.n), list_local);
}

size_t list_derives_sender(const struct list *list, struct span sender)
{
    size_t longest = is_derived_from(sender, list->mailbox) ? list->mailbox.n : 0;
    for (size_t i = 0; i < list->alias_count; i++)
        if (list->aliases[i].n > longest && is_derived_from(sender, list->aliases[i]))
            longest = list->aliases[i].n;
    return longest;
}

/* list_index - see list_index.h */
#include "config/lists/list_index.h"

#include "config/lists/list.h"
#include "mail/address.h"
#include "text/memory.h"

#include <stdlib.h>
#include <string.h>

void list_index_init(struct list_index *index, uint64_t seed)
{
    *index = (struct list_index){.count = 0};
    for (int way = 0; way < LIST_WAYS; way++)
        strmap_init(&index->ways[way], seed);
}

void list_index_free(struct list_index *index)
{
    free(index->lists);
    free(index->keys);
    for (int way = 0; way < LIST_WAYS; way++)
        strmap_free(&index->ways[way]);
    *index = (struct list_index){.count = 0};
}

const struct list *list_get(const struct list_index *index, enum list_way way, struct span text)
{
    return strmap_get(&index->ways[way], text);
}

struct list *list_index_add(struct list_index *index, struct list *list)
{
    struct list *other = list_index_put(index, LIST_BY_ID, list->id, list);
    if (other != NULL)
        return other;
    index->recipient_lists += list->select == SELECT_RECIPIENT ? 1 : 0;
    index->lists = array_grow(index->lists, index->count, &index->capacity, sizeof list);
    index->lists[index->count++] = list;
    return NULL;
}

struct list *list_index_put(struct list_index *index, enum list_way way, struct span text,
                            struct list *list)
{
    enum list_way other_kind = way == LIST_BY_COMMAND        ? LIST_BY_COMMAND_FROM
                               : way == LIST_BY_COMMAND_FROM ? LIST_BY_COMMAND
                                                             : way;
    void *present = strmap_get(&index->ways[other_kind], text);
    bool is_new =
        (present == NULL || present == list) && strmap_put(&index->ways[way], text, list, &present);
    if (is_new && index->has_mark) {
        index->keys =
            array_grow(index->keys, index->key_count, &index->key_capacity, sizeof *index->keys);
        index->keys[index->key_count++] = (struct list_key){way, text};
    }
    if (way == LIST_BY_COMMAND_FROM && address_local(text).n > index->longest_from_local)
        index->longest_from_local = address_local(text).n;
    if (present == NULL || present == list || way == LIST_BY_SHARED_NAME)
        return NULL;
    return way == LIST_BY_NAME ? list_index_put(index, LIST_BY_SHARED_NAME, text, list) : present;
}

size_t list_index_mark(struct list_index *index)
{
    index->key_count = 0;
    index->has_mark = true;
    return index->count;
}

void list_index_rewind(struct list_index *index, size_t count)
{
    while (index->key_count > 0) {
        const struct list_key *key = &index->keys[--index->key_count];
        strmap_remove(&index->ways[key->way], key->text);
    }
    while (index->count > count)
        index->recipient_lists -= index->lists[--index->count]->select == SELECT_RECIPIENT ? 1 : 0;
}

const struct list *list_by_name(const struct list_index *index, struct span name)
{
    const struct list *list = list_get(index, LIST_BY_ADDRESS, name);
    if (list != NULL || list_get(index, LIST_BY_SHARED_NAME, name) != NULL)
        return list;
    return list_get(index, LIST_BY_NAME, name);
}

const struct list *list_at(const struct list_index *index, enum list_way way, struct span local,
                           struct span domain)
{
    char room[LIST_ADDRESS_MAX];
    if (local.n == 0 || domain.n >= sizeof room || local.n >= sizeof room - domain.n)
        return NULL;
    memcpy(room, local.p, local.n);
    room[local.n] = '@';
    memcpy(room + local.n + 1, domain.p, domain.n);
    return list_get(index, way, span_of(room, local.n + 1 + domain.n));
}

/* Returns the list with that address if envelope senders may be derived from it. */
static const struct list *deriving_list(const struct list_index *index, struct span local,
                                        struct span domain)
{
    const struct list *list = list_at(index, LIST_BY_ADDRESS, local, domain);
    return list != NULL && list->select == SELECT_SENDER && !list->has_senders ? list : NULL;
}

const struct list *list_by_sender(const struct list_index *index, struct span sender)
{
    static const char owner[] = "owner-";
    const struct list *list = list_get(index, LIST_BY_SENDER, sender);
    if (list != NULL && list->select != SELECT_SENDER)
        list = NULL; /* its `senders` are for {recipient_token} alone */
    struct span local = address_local(sender);
    struct span domain = address_domain(sender);
    if (list != NULL || domain.n == 0)
        return list;

    /* The longest local part wins (RULINGS 75): owner-dev-bounces is derived from dev-bounces, from
     * owner-dev and from owner. X of owner-X is tried before a prefix of the same length. */
    size_t after_owner = 0;
    if (span_starts_nocase(local, span_cstr(owner)))
        after_owner = local.n - (sizeof owner - 1);
    for (size_t n = local.n; n-- > 0 && list == NULL;) {
        if (n == after_owner && n > 0)
            list = deriving_list(index, span_sub(local, sizeof owner - 1, n), domain);
        if (list == NULL && (local.p[n] == '-' || local.p[n] == '+'))
            list = deriving_list(index, span_sub(local, 0, n), domain);
    }
    return list;
}

const struct list *list_by_token(const struct list_index *index, enum list_way way,
                                 struct span address, const struct list *wanted)
{
    struct span local = address_local(address);
    struct span domain = address_domain(address);
    /* From may be long and all "+": 1 MB of it took 0.4 s without this bound. */
    size_t n = index->longest_from_local + 1 < local.n ? index->longest_from_local + 1 : local.n;
    while (n-- > 0) {
        if (local.p[n] != '+')
            continue;
        const struct list *list = list_at(index, way, span_sub(local, 0, n), domain);
        if (list != NULL && (wanted == NULL || list == wanted))
            return list;
    }
    return NULL;
}

bool list_always_commands(const struct list_index *index, const struct list *list,
                          struct span address)
{
    return list_get(index, LIST_BY_COMMAND_ALWAYS, address) == list ||
           list_by_token(index, LIST_BY_COMMAND_ALWAYS, address, list) != NULL;
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

bool list_has_sender(const struct list_index *index, const struct list *list, struct span sender)
{
    return list_get(index, LIST_BY_SENDER, sender) == list || list_derives_sender(list, sender) > 0;
}

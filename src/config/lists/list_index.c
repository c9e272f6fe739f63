/* list_index - see list_index.h; senders.c has the list of a sender, names.c the names of mailboxes
 */
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
    free(index->patterns);
    for (int way = 0; way < LIST_WAYS; way++)
        strmap_free(&index->ways[way]);
    *index = (struct list_index){.count = 0};
}

static struct list *get(const struct list_index *index, enum list_way way, struct span text)
{
    if (way == LIST_BY_ANY_COMMAND) {
        struct list *list = get(index, LIST_BY_COMMAND, text);
        return list != NULL ? list : get(index, LIST_BY_COMMAND_FROM, text);
    }
    struct list *list = strmap_get(&index->ways[way], text);
    return list == NULL && index->others != NULL ? strmap_get(&index->others->ways[way], text)
                                                 : list;
}

const struct list *list_get(const struct list_index *index, enum list_way way, struct span text)
{
    return get(index, way, text);
}

static void append(struct list_index *index, struct list *list)
{
    list->number = (uint32_t)index->count;
    index->recipient_lists += list->select == SELECT_RECIPIENT ? 1 : 0;
    index->lists = array_grow(index->lists, index->count, &index->capacity, sizeof list);
    index->lists[index->count++] = list;
}

struct list *list_index_add(struct list_index *index, struct list *list)
{
    struct list *other = list_index_put(index, LIST_BY_ID, list->id, list);
    if (other == NULL)
        append(index, list);
    return other;
}

struct list *list_index_put(struct list_index *index, enum list_way way, struct span text,
                            struct list *list)
{
    void *present = NULL;
    if (way == LIST_BY_COMMAND || way == LIST_BY_COMMAND_FROM)
        present = get(index, LIST_BY_ANY_COMMAND, text);
    else if (index->others != NULL)
        present = strmap_get(&index->others->ways[way], text);
    if (present == NULL || present == list)
        (void)strmap_put(&index->ways[way], text, list, &present);
    return present != list ? present : NULL;
}

static void append_pattern(struct list_index *index, struct sender_pattern pattern)
{
    index->patterns =
        array_grow(index->patterns, index->pattern_count, &index->pattern_capacity, sizeof pattern);
    index->patterns[index->pattern_count++] = pattern;
}

bool list_index_add_pattern(struct list_index *index, struct span text, const struct list *list)
{
    size_t count = 0;
    for (const struct list_index *at = index; at != NULL; at = at->others)
        for (size_t i = at->pattern_count; i > 0; i--, count++)
            if (!list_has_same_owner(at->patterns[i - 1].list, list))
                break; /* the lists of an owner follow one another */
    if (count >= LIST_PATTERNS_MAX)
        return false;
    append_pattern(index, (struct sender_pattern){text, list});
    return true;
}

void list_index_join(struct list_index *index, const struct list_index *from)
{
    for (int way = 0; way < LIST_WAYS; way++)
        strmap_join(&index->ways[way], &from->ways[way]);
    for (size_t i = 0; i < from->count; i++)
        append(index, from->lists[i]);
    for (size_t i = 0; i < from->pattern_count; i++)
        append_pattern(index, from->patterns[i]);
}

size_t list_index_bytes(const struct list_index *index)
{
    size_t keys = 0;
    for (int way = 0; way < LIST_WAYS; way++)
        keys += index->ways[way].count;
    return keys * STRMAP_KEY_BYTES + index->count * sizeof *index->lists +
           index->pattern_count * sizeof *index->patterns;
}

const struct list *list_by_name(const struct list_index *index, struct span name)
{
    const struct list *list = list_get(index, LIST_BY_ADDRESS, name);
    if (list != NULL)
        return list;
    list = list_get(index, LIST_BY_NAME, name);
    return list != NULL && !list->has_bare_name && !list->shares_name ? list : NULL;
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

const struct list *list_by_token(const struct list_index *index, enum list_way way,
                                 struct span address, const struct list *wanted)
{
    struct span local = address_local(address);
    struct span domain = address_domain(address);
    /* From may be long and all "+": 1 MB of it took 0.4 s without this bound. */
    size_t n = local.n < LIST_ADDRESS_MAX ? local.n : LIST_ADDRESS_MAX;
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

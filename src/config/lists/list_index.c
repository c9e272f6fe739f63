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
    strmap_init(&index->contested, seed);
}

void list_index_free(struct list_index *index)
{
    free(index->lists);
    free(index->patterns);
    strmap_free(&index->contested);
    for (int way = 0; way < LIST_WAYS; way++)
        strmap_free(&index->ways[way]);
    *index = (struct list_index){.count = 0};
}

static struct list *get(const struct list_index *index, enum list_way way, struct span text)
{
    struct list *list = strmap_get(&index->ways[way], text);
    return list == NULL && index->others != NULL ? strmap_get(&index->others->ways[way], text)
                                                 : list;
}

const struct list *list_get(const struct list_index *index, enum list_way way, struct span text)
{
    return get(index, way, text);
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
    struct list *present = get(index, other_kind, text);
    if ((present == NULL || present == list) && way != other_kind)
        present = get(index, way, text);
    if (present != NULL)
        return present != list ? present : NULL;
    (void)strmap_put(&index->ways[way], text, list, NULL);
    if (way == LIST_BY_COMMAND_FROM && address_local(text).n > index->longest_from_local)
        index->longest_from_local = address_local(text).n;
    return NULL;
}

/* The lists with one name are a chain: the first in the configuration, then the others from the
 * last one on. A link is the number of a list, from 1. */
bool list_index_put_name(struct list_index *index, struct list *list)
{
    void *present = NULL;
    if (strmap_put(&index->ways[LIST_BY_NAME], address_local(list->mailbox), list, &present))
        return true;
    struct list *first = present;
    list->next_of_name = first->next_of_name;
    first->next_of_name = (uint32_t)index->count;
    return false;
}

void list_index_put_contact(struct list_index *index, struct span local, struct list *list)
{
    (void)list_index_put(
        index, list->select == SELECT_RECIPIENT ? LIST_BY_ALIAS_CONTACT_NAME : LIST_BY_CONTACT_NAME,
        local, list);
}

const struct list *list_next_of_name(const struct list_index *index, const struct list *list)
{
    return list->next_of_name > 0 ? index->lists[list->next_of_name - 1] : NULL;
}

/* Returns the number of patterns of the list's owner, whose lists follow one another. */
static size_t pattern_count(const struct list_index *index, const struct list *list)
{
    size_t before = index->pattern_count;
    while (before > 0 && list_has_same_owner(index->patterns[before - 1].list, list))
        before--;
    return index->pattern_count - before +
           (index->others != NULL ? pattern_count(index->others, list) : 0);
}

bool list_index_add_pattern(struct list_index *index, struct span text, const struct list *list)
{
    if (pattern_count(index, list) >= LIST_PATTERNS_MAX)
        return false;
    index->patterns = array_grow(index->patterns, index->pattern_count, &index->pattern_capacity,
                                 sizeof *index->patterns);
    index->patterns[index->pattern_count++] = (struct sender_pattern){text, list};
    return true;
}

void list_index_join(struct list_index *index, const struct list_index *from)
{
    for (int way = 0; way < LIST_WAYS; way++)
        strmap_join(&index->ways[way], &from->ways[way]);
    for (size_t i = 0; i < from->count; i++) {
        index->lists =
            array_grow(index->lists, index->count, &index->capacity, sizeof *index->lists);
        index->lists[index->count++] = from->lists[i];
    }
    for (size_t i = 0; i < from->pattern_count; i++) {
        index->patterns = array_grow(index->patterns, index->pattern_count,
                                     &index->pattern_capacity, sizeof *index->patterns);
        index->patterns[index->pattern_count++] = from->patterns[i];
    }
    index->recipient_lists += from->recipient_lists;
    if (from->longest_from_local > index->longest_from_local)
        index->longest_from_local = from->longest_from_local;
}

size_t list_index_bytes(const struct list_index *index)
{
    size_t bytes =
        index->count * sizeof *index->lists + index->pattern_count * sizeof *index->patterns;
    for (int way = 0; way < LIST_WAYS; way++)
        bytes += index->ways[way].count * STRMAP_KEY_BYTES;
    return bytes;
}

const struct list *list_by_name(const struct list_index *index, struct span name)
{
    const struct list *list = list_get(index, LIST_BY_ADDRESS, name), *only = NULL;
    if (list != NULL)
        return list;
    for (list = list_get(index, LIST_BY_NAME, name); list != NULL;
         list = list_next_of_name(index, list)) {
        if (!list->has_bare_name && only != NULL)
            return NULL;
        only = list->has_bare_name ? only : list;
    }
    return only;
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

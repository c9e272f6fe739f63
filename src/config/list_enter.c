/* list_enter - enters lists into the index, and says which other list is in the way. */
#include "config/list_draft.h"

#include <stdlib.h>

/* Where a list stands. Looks through all lists, and therefore not for more errors than are kept. */
static struct list_origin origin_of(const struct list_builder *b, const struct list *list)
{
    bool told = b->diagnostics->errors < b->origins_told;
    for (; told && b != NULL; b = b->in_force)
        for (size_t i = 0; i < b->settings->index.count; i++)
            if (b->settings->index.lists[i] == list)
                return b->origins[i];
    return (struct list_origin){.file = "?"};
}

int list_builder_line(const struct list_builder *b, size_t at)
{
    return b->origins[at].line;
}

typedef const struct list *(*index_find)(const struct list_index *index, struct span text);

/* In a trial: the list in force that stands in the way, or NULL. */
static const struct list *in_the_way(const struct list_draft *draft, index_find find,
                                     struct span text)
{
    const struct list_builder *in_force = draft->builder->in_force;
    return in_force != NULL ? find(&in_force->settings->index, text) : NULL;
}

static void complain_duplicate(struct list_draft *draft, int line, const char *key,
                               struct span value, const char *as, const struct list *other)
{
    const struct list_builder *b = draft->builder;
    struct list_origin origin = origin_of(b, other);
    struct shown shown;
    struct shown id;
    diagnostics_add(b->diagnostics, SEVERITY_ERROR, draft->raw->file, line,
                    "%s: \"%s\" %s list \"%s\" already (%s:%d)", key, shown_text(value, &shown), as,
                    shown_text(other->id, &id), origin.file, origin.line);
    draft->wrong = true;
}

static bool reserve_origin(struct list_builder *b)
{
    size_t count = b->settings->index.count;
    if (count < b->origin_capacity)
        return true;
    size_t capacity = count == 0 ? 64 : count * 2;
    struct list_origin *origins = realloc(b->origins, capacity * sizeof *origins);
    if (origins == NULL)
        return false;
    b->origins = origins;
    b->origin_capacity = capacity;
    return true;
}

int draft_enter_id(struct list_draft *draft)
{
    struct list_builder *b = draft->builder;
    struct list_index *index = &b->settings->index;
    struct list *other;
    const struct list *in_force = in_the_way(draft, list_by_id, draft->list->id);
    if (in_force != NULL) {
        complain_duplicate(draft, draft->raw->line, "list", draft->list->id, "is the id of",
                           in_force);
        return 1;
    }
    if (!reserve_origin(b))
        return -1;
    int result = list_index_add(index, draft->list, &other);
    if (result == 0)
        b->origins[index->count - 1] = (struct list_origin){
            draft->raw->file, draft->raw->line,
            draft_is_own(draft, KEY_PARENTS) ? draft_line(draft, KEY_PARENTS) : 0, b->delegate};
    if (result == 1)
        complain_duplicate(draft, draft->raw->line, "list", draft->list->id, "is the id of", other);
    return result;
}

int draft_line(const struct list_draft *draft, enum key key)
{
    const struct raw_value *value = &draft->raw->values[key];
    return value->set && value->count > 0 ? value->items[0].line : draft->raw->line;
}

typedef int (*index_add)(struct list_index *index, struct span address, struct list *list,
                         struct list **other);

/* Mail may come to any form of an address. 0; 1: *other has one of them already; -1. */
static int enter_forms(struct list_draft *draft, index_add add, index_find find,
                       const struct address_forms *forms, const struct list **other)
{
    struct list *present = NULL;
    int result = 0;
    for (size_t i = 0; i < forms->count; i++) {
        *other = in_the_way(draft, find, forms->forms[i]);
        if (*other != NULL)
            return 1;
    }
    for (size_t i = 0; i < forms->count && result == 0; i++)
        result = add(&draft->builder->settings->index, forms->forms[i], draft->list, &present);
    *other = present;
    return result;
}

/* The same for what may be the address of no list, or of no list manager: list_builder_finish sees
 * only what is entered for good. */
static bool crosses(struct list_draft *draft, enum key key, int line, index_find find,
                    const struct address_forms *forms, const char *as)
{
    for (size_t i = 0; i < forms->count; i++) {
        const struct list *other = in_the_way(draft, find, forms->forms[i]);
        if (other == NULL)
            continue;
        complain_duplicate(draft, line, schema[key].name, forms->forms[i], as, other);
        return true;
    }
    return false;
}

static const struct list *by_sender(const struct list_index *index, struct span sender)
{
    return strmap_get(&index->by_sender, sender);
}

static const struct list *by_command_or_from(const struct list_index *index, struct span address)
{
    const struct list *list = list_by_command_address(index, address);
    return list != NULL ? list : list_by_from_address(index, address);
}

static int enter_address(struct list_draft *draft)
{
    struct list *list = draft->list;
    const struct list *other;
    int line = draft_line(draft, KEY_ADDRESS);
    if (list->address.n == 0 || crosses(draft, KEY_ADDRESS, line, by_command_or_from,
                                        &draft->address, "is a command address of"))
        return 0;
    int result =
        enter_forms(draft, list_index_add_address, list_by_address, &draft->address, &other);
    if (result == 1)
        complain_duplicate(draft, line, "address", list->address, "is the address of", other);
    return result < 0 ? -1 : 0;
}

static int line_of_text(const struct list_draft *draft, const struct config_texts *texts, size_t i)
{
    return texts->from_defaults ? draft->raw->line : texts->items[i].raw.line;
}

static int enter_senders(struct list_draft *draft)
{
    struct list *list = draft->list;
    const struct config_texts *texts = draft_texts(draft, KEY_SENDERS);
    if (list->select != SELECT_SENDER) {
        if (texts->count > 0 && !texts->from_defaults)
            draft_wrong(draft, KEY_SENDERS, texts, &texts->items[0],
                        "has no effect here (expected select = \"sender\" in this list)");
        return 0;
    }
    list->has_senders = texts->count > 0;
    for (size_t i = 0; i < texts->count; i++) {
        struct address_forms forms;
        const struct list *other;
        int result = draft_bind_address(draft, KEY_SENDERS, texts, &texts->items[i], &forms);
        if (result == 1)
            continue;
        if (result == 0)
            result = enter_forms(draft, list_index_add_sender, by_sender, &forms, &other);
        if (result < 0)
            return -1;
        if (result == 1)
            complain_duplicate(draft, line_of_text(draft, texts, i), "senders", forms.forms[0],
                               "is a sender of", other);
    }
    return 0;
}

/* RULINGS 12 */
static int enter_command_addresses(struct list_draft *draft)
{
    struct list_builder *b = draft->builder;
    struct list *list = draft->list;
    const struct config_texts *texts = draft_texts(draft, KEY_COMMAND_ADDRESSES);
    if (texts->count == 0)
        return 0;
    struct span *addresses =
        arena_calloc(&b->settings->arena, texts->count, sizeof *list->command_addresses);
    if (addresses == NULL)
        return -1;
    list->command_addresses = addresses;
    for (size_t i = 0; i < texts->count; i++) {
        struct address_forms forms;
        const struct list *other;
        int result =
            draft_bind_address(draft, KEY_COMMAND_ADDRESSES, texts, &texts->items[i], &forms);
        if (result == 1 ||
            (result == 0 && crosses(draft, KEY_COMMAND_ADDRESSES, line_of_text(draft, texts, i),
                                    list_by_address, &forms, "is the address of")))
            continue;
        if (result == 0) {
            addresses[list->command_address_count++] = forms.forms[0];
            result = enter_forms(draft,
                                 texts->items[i].from_only ? list_index_add_from_address
                                                           : list_index_add_command_address,
                                 by_command_or_from, &forms, &other);
        }
        if (result < 0)
            return -1;
        if (result == 1)
            complain_duplicate(draft, line_of_text(draft, texts, i), "command_addresses",
                               forms.forms[0], "is a command address of", other);
    }
    return 0;
}

int draft_enter_addresses(struct list_draft *draft)
{
    if (enter_senders(draft) != 0 || enter_command_addresses(draft) != 0)
        return -1;
    return enter_address(draft);
}

void list_builder_finish(struct list_builder *b)
{
    const struct list_index *index = &b->settings->index;
    for (; b->finished < index->count; b->finished++) {
        size_t i = b->finished;
        const struct list *list = index->lists[i];
        b->settings->needs_store = b->settings->needs_store || list->asks_store;
        for (size_t k = 0; k < list->command_address_count; k++) {
            struct span address = list->command_addresses[k];
            const struct list *other = list_by_address(index, address);
            struct shown shown;
            struct shown id;
            if (other != NULL)
                diagnostics_add(b->diagnostics, SEVERITY_ERROR, b->origins[i].file,
                                b->origins[i].line,
                                "command_addresses: \"%s\" is the address of list \"%s\" (expected "
                                "the address that answers of the list manager come from)",
                                shown_text(address, &shown), shown_text(other->id, &id));
        }
    }
}

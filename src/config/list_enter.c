/* list_enter - enters lists into the index, and says which other list is in the way. */
#include "config/list_draft.h"

#include <stdlib.h>

struct list_origin {
    const char *file;
    int line;
};

/* Where a list stands. Looks through all lists, and therefore not for more errors than are kept. */
static struct list_origin origin_of(const struct list_builder *b, const struct list *list)
{
    if (b->diagnostics->errors < DIAGNOSTICS_KEPT)
        for (size_t i = 0; i < b->settings->index.count; i++)
            if (b->settings->index.lists[i] == list)
                return b->origins[i];
    return (struct list_origin){"?", 0};
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
    if (!reserve_origin(b))
        return -1;
    int result = list_index_add(index, draft->list, &other);
    if (result == 0)
        b->origins[index->count - 1] = (struct list_origin){draft->raw->file, draft->raw->line};
    if (result == 1)
        complain_duplicate(draft, draft->raw->line, "list", draft->list->id, "is the id of", other);
    return result;
}

int draft_line(const struct list_draft *draft, enum key key)
{
    const struct raw_value *value = &draft->raw->values[key];
    return value->set && value->count > 0 ? value->items[0].line : draft->raw->line;
}

static int enter_address(struct list_draft *draft)
{
    struct list *list = draft->list;
    struct list *other;
    if (list->address.n == 0)
        return 0;
    int result = list_index_add_address(&draft->builder->settings->index, list, &other);
    if (result == 1)
        complain_duplicate(draft, draft_line(draft, KEY_ADDRESS), "address", list->address,
                           "is the address of", other);
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
        struct span address;
        struct list *other;
        int result = draft_bind_address(draft, KEY_SENDERS, texts, &texts->items[i], &address);
        if (result == 0)
            result = list_index_add_sender(&draft->builder->settings->index, address, list, &other);
        else if (result == 1)
            continue;
        if (result < 0)
            return -1;
        if (result == 1)
            complain_duplicate(draft, line_of_text(draft, texts, i), "senders", address,
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
        struct span *address = &addresses[list->command_address_count];
        struct list *other;
        int result =
            draft_bind_address(draft, KEY_COMMAND_ADDRESSES, texts, &texts->items[i], address);
        if (result == 0) {
            list->command_address_count++;
            result = list_index_add_command_address(&b->settings->index, *address, list, &other);
        } else if (result == 1) {
            continue;
        }
        if (result < 0)
            return -1;
        if (result == 1)
            complain_duplicate(draft, line_of_text(draft, texts, i), "command_addresses", *address,
                               "is a command address of", other);
    }
    return 0;
}

int draft_enter_addresses(struct list_draft *draft)
{
    if (enter_senders(draft) != 0 || enter_command_addresses(draft) != 0)
        return -1;
    return enter_address(draft);
}

int list_builder_finish(struct list_builder *b)
{
    const struct list_index *index = &b->settings->index;
    for (size_t i = 0; i < index->count; i++) {
        const struct list *list = index->lists[i];
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
    return 0;
}

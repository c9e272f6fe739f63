/* enter - enters lists into the index, and says which other list is in the way. */
#include "config/lists/draft.h"
#include "mail/address.h"
#include "spec/list_id.h"

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
    struct shown id;
    say(b->diagnostics, SEVERITY_ERROR, place_of(draft->raw->file, line, key), value,
        "%s list \"%s\" already (%s:%d)", as, shown_text(other->id, &id), origin.file, origin.line);
    draft->wrong = true;
}

/* The id of another list, or this list once more. */
static void complain_id(struct list_draft *draft, const struct list *other)
{
    struct list_origin origin = origin_of(draft->builder, other);
    say(draft->builder->diagnostics, SEVERITY_ERROR,
        place_of(draft->raw->file, draft->raw->line, "list"), draft->list->id,
        "stands here a second time (first in %s:%d)", origin.file, origin.line);
    draft->wrong = true;
}

/* An address, or an id in brackets: what was probably meant, in *meant. false: it is neither. */
static bool find_meant(struct span title, struct shown *meant)
{
    if (title.n > 2 && title.p[0] == '<' && title.p[title.n - 1] == '>')
        title = span_sub(title, 1, title.n - 2);
    size_t at = span_find(title, '@');
    shown_text(title, meant);
    if (title.n >= sizeof meant->text)
        return false;
    if (at < title.n)
        meant->text[at] = '.';
    return list_id_fault(span_cstr(meant->text)) == NULL;
}

void list_builder_wrong_id(const struct list_builder *b, const struct raw_section *raw)
{
    struct place place = place_of(raw->file, raw->line, schema[KEY_LIST].name);
    struct shown meant;
    if (find_meant(raw->title, &meant))
        say(b->diagnostics, SEVERITY_ERROR, place, raw->title,
            "is no list id (did you mean \"%s\"?)", meant.text);
    else
        say(b->diagnostics, SEVERITY_ERROR, place, raw->title, "%s", list_id_fault(raw->title));
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
        complain_id(draft, in_force);
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
        complain_id(draft, other);
    return result;
}

int draft_line(const struct list_draft *draft, enum key key)
{
    const struct raw_value *value = &draft->raw->values[key];
    return value->set && value->count > 0 ? value->items[0].line : draft->raw->line;
}

typedef int (*index_add)(struct list_index *index, struct span address, struct list *list,
                         struct list **other);

/* 0; 1: *other has the address already; -1. */
static int enter(struct list_draft *draft, index_add add, index_find find, struct span mailbox,
                 const struct list **other)
{
    struct list *present = NULL;
    *other = in_the_way(draft, find, mailbox);
    if (*other != NULL)
        return 1;
    int result = add(&draft->builder->settings->index, mailbox, draft->list, &present);
    *other = present;
    return result;
}

/* The same for what may be the address of no list, or of no list manager: list_builder_finish sees
 * only what is entered for good. */
static bool crosses(struct list_draft *draft, enum key key, int line, index_find find,
                    struct span mailbox, const char *as)
{
    const struct list *other = in_the_way(draft, find, mailbox);
    if (other != NULL)
        complain_duplicate(draft, line, schema[key].name, mailbox, as, other);
    return other != NULL;
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

static int line_of_text(const struct list_draft *draft, const struct config_texts *texts, size_t i)
{
    return texts->from_defaults ? draft->raw->line : texts->items[i].raw.line;
}

/* The address or an alias; 0 or -1. */
static int enter_mailbox(struct list_draft *draft, enum key key, int line, struct span mailbox)
{
    const struct list *other;
    if (crosses(draft, key, line, by_command_or_from, mailbox, "is a command address of"))
        return 0;
    int result = enter(draft, list_index_add_address, list_by_address, mailbox, &other);
    if (result == 1)
        complain_duplicate(draft, line, schema[key].name, mailbox, "is the address of", other);
    return result < 0 ? -1 : 0;
}

static int enter_aliases(struct list_draft *draft, bool *has_name)
{
    const struct config_texts *texts = draft_texts(draft, KEY_ALIASES);
    struct list *list = draft->list;
    if (texts->count == 0)
        return 0;
    struct span *aliases =
        arena_calloc(&draft->builder->settings->arena, texts->count, sizeof *aliases);
    if (aliases == NULL)
        return -1;
    list->aliases = aliases;
    for (size_t i = 0; i < texts->count; i++) {
        struct configured_address alias;
        int result = draft_bind_address(draft, KEY_ALIASES, texts, &texts->items[i], &alias);
        if (result < 0)
            return -1;
        if (result == 1)
            continue;
        if (enter_mailbox(draft, KEY_ALIASES, line_of_text(draft, texts, i), alias.mailbox) != 0)
            return -1;
        *has_name = *has_name || span_find(alias.mailbox, '@') == alias.mailbox.n;
        aliases[list->alias_count++] = alias.mailbox;
    }
    return 0;
}

/* A delegate's list is not found by a bare name: any local user of the host may be called so. */
static int enter_own_addresses(struct list_draft *draft)
{
    struct list *list = draft->list;
    bool has_name = false;
    list->mailbox = list->address.n > 0 ? draft->address.mailbox : span_of(NULL, 0);
    if (enter_aliases(draft, &has_name) != 0)
        return -1;
    if (list->mailbox.n == 0)
        return 0;
    if (enter_mailbox(draft, KEY_ADDRESS, draft_line(draft, KEY_ADDRESS), list->mailbox) != 0)
        return -1;
    if (has_name || draft->builder->delegate != NULL)
        return 0;
    return list_index_add_name(&draft->builder->settings->index, address_local(list->mailbox),
                               list);
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
        struct configured_address sender;
        const struct list *other;
        int result = draft_bind_address(draft, KEY_SENDERS, texts, &texts->items[i], &sender);
        if (result == 1)
            continue;
        if (result == 0)
            result = enter(draft, list_index_add_sender, by_sender, sender.mailbox, &other);
        if (result < 0)
            return -1;
        if (result == 1)
            complain_duplicate(draft, line_of_text(draft, texts, i), "senders", sender.text,
                               "is a sender of", other);
    }
    return 0;
}

/* One of them, which is not another list's address. 0; 1: *other has it already; -1. */
static int enter_command_address(struct list_draft *draft, const struct config_text *text,
                                 struct span mailbox, const struct list **other)
{
    struct list_index *index = &draft->builder->settings->index;
    int result =
        enter(draft, text->from_only ? list_index_add_from_address : list_index_add_command_address,
              by_command_or_from, mailbox, other);
    if (result == 0 && text->always)
        result = list_index_add_always_address(index, mailbox, draft->list);
    return result;
}

/* RULINGS 12 */
static int enter_command_addresses(struct list_draft *draft)
{
    struct list *list = draft->list;
    const struct config_texts *texts = draft_texts(draft, KEY_COMMAND_ADDRESSES);
    if (texts->count == 0)
        return 0;
    struct span *addresses = arena_calloc(&draft->builder->settings->arena, texts->count,
                                          sizeof *list->command_addresses);
    if (addresses == NULL)
        return -1;
    list->command_addresses = addresses;
    for (size_t i = 0; i < texts->count; i++) {
        struct configured_address address;
        const struct list *other;
        int line = line_of_text(draft, texts, i);
        int result =
            draft_bind_address(draft, KEY_COMMAND_ADDRESSES, texts, &texts->items[i], &address);
        if (result == 1 ||
            (result == 0 && crosses(draft, KEY_COMMAND_ADDRESSES, line, list_by_address,
                                    address.mailbox, "is the address of")))
            continue;
        if (result == 0) {
            addresses[list->command_address_count++] = address.mailbox;
            result = enter_command_address(draft, &texts->items[i], address.mailbox, &other);
        }
        if (result < 0)
            return -1;
        if (result == 1)
            complain_duplicate(draft, line, "command_addresses", address.text,
                               "is a command address of", other);
    }
    return 0;
}

int draft_enter_addresses(struct list_draft *draft)
{
    if (enter_senders(draft) != 0 || enter_command_addresses(draft) != 0)
        return -1;
    return enter_own_addresses(draft);
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
            struct shown id;
            if (other != NULL)
                say(b->diagnostics, SEVERITY_ERROR,
                    place_of(b->origins[i].file, b->origins[i].line, "command_addresses"), address,
                    "is the address of list \"%s\" (expected the address that answers of the list "
                    "manager come from)",
                    shown_text(other->id, &id));
        }
    }
}

/* enter - see enter.h */
#include "config/lists/enter.h"

#include "config/lists/addresses.h"
#include "mail/address.h"
#include "text/memory.h"

struct list_origin list_builder_origin(const struct list_builder *b, const struct list *list)
{
    size_t most = b->bounds != NULL ? 1 : DIAGNOSTICS_KEPT;
    for (size_t i = 0; i < b->index->count && b->diagnostics->errors < most; i++)
        if (b->index->lists[i] == list)
            return b->origins[i];
    return (struct list_origin){.file = "?"};
}

static void add_origin(struct list_draft *draft)
{
    struct list_builder *b = draft->builder;
    b->origins = array_grow(b->origins, b->origin_count, &b->origin_capacity, sizeof *b->origins);
    b->origins[b->origin_count++] = (struct list_origin){
        .file = draft->raw->file,
        .line = draft->raw->line,
        .parents_line = draft_is_own(draft, KEY_PARENTS) ? draft_line(draft, KEY_PARENTS) : 0,
        .address_line = draft_line(draft, KEY_ADDRESS),
        .aliases_line = draft_line(draft, KEY_ALIASES),
        .commands_line = draft_line(draft, KEY_COMMAND_ADDRESSES),
        .bounds = b->bounds};
}

bool draft_enter_id(struct list_draft *draft)
{
    struct list_builder *b = draft->builder;
    const struct list *other = list_index_add(b->index, draft->list);
    if (other == NULL) {
        add_origin(draft);
        return true;
    }
    struct list_origin origin = list_builder_origin(b, other);
    say(b->diagnostics, SEVERITY_ERROR,
        place_of(draft->raw->file, draft->raw->line, schema[KEY_LIST].name), draft->list->id,
        "appears a second time (first in %s:%d)", origin.file, origin.line);
    draft->wrong = true;
    return false;
}

/* An address of the list that another one has. */
static void complain(struct list_draft *draft, const struct config_text *text, struct span value,
                     const char *as, const struct list *other)
{
    const struct list_builder *b = draft->builder;
    struct list_origin origin = list_builder_origin(b, other);
    int line = text->from_defaults ? draft->raw->line : text->raw.line;
    struct shown id;
    say(b->diagnostics, SEVERITY_ERROR, place_of(draft->raw->file, line, schema[text->key].name),
        value, "%s list \"%s\" already (%s:%d)", as, shown_text(other->id, &id), origin.file,
        origin.line);
    draft->wrong = true;
}

/* What is done with one address of a key; kept: room for those of the list. */
typedef void take_address(struct list_draft *draft, const struct config_text *text,
                          const struct configured_address *address, struct span *kept);

/* Reads the addresses of a key, which then live in the arena of the settings. */
static void take_all(struct list_draft *draft, enum key key, take_address *take,
                     const struct span **kept)
{
    const struct config_texts *texts = draft_texts(draft, key);
    struct span *room = NULL;
    if (texts->count == 0)
        return;
    if (kept != NULL)
        *kept = room = arena_calloc(draft->builder->given.arena, texts->count, sizeof *room);
    for (size_t i = 0; i < texts->count; i++) {
        struct configured_address address;
        if (draft_read_address(draft, &texts->items[i], &address))
            take(draft, &texts->items[i], &address, room);
    }
}

/* Enters the address or an alias. */
static void enter_mailbox(struct list_draft *draft, const struct config_text *text,
                          struct span mailbox)
{
    const struct list *other =
        list_index_put(draft->builder->index, LIST_BY_ADDRESS, mailbox, draft->list);
    if (other != NULL)
        complain(draft, text, mailbox, "is the address of", other);
}

static void take_alias(struct list_draft *draft, const struct config_text *text,
                       const struct configured_address *alias, struct span *kept)
{
    kept[draft->list->alias_count++] = alias->mailbox;
    enter_mailbox(draft, text, alias->mailbox);
}

/* A list with bounds is not found by a bare name: any local user of the host may be called so. */
static void enter_own_addresses(struct list_draft *draft)
{
    struct list_builder *b = draft->builder;
    struct list *list = draft->list;
    bool has_name = false;
    take_all(draft, KEY_ALIASES, take_alias, &list->aliases);
    for (size_t i = 0; i < list->alias_count; i++)
        has_name = has_name || span_find(list->aliases[i], '@') == list->aliases[i].n;
    if (list->mailbox.n == 0)
        return;
    enter_mailbox(draft, &draft_texts(draft, KEY_ADDRESS)->items[0], list->mailbox);
    if (!has_name && b->bounds == NULL)
        list_index_put(b->index, LIST_BY_NAME, address_local(list->mailbox), list);
}

static void take_sender(struct list_draft *draft, const struct config_text *text,
                        const struct configured_address *sender, struct span *kept)
{
    const struct list *other =
        list_index_put(draft->builder->index, LIST_BY_SENDER, sender->mailbox, draft->list);
    (void)kept;
    if (other != NULL)
        complain(draft, text, sender->text, "is a sender of", other);
}

static void enter_senders(struct list_draft *draft)
{
    const struct config_texts *texts = draft_texts(draft, KEY_SENDERS);
    if (draft->list->select != SELECT_RECIPIENT) {
        draft->list->has_senders = texts->count > 0;
        take_all(draft, KEY_SENDERS, take_sender, NULL);
    } else if (texts->count > 0 && !texts->from_defaults) {
        draft_wrong(draft, &texts->items[0],
                    "has no effect here (expected it in a list of a list manager)");
    }
}

/* RULINGS 12 */
static void take_command_address(struct list_draft *draft, const struct config_text *text,
                                 const struct configured_address *address, struct span *kept)
{
    struct list_index *index = draft->builder->index;
    enum list_way way = text->from_only ? LIST_BY_COMMAND_FROM : LIST_BY_COMMAND;
    kept[draft->list->command_address_count++] = address->mailbox;
    const struct list *other = list_index_put(index, way, address->mailbox, draft->list);
    if (other == NULL && text->always)
        other = list_index_put(index, LIST_BY_COMMAND_ALWAYS, address->mailbox, draft->list);
    if (other != NULL)
        complain(draft, text, address->text, "is a command address of", other);
}

void draft_enter_addresses(struct list_draft *draft)
{
    enter_senders(draft);
    take_all(draft, KEY_COMMAND_ADDRESSES, take_command_address, &draft->list->command_addresses);
    enter_own_addresses(draft);
}

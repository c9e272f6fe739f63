/*
 * managers - what each list manager sends, as a section
 *
 * Measured with mlmmj 1.3.0 and Mailman 3.3.8, read in the sources of the others: see
 * doc/list-managers.md.  What all lists of a host share (sympa@, majordomo@) is no list's, and not
 * here.
 */
#include "config/lists/managers.h"

#include "config/lists/draft.h"

#define ITEM(key_, text_)                                                                          \
    {                                                                                              \
        .text = {text_, sizeof text_ - 1}, .key = key_                                             \
    }

/* clang-format off */
#define MAILMAN_COMMANDS                                                             \
    ITEM(KEY_COMMAND_ADDRESSES, "from:{address_local}-request@{address_domain}"),    \
    ITEM(KEY_COMMAND_ADDRESSES, "from:{address_local}-owner@{address_domain}"),      \
    ITEM(KEY_COMMAND_ADDRESSES, "from:{address_local}-bounces@{address_domain}"),    \
    ITEM(KEY_COMMAND_ADDRESSES, "from:{address_local}-confirm@{address_domain}")

static const struct raw_item mailman3[] = {
    ITEM(KEY_HELP,              "mailto:{address_local}-request@{address_domain}?subject=help"),
    ITEM(KEY_SUBSCRIBE,         "mailto:{address_local}-join@{address_domain}"),
    ITEM(KEY_UNSUBSCRIBE,       "mailto:{address_local}-leave@{address_domain}"),
    ITEM(KEY_POST,              "mailto:{address}"),
    ITEM(KEY_OWNER,             "mailto:{address_local}-owner@{address_domain}"),
    MAILMAN_COMMANDS,
};

static const struct raw_item mailman2[] = {
    ITEM(KEY_HELP,              "mailto:{address_local}-request@{address_domain}?subject=help"),
    ITEM(KEY_SUBSCRIBE,
         "mailto:{address_local}-request@{address_domain}?subject=subscribe"),
    ITEM(KEY_UNSUBSCRIBE,
         "mailto:{address_local}-request@{address_domain}?subject=unsubscribe"),
    ITEM(KEY_POST,              "mailto:{address}"),
    ITEM(KEY_OWNER,             "mailto:{address_local}-owner@{address_domain}"),
    MAILMAN_COMMANDS,
};

static const struct raw_item mlmmj[] = {
    ITEM(KEY_HELP,              "mailto:{address_local}+help@{address_domain}"),
    ITEM(KEY_SUBSCRIBE,         "mailto:{address_local}+subscribe@{address_domain}"),
    ITEM(KEY_UNSUBSCRIBE,       "mailto:{address_local}+unsubscribe@{address_domain}"),
    ITEM(KEY_POST,              "mailto:{address}"),
    ITEM(KEY_OWNER,             "mailto:{address_local}+owner@{address_domain}"),
    ITEM(KEY_COMMAND_ADDRESSES, "from:{address_local}+help@{address_domain}"),
    ITEM(KEY_COMMAND_ADDRESSES, "from:{address_local}+owner@{address_domain}"),
    ITEM(KEY_SEQUENCE_FROM,     "envelope-sender"),
};

/* X-no-archive: yes is in every post: honoured, it would leave none with a link. */
static const struct raw_item sympa[] = {
    ITEM(KEY_POST,              "mailto:{address}"),
    ITEM(KEY_OWNER,             "mailto:{address_local}-request@{address_domain}"),
    ITEM(KEY_COMMAND_ADDRESSES, "always:{address_local}-request@{address_domain}"),
    ITEM(KEY_HONOR_NO_ARCHIVE,  "false"),
};

static const struct raw_item ezmlm[] = {
    ITEM(KEY_SELECT,            "sender"),
    ITEM(KEY_HELP,              "mailto:{address_local}-help@{address_domain}"),
    ITEM(KEY_SUBSCRIBE,         "mailto:{address_local}-subscribe@{address_domain}"),
    ITEM(KEY_UNSUBSCRIBE,       "mailto:{address_local}-unsubscribe@{address_domain}"),
    ITEM(KEY_POST,              "mailto:{address}"),
    ITEM(KEY_OWNER,             "mailto:{address_local}-owner@{address_domain}"),
    ITEM(KEY_COMMAND_ADDRESSES, "from:{address_local}-return-@{address_domain}"),
    ITEM(KEY_COMMAND_ADDRESSES, "from:{address_local}-help@{address_domain}"),
    ITEM(KEY_COMMAND_ADDRESSES, "from:{address_local}-owner@{address_domain}"),
};

static const struct raw_item majordomo[] = {
    ITEM(KEY_SELECT,            "sender"),
    ITEM(KEY_SENDERS,           "owner-{address_local}@{address_domain}"),
    ITEM(KEY_POST,              "mailto:{address}"),
};
/* clang-format on */

#define SECTION(items_)                                                                            \
    {                                                                                              \
        .kind = KEY_LIST, .items = items_, .count = sizeof items_ / sizeof items_[0]               \
    }

static const struct section managers[MANAGER_COUNT] = {
    [MANAGER_MAILMAN3] = SECTION(mailman3), [MANAGER_MAILMAN2] = SECTION(mailman2),
    [MANAGER_MLMMJ] = SECTION(mlmmj),       [MANAGER_SYMPA] = SECTION(sympa),
    [MANAGER_EZMLM] = SECTION(ezmlm),       [MANAGER_MAJORDOMO] = SECTION(majordomo),
};

/* Compiles a preset, once for all lists. */
static const struct preset *make_preset(struct list_builder *b, enum manager manager)
{
    const struct token_names no_tokens = {.count = 0}; /* archived_at alone could have them */
    const struct text_compiler compiler = {.from_defaults = true,
                                           .arena = &b->kept,
                                           .kept = b->given.arena,
                                           .tokens = &no_tokens,
                                           .diagnostics = b->diagnostics};
    struct preset *preset = arena_calloc(&b->kept, 1, sizeof *preset);
    preset->manager = manager;
    raw_section_read(&preset->section, &managers[manager], b->diagnostics);
    for (int key = 0; key < KEY_COUNT; key++)
        if (config_text_key((enum key)key) && preset->section.values[key].set)
            config_texts_compile(&compiler, (enum key)key, &preset->section.values[key],
                                 &preset->texts[key]);
    return preset;
}

/* Returns the value of `manager`, or NULL: a list that the MTA expands takes none from the
 * defaults. */
static const struct raw_value *find_manager(struct list_draft *draft)
{
    const struct raw_value *value = draft_value(draft, KEY_MANAGER);
    bool own = draft_is_own(draft, KEY_MANAGER);
    bool expanded = draft_choice(draft, KEY_SELECT) == SELECT_RECIPIENT;
    const struct config_texts *address = draft_texts(draft, KEY_ADDRESS);
    if (value == NULL || (expanded && !own))
        return NULL;
    const char *fault = NULL;
    if (expanded)
        fault = "is for lists that a list manager distributes, and with select = \"recipient\" the "
                "MTA does (expected one of the two)";
    else if (!address->wrong &&
             (address->count == 0 || span_trim(address->items[0].raw.text).n == 0))
        fault = "makes all of the list's address, and there is none (expected address = "
                "\"LOCAL@DOMAIN\" in the list)";
    if (fault == NULL)
        return value;
    draft_item_wrong(draft, KEY_MANAGER, &value->items[0], fault);
    return NULL;
}

void draft_manager(struct list_draft *draft)
{
    struct list_builder *b = draft->builder;
    const struct raw_value *value = find_manager(draft);
    if (value == NULL)
        return;
    int manager = schema_choice(KEY_MANAGER, value->items[0].text);
    const struct preset **preset = &b->shared.presets[manager];
    if (*preset == NULL)
        *preset = make_preset(b, (enum manager)manager);
    draft->preset = *preset;
}

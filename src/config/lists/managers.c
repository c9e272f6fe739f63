/*
 * managers - the table: what each list manager sends, as it would be written in a section
 *
 * Measured with mlmmj 1.3.0 and Mailman 3.3.8, read in the sources of the others: see
 * doc/list-managers.md.  What all lists of a host share (sympa@, majordomo@) is no list's, and not
 * here.
 */
#include "config/lists/managers.h"

#include "config/lists/draft.h"

/* A key, and its values, which line ends separate. */
struct row {
    enum key key;
    const char *values;
};

static const char mailman_commands[] = "from:{address_local}-request@{address_domain}\n"
                                       "from:{address_local}-owner@{address_domain}\n"
                                       "from:{address_local}-bounces@{address_domain}\n"
                                       "from:{address_local}-confirm@{address_domain}";

/* clang-format off */
static const struct row mailman3[] = {
    {KEY_HELP,              "mailto:{address_local}-request@{address_domain}?subject=help"},
    {KEY_SUBSCRIBE,         "mailto:{address_local}-join@{address_domain}"},
    {KEY_UNSUBSCRIBE,       "mailto:{address_local}-leave@{address_domain}"},
    {KEY_POST,              "mailto:{address}"},
    {KEY_OWNER,             "mailto:{address_local}-owner@{address_domain}"},
    {KEY_COMMAND_ADDRESSES, mailman_commands},
    {KEY_COUNT, NULL},
};

static const struct row mailman2[] = {
    {KEY_HELP,              "mailto:{address_local}-request@{address_domain}?subject=help"},
    {KEY_SUBSCRIBE,         "mailto:{address_local}-request@{address_domain}?subject=subscribe"},
    {KEY_UNSUBSCRIBE,       "mailto:{address_local}-request@{address_domain}?subject=unsubscribe"},
    {KEY_POST,              "mailto:{address}"},
    {KEY_OWNER,             "mailto:{address_local}-owner@{address_domain}"},
    {KEY_COMMAND_ADDRESSES, mailman_commands},
    {KEY_COUNT, NULL},
};

static const struct row mlmmj[] = {
    {KEY_HELP,              "mailto:{address_local}+help@{address_domain}"},
    {KEY_SUBSCRIBE,         "mailto:{address_local}+subscribe@{address_domain}"},
    {KEY_UNSUBSCRIBE,       "mailto:{address_local}+unsubscribe@{address_domain}"},
    {KEY_POST,              "mailto:{address}"},
    {KEY_OWNER,             "mailto:{address_local}+owner@{address_domain}"},
    {KEY_COMMAND_ADDRESSES, "from:{address_local}+help@{address_domain}\n"
                            "from:{address_local}+owner@{address_domain}"},
    {KEY_SEQUENCE_FROM,     "envelope-sender"},
    {KEY_COUNT, NULL},
};

/* X-no-archive: yes is in every post: honoured, it would leave none with a link. */
static const struct row sympa[] = {
    {KEY_POST,              "mailto:{address}"},
    {KEY_OWNER,             "mailto:{address_local}-request@{address_domain}"},
    {KEY_COMMAND_ADDRESSES, "always:{address_local}-request@{address_domain}"},
    {KEY_HONOR_NO_ARCHIVE,  "false"},
    {KEY_COUNT, NULL},
};

static const struct row ezmlm[] = {
    {KEY_SELECT,            "sender"},
    {KEY_HELP,              "mailto:{address_local}-help@{address_domain}"},
    {KEY_SUBSCRIBE,         "mailto:{address_local}-subscribe@{address_domain}"},
    {KEY_UNSUBSCRIBE,       "mailto:{address_local}-unsubscribe@{address_domain}"},
    {KEY_POST,              "mailto:{address}"},
    {KEY_OWNER,             "mailto:{address_local}-owner@{address_domain}"},
    {KEY_COMMAND_ADDRESSES, "from:{address_local}-return-@{address_domain}\n"
                            "from:{address_local}-help@{address_domain}\n"
                            "from:{address_local}-owner@{address_domain}"},
    {KEY_COUNT, NULL},
};

static const struct row majordomo[] = {
    {KEY_SELECT,            "sender"},
    {KEY_SENDERS,           "owner-{address_local}@{address_domain}"},
    {KEY_POST,              "mailto:{address}"},
    {KEY_COUNT, NULL},
};
/* clang-format on */

static const struct row *const managers[MANAGER_COUNT] = {
    [MANAGER_MAILMAN3] = mailman3, [MANAGER_MAILMAN2] = mailman2, [MANAGER_MLMMJ] = mlmmj,
    [MANAGER_SYMPA] = sympa,       [MANAGER_EZMLM] = ezmlm,       [MANAGER_MAJORDOMO] = majordomo,
};

static void add_values(const struct row *row, struct arena *arena, struct raw_value *out)
{
    struct span rest = span_cstr(row->values);
    while (rest.n > 0) {
        struct span value = span_sub(rest, 0, span_find(rest, '\n'));
        rest = span_sub(rest, value.n + 1, rest.n);
        raw_value_add(out, arena, arena_strdup(arena, value), 0);
    }
    out->set = true;
}

/* Compiles a preset, once for all lists. */
static const struct preset *make_preset(const struct row *rows, struct arena *arena)
{
    const struct token_names no_tokens = {.count = 0}; /* archived_at alone could have them */
    const struct text_compiler compiler = {
        .from_defaults = true, .arena = arena, .tokens = &no_tokens};
    struct preset *preset = arena_calloc(arena, 1, sizeof *preset);
    for (const struct row *row = rows; row->key != KEY_COUNT; row++) {
        struct raw_value *value = &preset->section.values[row->key];
        add_values(row, arena, value);
        if (config_text_key(row->key))
            config_texts_compile(&compiler, row->key, value, &preset->texts[row->key]);
    }
    return preset;
}

/* What counts for `manager`: a list that the MTA expands has none of the defaults. NULL: nothing.
 */
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
    if (b->presets[manager] == NULL)
        b->presets[manager] = make_preset(managers[manager], &b->kept);
    draft->preset = b->presets[manager];
}

/* hints - what is legal but unwise in a list. */
#include "config/lists/hints.h"

#include "config/lists/hint_links.h"
#include "config/lists/policies.h"
#include "mail/address.h"
#include "spec/list_id.h"
#include "spec/owned_fields.h"

/* RULINGS 26: in the list's own `keep` that is an error. */
static void hint_never_kept(struct list_draft *draft)
{
    const struct raw_value *value = &draft->builder->defaults.values[KEY_KEEP];
    if (draft_is_own(draft, KEY_KEEP) || draft->builder->shared.told_never_kept)
        return;
    draft->builder->shared.told_never_kept = true;
    for (size_t i = 0; i < value->count; i++) {
        const struct owned_field *owned = owned_field_find(field_name_find(value->items[i].text));
        struct place place = draft_key_place(draft, KEY_KEEP);
        place.line = value->items[i].line;
        struct diagnostics *d = NULL;
        if (owned != NULL && owned->never_kept)
            d = hint_groups_count(draft->builder->hints, place.key, KEEP_FAULT, draft->list,
                                  HINT_LISTS_TOLD);
        if (d != NULL)
            say(d, SEVERITY_HINT, place, value->items[i].text, "%s", KEEP_FAULT);
    }
}

/* LI-11, RULINGS 27, 84 */
static void hint_sources(struct list_draft *draft)
{
    const struct raw_value *value = draft_value(draft, KEY_PARENT_SOURCES);
    const struct config_texts texts = {.file = draft_key_place(draft, KEY_PARENT_SOURCES).file,
                                       .from_defaults = !draft_is_own(draft, KEY_PARENT_SOURCES)};
    for (size_t i = 0; value != NULL && i < value->count; i++) {
        const struct config_text text = {.key = KEY_PARENT_SOURCES,
                                         .file = texts.file,
                                         .from_defaults = texts.from_defaults,
                                         .raw = value->items[i]};
        const char *what = trust_hint(span_trim(text.raw.text));
        if (what != NULL)
            draft_hint(draft, &text, what);
    }
}

/* RULINGS 12, 69: a post whose envelope sender is a command address is no post. */
static void hint_senders(struct list_draft *draft)
{
    const struct list *list = draft->list;
    const struct config_texts *texts = draft_texts(draft, KEY_COMMAND_ADDRESSES);
    if (list->select != SELECT_SENDER)
        return;
    for (size_t i = 0; i < list->command_address_count; i++) {
        const struct config_text *text = &texts->items[i];
        if (text->from_only ||
            list_by_sender(draft->builder->index, list->command_addresses[i]) != list)
            continue;
        draft_hint(
            draft, text,
            list->has_senders
                ? "is one of senders, too: each post with it counts as a command response, not as "
                  "a post (expected \"from:\" before it, or another address)"
                : "is derived from address, as the senders of posts are: each post with it counts "
                  "as a command response, not as a post (expected \"from:\" before it, or those "
                  "of posts alone in senders)");
    }
}

/* RULINGS 12, 84: what most list managers send posts with: the address, "-bounces" or "+bounces".
 */
static void hint_bounces(struct list_draft *draft)
{
    const struct list *list = draft->list;
    const struct config_texts *texts = draft_texts(draft, KEY_COMMAND_ADDRESSES);
    struct span own = address_local(list->mailbox);
    if (list->select == SELECT_SENDER || list->mailbox.n == 0)
        return; /* see hint_senders */
    for (size_t i = 0; i < list->command_address_count; i++) {
        struct span local = address_local(list->command_addresses[i]);
        struct span rest = span_sub(local, own.n, local.n);
        if (texts->items[i].from_only || !span_starts_nocase(local, own) ||
            !(span_eq_nocase(rest, span_cstr("-bounces")) ||
              span_eq_nocase(rest, span_cstr("+bounces"))) ||
            !span_eq_nocase(address_domain(list->mailbox),
                            address_domain(list->command_addresses[i])))
            continue;
        draft_hint(draft, &texts->items[i],
                   "is what list managers send posts with: each post counts as a command response, "
                   "without Archived-At and number (expected \"from:\" before it)");
    }
}

/* RULINGS 90: mail to what has a "+" before its "@" is the list's by recipient_delimiter alone. */
static void hint_delimiter(struct list_draft *draft)
{
    struct span delimiter = draft->builder->given.delimiter;
    if (draft->preset == NULL || span_find(delimiter, '+') < delimiter.n)
        return;
    for (int key = 0; key < KEY_COUNT; key++) {
        if (!config_text_key((enum key)key) || draft_source(draft, (enum key)key) != FROM_MANAGER)
            continue;
        struct span first = draft_texts(draft, (enum key)key)->items[0].raw.text;
        if (span_find(first, '+') == first.n)
            continue;
        draft_hint_key(draft, KEY_MANAGER,
                       "\"mlmmj\" has \"+\" in its addresses, and recipient_delimiter has not "
                       "(expected recipient_delimiter = \"+\" in the main file, or this list's "
                       "addresses written out)");
        return;
    }
}

/* RULINGS 90, 107: `defaults` win over what a manager stands for. */
static void hint_hidden_by_defaults(struct list_draft *draft)
{
    static const enum key keys[] = {KEY_HELP, KEY_SUBSCRIBE, KEY_UNSUBSCRIBE,      KEY_OWNER,
                                    KEY_POST, KEY_SENDERS,   KEY_COMMAND_ADDRESSES};
    for (size_t i = 0; draft->preset != NULL && i < sizeof keys / sizeof keys[0]; i++)
        if (draft->preset->section.values[keys[i]].set &&
            draft_source(draft, keys[i]) == FROM_DEFAULTS && draft_texts(draft, keys[i])->count > 0)
            draft_hint_key(draft, keys[i],
                           "hides the addresses that the list's manager stands for (expected it in "
                           "the lists without manager, not in defaults)");
}

/* RULINGS 84: what every list should have. An explicit empty value says that it has none. */
static void hint_missing(struct list_draft *draft)
{
    static const struct {
        enum key key;
        const char *what;
    } rows[] = {
        {KEY_ADDRESS, "there is none, so that posts on their way into the list are not cleaned "
                      "(expected one, or address = \"\")"},
        {KEY_DESCRIPTION,
         "there is none, so that List-Id says nothing but the id (expected one, or "
         "description = \"\")"},
        {KEY_UNSUBSCRIBE, "there is none, so that posts do not say how to leave (expected one, or "
                          "unsubscribe = {})"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (!draft_texts(draft, rows[i].key)->set)
            draft_hint_list(draft, rows[i].key, rows[i].what);
}

void draft_hints(struct list_draft *draft)
{
    if (list_id_lacks_randomness(draft->list->id))
        draft_hint_list(
            draft, KEY_LIST,
            "an id in \"localhost\" should have 32 random hexadecimal digits and MMYYYY as a "
            "label of their own (RFC 2919, 5)");
    hint_missing(draft);
    draft_hint_links(draft);
    hint_never_kept(draft);
    if (draft->list->nesting != NULL)
        hint_sources(draft);
    hint_senders(draft);
    hint_bounces(draft);
    hint_delimiter(draft);
    hint_hidden_by_defaults(draft);
}

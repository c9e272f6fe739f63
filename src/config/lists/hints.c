/* hints - what is unwise about a list as a whole (RULINGS 12, 43, 84, 90, 107, 121, 128) */
#include "config/lists/new_list.h"
#include "config/read/faults.h"
#include "mail/address.h"
#include "spec/list_id.h"
#include "spec/uri.h"

static void hint_entry(struct new_list *n, enum remark hint, const struct entry *entry)
{
    say(n->b->hints, SEVERITY_HINT, entry_place(&n->from, entry), entry->text, hint, NULL);
}

/* Reports a hint about the list, at the line of a key. */
static void hint_list(struct new_list *n, enum remark hint, enum key key, struct span value)
{
    struct place place = key_place(&n->own, key);
    place.list = n->list->id;
    say(n->b->hints, SEVERITY_HINT, place, value, hint, NULL);
}

static void hint_missing(struct new_list *n)
{
    for (enum key key = 0; key < KEY_COUNT; key++)
        if (schema[key].missing != REMARK_NONE && value_of(&n->from, key).source == BUILT_IN &&
            (key != KEY_SELECT || n->list->manager == MANAGER_COUNT))
            hint_list(n, schema[key].missing, key, NO_TEXT);
    if (list_id_lacks_randomness(n->list->id))
        hint_list(n, HINT_NOT_RANDOM, KEY_LIST, n->list->id);
}

/* Returns the number of URIs with a scheme, as far as it is written. */
static size_t count_scheme(const struct value *value, const char *scheme)
{
    size_t count = 0;
    for (size_t i = 0; i < value->count; i++)
        count += uri_has_scheme(template_begin(&value->entries[i].compiled->text), scheme);
    return count;
}

/* LH-04 */
static void hint_mailto(struct new_list *n, enum key key)
{
    struct value value = value_of(&n->from, key);
    if (count_scheme(&value, "https") + count_scheme(&value, "http") > 0 &&
        count_scheme(&value, "mailto") == 0)
        hint_entry(n, HINT_NO_MAILTO, value.entries);
}

/* True if each post has a value of its own for a part of a template, and uncut. */
static bool is_own_value(const struct token *tokens, const struct template_part *part)
{
    const uint64_t own = VAR_BIT(VAR_MESSAGE_ID) | VAR_BIT(VAR_MESSAGE_ID_HASH) |
                         VAR_BIT(VAR_LIST_ID_HASH) | VAR_BIT(VAR_SEQUENCE);
    if (part->variable >= VAR_COUNT || (part->width > 0 && part->variable != VAR_SEQUENCE))
        return false;
    if (part->variable < VAR_FIRST_TOKEN)
        return (VAR_BIT(part->variable) & own) != 0;
    return (tokens[part->variable - VAR_FIRST_TOKEN].of.needs & ~VARS_LIST) != 0;
}

/* True if the posts of a month, or many posts, have one URL. */
static bool is_constant(const struct token *tokens, const struct template *t)
{
    size_t i = 0;
    while (i < t->count && !is_own_value(tokens, &t->parts[i]))
        i++;
    return i == t->count;
}

/* Hints about the archive that a template begins with. */
static void hint_archive(struct new_list *n, const struct entry *template)
{
    struct value archive = value_of(&n->from, KEY_ARCHIVE);
    struct span url = n->values.text[VAR_ARCHIVE];
    bool may_be_web = count_scheme(&archive, "https") + count_scheme(&archive, "http") > 0;
    for (size_t i = 0; i < archive.count; i++)
        may_be_web |= template_begin(&archive.entries[i].compiled->text).n == 0 ||
                      item_hint(archive.entries[i].text) == HINT_SCHEME;
    if (archive.count > 0 && !may_be_web)
        hint_entry(n, HINT_ARCHIVE_IS_NO_WEB, archive.entries);
    else if (archive.count > 0 && span_find_any(url, "?#") < url.n)
        hint_entry(n, HINT_ARCHIVE_HAS_QUERY, archive.entries);
    else if (archive.count == 0 && section_has(&n->own, template)) /* RULINGS 42 */
        hint_entry(n, HINT_NO_ARCHIVE, template);
}

static void hint_archived_at(struct new_list *n)
{
    struct value value = value_of(&n->from, KEY_ARCHIVED_AT);
    if (value.entries == NULL && n->list->has_web_archive)
        hint_entry(n, HINT_NO_ARCHIVED_AT, value_of(&n->from, KEY_ARCHIVE).entries);
    for (size_t i = 0; i < value.count; i++) {
        const struct entry *entry = &value.entries[i];
        const struct template *t = &entry->compiled->text;
        if (link_hint(entry->text) == REMARK_NONE && is_constant(n->b->tokens, t))
            hint_entry(n, HINT_IS_CONSTANT, entry);
        if ((t->needs & VAR_BIT(VAR_ARCHIVE)) != 0)
            hint_archive(n, entry);
    }
}

/* RULINGS 15, 68; RFC 8058 3.1 */
static void hint_one_click(struct new_list *n)
{
    struct value value = value_of(&n->from, KEY_UNSUBSCRIBE);
    bool has_effect = n->list->select != SELECT_RECIPIENT && count_scheme(&value, "https") == 1 &&
                      count_scheme(&value, "http") == 0;
    if (!n->list->unsubscribe_one_click)
        return;
    if (!has_effect)
        hint_entry(n, HINT_NO_ONE_CLICK, value_of(&n->from, KEY_UNSUBSCRIBE_ONE_CLICK).entries);
    for (size_t i = 0; has_effect && i < value.count; i++) {
        const struct template *uri = &value.entries[i].compiled->text;
        if (uri_has_scheme(template_begin(uri), "https") &&
            recipient_requested(uri) != VARS_RECIPIENT)
            hint_entry(n, HINT_NO_PROOF, &value.entries[i]);
    }
}

/* Reports command addresses such as dev-bounces: most list managers send posts with one, and each
 * post would count as a command response. */
static void hint_bounces(struct new_list *n)
{
    struct value value = value_of(&n->from, KEY_COMMAND_ADDRESSES);
    const struct list address_alone = {.mailbox = n->list->mailbox};
    for (size_t i = 0; i < n->list->command_address_count; i++) {
        struct span mailbox = list_command_addresses(n->list)[i], text = value.entries[i].text;
        size_t added = mailbox.n - n->list->mailbox.n;
        if (command_kind_of(&text) == COMMAND_PLAIN && added == strlen("-bounces") &&
            list_derives_sender(&address_alone, mailbox) > 0 &&
            span_ends_nocase(address_local(mailbox), span_cstr("bounces")))
            hint_entry(n, HINT_BOUNCES, &value.entries[i]);
    }
}

/* `defaults` count before the manager (RULINGS 90, 107). */
static void hint_manager(struct new_list *n)
{
    const struct section *manager = n->from.sections[FROM_MANAGER];
    for (size_t i = 0; manager != NULL && i < manager->count; i++) {
        enum key key = manager->entries[i].key;
        struct value value = value_of(&n->from, key);
        if (value.source == FROM_DEFAULTS && value.count > 0 && schema[key].variables != 0 &&
            (i == 0 || manager->entries[i - 1].key != key))
            hint_entry(n, HINT_HIDES_MANAGER, value.entries);
    }
}

void report_hints(struct new_list *n)
{
    values_hint(n->b->hints, &n->from, SECTION_LIST);
    hint_missing(n);
    hint_mailto(n, KEY_HELP);
    hint_mailto(n, KEY_SUBSCRIBE);
    hint_mailto(n, KEY_UNSUBSCRIBE);
    hint_archived_at(n);
    hint_one_click(n);
    hint_bounces(n);
    hint_manager(n);
}

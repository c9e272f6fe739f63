/* hints - what is legal but unwise in a list (RULINGS 12, 43, 84, 90, 107) */
#include "config/lists/new_list.h"
#include "config/read/faults.h"
#include "mail/address.h"
#include "spec/list_fields.h"
#include "spec/list_id.h"
#include "spec/owned_fields.h"
#include "spec/uri.h"

/* Returns what a URI begins with as it is written, up to its first variable. */
static struct span uri_begin(const struct template *uri)
{
    return uri->count > 0 ? template_literal(&uri->parts[0]) : span_of(NULL, 0);
}

static bool has_unknown_scheme(const struct template *uri)
{
    struct span begin = uri_begin(uri);
    size_t colon = span_find(begin, ':');
    return colon < begin.n && !uri_scheme_is_known(span_sub(begin, 0, colon));
}

/* True if an address of the mailto: has two "@". */
static bool has_two_at_signs(const struct template *mailto)
{
    size_t count = 0;
    for (size_t i = 0; i < mailto->count && count < 2; i++) {
        const struct template_part *part = &mailto->parts[i];
        struct span text = template_literal(part);
        count += part->variable == VAR_ADDRESS || part->variable == VAR_RECIPIENT ? 1 : 0;
        for (size_t k = 0; k < text.n && count < 2; k++) {
            if (text.p[k] == '?')
                return false;
            count = text.p[k] == ',' ? 0 : count + (text.p[k] == '@' ? 1 : 0);
        }
    }
    return count > 1;
}

/* True for "mailto:x@y.example(comment)". */
static bool has_comment_inside(const struct list_text *text)
{
    const struct template *t = &text->text;
    bool opens = false;
    struct span end = t->count > 0 ? template_literal(&t->parts[t->count - 1]) : span_of("", 0);
    for (size_t i = 0; i < t->count; i++)
        opens |= span_find(template_literal(&t->parts[i]), '(') < t->parts[i].length;
    return opens && end.n > 0 && end.p[end.n - 1] == ')' &&
           (text->comments == NULL || text->comments[1].count == 0);
}

/* True if a slash after a query is before a hash: "https://x.example/?list=dev/{message_id_hash}".
 * It is part of the query's value then. */
static bool has_hash_in_query(const struct template *t)
{
    bool in_query = false, has_slash = false;
    for (size_t i = 0; i < t->count; i++) {
        const struct template_part *part = &t->parts[i];
        struct span text = template_literal(part);
        if (in_query && has_slash &&
            (part->variable == VAR_MESSAGE_ID_HASH || part->variable == VAR_LIST_ID_HASH))
            return true;
        in_query = in_query || span_find(text, '?') < text.n;
        if (part->variable == VAR_COUNT)
            has_slash = text.n > 0 && text.p[text.n - 1] == '/';
    }
    return false;
}

/* True if the template makes the same URL for all posts. */
static bool is_constant(const struct list_context *given, const struct template *t)
{
    for (size_t i = 0; i < given->token_names->count; i++)
        if ((t->needs & VAR_BIT(VAR_FIRST_TOKEN + i)) != 0 &&
            (given->tokens[i].of.needs & ~VARS_LIST) != 0)
            return false;
    return (t->needs & VARS_MESSAGE) == 0;
}

/* Returns what is unwise about a text itself, or REMARK_NONE. */
static enum remark text_hint(const struct list_context *given, const struct entry *entry)
{
    const struct template *t = entry->compiled != NULL ? &entry->compiled->text : NULL;
    struct trust_rule rule;
    if (entry->key == KEY_PARENTS)
        return list_id_fault(entry->text) != NULL ? HINT_PARENT_FORM : REMARK_NONE;
    if (entry->key == KEY_PARENT_SOURCES)
        return trust_rule_read(span_trim(entry->text), &rule) == REMARK_NONE ? trust_hint(&rule)
                                                                             : REMARK_NONE;
    if (entry->key == KEY_KEEP)
        return owned_field_find(field_name_find(entry->text))->never_kept ? HINT_IS_NEVER_KEPT
                                                                          : REMARK_NONE;
    if (t == NULL || t->count == 0 ||
        (entry->key != KEY_ARCHIVED_AT && schema[entry->key].field == FIELD_OTHER))
        return REMARK_NONE;
    if (has_unknown_scheme(t))
        return HINT_SCHEME;
    if (entry->key == KEY_ARCHIVED_AT)
        return is_constant(given, t)  ? HINT_IS_CONSTANT
               : has_hash_in_query(t) ? HINT_HASH_IN_QUERY
                                      : REMARK_NONE;
    if (has_comment_inside(entry->compiled))
        return HINT_COMMENT;
    return uri_has_scheme(uri_begin(t), "mailto") && has_two_at_signs(t) ? HINT_TWO_AT
                                                                         : REMARK_NONE;
}

static void hint_entry(struct new_list *n, enum remark hint, const struct entry *entry)
{
    report_hint(n->b->diagnostics, hint, entry_place(&n->from, entry), entry->text, n->list);
}

/* Reports the hints about texts themselves. */
static void hint_values(struct new_list *n, enum key key)
{
    struct value value = value_of(&n->from, key);
    for (size_t i = 0; i < value.count; i++) {
        enum remark hint = text_hint(&n->b->given, &value.entries[i]);
        if (hint != REMARK_NONE)
            hint_entry(n, hint, &value.entries[i]);
    }
}

/* Hints about an archive that a template begins with. */
static void hint_archive(struct new_list *n)
{
    struct value archive = value_of(&n->from, KEY_ARCHIVE);
    struct span url = n->values.text[VAR_ARCHIVE];
    bool is_web = false;
    for (size_t i = 0; i < archive.count; i++) {
        struct span begin = uri_begin(&archive.entries[i].compiled->text);
        is_web |= begin.n == 0 || uri_has_scheme(begin, "https") || uri_has_scheme(begin, "http");
    }
    if (archive.count > 0 && !is_web)
        hint_entry(n, HINT_ARCHIVE_IS_NO_WEB, archive.entries);
    else if (archive.count > 0 && span_find_any(url, "?#") < url.n)
        hint_entry(n, HINT_ARCHIVE_HAS_QUERY, archive.entries);
}

static void hint_archived_at(struct new_list *n)
{
    struct value value = value_of(&n->from, KEY_ARCHIVED_AT);
    if (value.entries == NULL && n->list->has_web_archive)
        hint_entry(n, HINT_NO_ARCHIVED_AT, value_of(&n->from, KEY_ARCHIVE).entries);
    for (size_t i = 0; i < value.count; i++)
        if ((value.entries[i].compiled->text.needs & VAR_BIT(VAR_ARCHIVE)) != 0)
            hint_archive(n);
}

/* RULINGS 15, 68 */
static void hint_one_click(struct new_list *n)
{
    struct value value = value_of(&n->from, KEY_UNSUBSCRIBE);
    struct web_items web = {0};
    for (size_t i = 0; i < value.count; i++)
        web_items_count(&web, uri_begin(&value.entries[i].compiled->text));
    if (n->list->unsubscribe_one_click &&
        (n->list->select == SELECT_RECIPIENT || !web_items_allow_one_click(&web)))
        hint_entry(n, HINT_NO_ONE_CLICK, value_of(&n->from, KEY_UNSUBSCRIBE_ONE_CLICK).entries);
}

/* Reports command addresses such as dev-bounces: most list managers send posts with one, and each
 * post would count as a command response. */
static void hint_bounces(struct new_list *n)
{
    struct value value = value_of(&n->from, KEY_COMMAND_ADDRESSES);
    struct span own = n->list->mailbox;
    for (size_t i = 0; own.n > 0 && i < n->list->command_address_count; i++) {
        struct span mailbox = list_command_addresses(n->list)[i], text = value.entries[i].text;
        struct span local = address_local(mailbox),
                    rest = span_sub(local, address_local(own).n, local.n);
        if (command_kind_of(&text) == COMMAND_PLAIN &&
            span_starts_nocase(local, address_local(own)) &&
            span_eq_nocase(address_domain(own), address_domain(mailbox)) &&
            (span_eq_nocase(rest, span_cstr("-bounces")) ||
             span_eq_nocase(rest, span_cstr("+bounces"))))
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

static void hint_list(struct new_list *n)
{
    static const struct {
        enum key key;
        enum remark hint;
    } expected[] = {{KEY_ADDRESS, HINT_NO_ADDRESS},
                    {KEY_DESCRIPTION, HINT_NO_DESCRIPTION},
                    {KEY_UNSUBSCRIBE, HINT_NO_UNSUBSCRIBE}};
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        if (value_of(&n->from, expected[i].key).entries != NULL)
            continue;
        struct place place = key_place(&n->own, expected[i].key);
        place.list = n->list->id;
        report_hint(n->b->diagnostics, expected[i].hint, place, NO_TEXT, n->list);
    }
    for (enum key key = 0; key < KEY_COUNT; key++)
        if (schema[key].section == SECTION_LIST)
            hint_values(n, key);
    hint_archived_at(n);
    hint_one_click(n);
    hint_bounces(n);
    hint_manager(n);
}

void list_builder_hint(struct list_builder *b, const struct section *section, struct list *list)
{
    struct new_list n;
    arena_reset(&b->scratch);
    new_list_init(&n, b, section, list, &b->scratch);
    list_variables(list, &n.values);
    list_set_archive(list, &b->scratch, &n.values);
    hint_list(&n);
}

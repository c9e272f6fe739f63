/*
 * addresses - the address of a list, its aliases, senders and command addresses
 *
 *   address = ( dot-atom-text / quoted-string ) "@" ( dot-atom-text / "[" ... "]" )
 *   alias   = address / dot-atom-text              the name of a local mailbox
 *
 * with UTF-8 as RFC 6531 3.3 extends it, and without the characters of routes.  One "*" in the
 * local part of a sender stands for any characters.  Mail is never checked with this.
 */
#include "config/lists/new_list.h"
#include "mail/address.h"
#include "mail/rfc5322.h"
#include "spec/iri.h"
#include "spec/mailbox.h"
#include "text/cursor.h"
#include "text/number.h"
#include "text/utf8.h"

static bool is_quoted_string(struct span text)
{
    struct cursor c = cursor_of(text);
    return cursor_peek(&c) == '"' && rfc5322_skip_quoted_string(&c) && cursor_at_end(&c);
}

static bool is_domain_literal(struct span text)
{
    return text.n > 2 && text.p[0] == '[' && span_find(text, ']') == text.n - 1 &&
           span_find_any(span_sub(text, 1, text.n), " [") == text.n - 1;
}

/* atom *( "." atom )          atom = 1*( atext / UTF8-non-ascii ) */
static bool is_dot_atom(struct span text)
{
    bool is_atom = false;
    for (size_t i = 0; i < text.n; i++) {
        bool is_dot = text.p[i] == '.';
        if (is_dot ? !is_atom : (unsigned char)text.p[i] < 0x80 && !rfc5322_is_atext(text.p[i]))
            return false;
        is_atom = !is_dot;
    }
    return is_atom;
}

/* True if a text contains U+0080 to U+009F; other control characters are in no atom. */
static bool has_control(struct span text)
{
    for (size_t i = 0; i + 1 < text.n; i++)
        if ((unsigned char)text.p[i] == 0xC2 && (unsigned char)text.p[i + 1] < 0xA0)
            return true;
    return false;
}

/* True for localhost and localhost.ANYTHING, which each host has. */
static bool is_any_host(struct span domain)
{
    return span_eq_nocase(span_sub(domain, 0, span_find(domain, '.')), span_cstr("localhost"));
}

/* Returns what is wrong with the text of an address of this key, or REMARK_NONE. */
static enum remark text_fault(enum key key, struct span text, struct span domain)
{
    struct span local = span_sub(text, 0, domain.n > 0 ? text.n - domain.n - 1 : 0);
    bool is_name = key == KEY_ALIASES && span_find(text, '@') == text.n;
    bool is_literal = is_domain_literal(domain);
    if (key == KEY_ALIASES && is_literal)
        return ERROR_ALIAS_LITERAL;
    if (!is_name && (local.n == 0 || domain.n == 0))
        return ERROR_ADDRESS;
    if (text.n > LIST_ADDRESS_MAX)
        return ERROR_ADDRESS_LONG;
    if (has_control(text))
        return ERROR_ADDRESS_CONTROL;
    if (is_name)
        return is_dot_atom(text) ? REMARK_NONE : ERROR_ALIAS;
    if (!is_dot_atom(local) && !is_quoted_string(local))
        return ERROR_ADDRESS_LOCAL;
    if (!is_dot_atom(domain) && !is_literal)
        return ERROR_ADDRESS_DOMAIN;
    if (key == KEY_SENDERS && span_find(domain, '*') < domain.n)
        return ERROR_PATTERN_DOMAIN;
    return key == KEY_ADDRESS && (is_literal || is_any_host(domain)) ? ERROR_ADDRESS_ANY_HOST
                                                                     : REMARK_NONE;
}

/* Returns what is wrong with the local part of an address, which may have been quoted, or
 * REMARK_NONE (RULINGS 110, 113). */
static enum remark local_fault(enum key key, struct span local)
{
    size_t star = key == KEY_SENDERS ? span_find(local, '*') : local.n;
    struct span after = span_sub(local, star + 1, local.n);
    if (span_find_any(local, "@%!") < local.n)
        return ERROR_ROUTE;
    if (star < local.n && (local.n == 1 || span_find(after, '*') < after.n))
        return ERROR_PATTERN;
    return REMARK_NONE;
}

struct configured_address {
    struct span text;    /* as written */
    struct span mailbox; /* as addresses are compared: spec/mailbox.h */
};

/* Reads an address into the arena of the settings. A domain has two forms, with A-labels and with
 * U-labels (RFC 5890 2.3.2.1), and mail may come to either: mailboxes have A-labels (RFC 6531,
 * AT-07). Returns false if it is wrong, or not for this list. */
static bool read_configured(struct new_list *n, const struct entry *entry, enum source source,
                            struct configured_address *out)
{
    struct arena *arena = n->b->arena, *scratch = &n->b->scratch;
    if (entry->is_wrong || !has_values(n, entry, entry->compiled->text.needs))
        return false;
    struct span text = list_expand(&entry->compiled->text, &n->values, scratch);
    struct span mailbox = mailbox_of(text, scratch), domain = address_domain(text), ascii;
    struct fault fault = {text_fault(entry->key, text, domain), NULL};
    if (entry->key == KEY_ALIASES && is_any_host(domain)) { /* it is the bare name */
        mailbox = address_local(mailbox);
        domain = span_of("", 0);
    }
    if (fault.remark == REMARK_NONE && !in_bounds(n, domain)) {
        if (entry->key == KEY_ALIASES && source == FROM_DEFAULTS)
            return false; /* a delegate cannot get an administrator's alias by choosing an id */
        fault = (struct fault){ERROR_OUTSIDE, n->b->bounds->owner};
    }
    if (fault.remark == REMARK_NONE) {
        fault.detail = domain_to_ascii(domain, scratch, &ascii);
        fault.remark =
            fault.detail != NULL ? ERROR_DOMAIN : local_fault(entry->key, address_local(mailbox));
    }
    if (fault.remark != REMARK_NONE)
        return report_wrong(n, entry, fault.remark, fault.detail);
    out->text = arena_dup(arena, text);
    out->mailbox = span_eq(mailbox, text) ? out->text : arena_dup(arena, mailbox);
    return true;
}

void build_address(struct new_list *n)
{
    struct value value = value_of(&n->from, KEY_ADDRESS);
    struct configured_address address;
    list_variables(n->list, &n->values);
    /* address = "" says that the list has none (RULINGS 84) */
    if (value.count == 0 || span_trim(value.entries->text).n == 0)
        return;
    if (!read_configured(n, value.entries, value.source, &address)) {
        n->address_is_wrong = true;
        return;
    }
    n->list->address = address.text;
    n->list->mailbox = address.mailbox;
    list_variables(n->list, &n->values);
}

/* Reports an address that a list has already. */
static void report_taken(struct new_list *n, struct place place, struct span address,
                         enum remark remark, const struct list *by)
{
    struct shown id, line;
    say(n->b->diagnostics, SEVERITY_ERROR, place, address, remark,
        WITH(shown_text(by->id, &id), by->file, shown_number((size_t)by->line, &line)));
    n->is_wrong = true;
}

/* Adds a way to the list. Reports an address that another list has, in the line of the list that
 * comes later; but one that is a command address of the earlier list in the line of that key. */
static void add_way(struct new_list *n, const struct entry *entry, enum list_way way,
                    const struct configured_address *address)
{
    bool is_address = way == LIST_BY_ADDRESS, is_sender = way == LIST_BY_SENDER;
    enum remark remark = is_sender    ? ERROR_SENDER_TAKEN
                         : is_address ? ERROR_ADDRESS_TAKEN
                                      : ERROR_COMMAND_TAKEN;
    const struct list *other = list_index_put(n->b->index, way, address->mailbox, n->list);
    /* A sender chooses no list where List-Id does: lists may share it (RULINGS 113). */
    if (is_sender && other != NULL && other->select == SELECT_LIST_ID &&
        n->list->select == SELECT_LIST_ID)
        return;
    if (!is_sender && other == NULL) { /* no address of a list is a command address, too */
        remark = is_address ? ERROR_COMMAND_TAKEN : ERROR_ADDRESS_TAKEN;
        other = list_get(n->b->index, is_address ? LIST_BY_ANY_COMMAND : LIST_BY_ADDRESS,
                         address->mailbox);
        if (is_address && other != NULL && n->b->bounds == NULL &&
            other->command_addresses_line != 0) {
            report_taken(n,
                         place_of(other->file, other->command_addresses_line,
                                  schema[KEY_COMMAND_ADDRESSES].name),
                         address->text, ERROR_ADDRESS_TAKEN, n->list);
            return;
        }
    }
    if (other == NULL)
        return;
    struct place place = entry_place(&n->from, entry);
    if (place.taken_from != NULL) /* it is the list that must differ */
        place = key_place(&n->own, entry->key);
    report_taken(n, place, address->text, remark, other);
}

static enum list_way way_of(enum key key, enum command_kind kind)
{
    if (key == KEY_COMMAND_ADDRESSES)
        return kind == COMMAND_PLAIN ? LIST_BY_COMMAND : LIST_BY_COMMAND_FROM;
    return key == KEY_SENDERS ? LIST_BY_SENDER : LIST_BY_ADDRESS;
}

/* Reads the addresses of a key into mailboxes, and adds the list by them. Returns their number. */
static uint32_t add_addresses(struct new_list *n, enum key key, struct span *mailboxes)
{
    struct value value = value_of(&n->from, key);
    struct list *list = n->list;
    uint32_t count = 0;
    for (size_t i = 0; i < value.count; i++) {
        const struct entry *entry = &value.entries[i];
        struct configured_address address;
        struct span text = entry->text;
        enum command_kind kind =
            key == KEY_COMMAND_ADDRESSES ? command_kind_of(&text) : COMMAND_PLAIN;
        if (!read_configured(n, entry, value.source, &address))
            continue;
        struct span mailbox = mailboxes[count++] = address.mailbox;
        add_way(n, entry, way_of(key, kind), &address);
        if (kind == COMMAND_ALWAYS)
            list_index_put(n->b->index, LIST_BY_COMMAND_ALWAYS, mailbox, list);
        list->has_bare_name |= key == KEY_ALIASES && span_find(mailbox, '@') == mailbox.n;
        if (key == KEY_SENDERS && list->select == SELECT_SENDER &&
            span_find(mailbox, '*') < mailbox.n &&
            !list_index_add_pattern(n->b->index, mailbox, list))
            report_wrong(n, entry, ERROR_PATTERNS, NUMBER_TEXT(LIST_PATTERNS_MAX));
    }
    return count;
}

/* True if `senders` count. Sympa's preset has some for {recipient_token}; with select =
 * "sender" they would hide the senders that are derived from the address. */
static bool takes_senders(const struct new_list *n, const struct value *senders)
{
    const struct section *manager = n->from.sections[FROM_MANAGER];
    bool is_for_token = senders->source == FROM_MANAGER && manager != NULL &&
                        (manager->lacks & KEY_BIT(KEY_SELECT)) != 0;
    return n->list->select == SELECT_LIST_ID || (n->list->select == SELECT_SENDER && !is_for_token);
}

void build_ways(struct new_list *n)
{
    struct list *list = n->list;
    struct value commands = value_of(&n->from, KEY_COMMAND_ADDRESSES);
    struct value senders = value_of(&n->from, KEY_SENDERS);
    const struct configured_address own = {list->address, list->mailbox};
    bool has_senders = takes_senders(n, &senders);
    size_t most =
        value_of(&n->from, KEY_ALIASES).count + commands.count + (has_senders ? senders.count : 0);
    struct span *mailboxes = arena_calloc(n->b->arena, most, sizeof *mailboxes);
    if (list->mailbox.n > 0)
        add_way(n, value_of(&n->from, KEY_ADDRESS).entries, LIST_BY_ADDRESS, &own);
    list->aliases = mailboxes;
    list->alias_count = add_addresses(n, KEY_ALIASES, mailboxes);
    mailboxes += list->alias_count;
    list->command_address_count = add_addresses(n, KEY_COMMAND_ADDRESSES, mailboxes);
    mailboxes += list->command_address_count;
    if (commands.count > 0 && commands.source == FROM_SECTION)
        list->command_addresses_line = commands.entries->line;
    if (has_senders)
        list->sender_count = add_addresses(n, KEY_SENDERS, mailboxes);
    else if (senders.count > 0 && senders.source == FROM_SECTION)
        report_wrong(n, senders.entries, ERROR_SENDERS_OF_ALIAS, NULL);
}

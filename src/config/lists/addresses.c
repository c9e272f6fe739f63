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

static enum remark length_fault(struct span text)
{
    if (text.n > LIST_ADDRESS_MAX)
        return ERROR_ADDRESS_LONG;
    for (size_t i = 0; i + 1 < text.n; i++) /* U+0080 to U+009F; others are no atoms */
        if ((unsigned char)text.p[i] == 0xC2 && (unsigned char)text.p[i + 1] < 0xA0)
            return ERROR_ADDRESS_CONTROL;
    return REMARK_NONE;
}

static enum remark address_fault(struct span address)
{
    struct span local = address_local(address);
    struct span domain = address_domain(address);
    if (local.n == 0 || domain.n == 0)
        return ERROR_ADDRESS;
    enum remark fault = length_fault(address);
    if (fault == REMARK_NONE && !is_dot_atom(local) && !is_quoted_string(local))
        fault = ERROR_ADDRESS_LOCAL;
    if (fault == REMARK_NONE && !is_dot_atom(domain) && !is_domain_literal(domain))
        fault = ERROR_ADDRESS_DOMAIN;
    return fault;
}

static enum remark alias_fault(struct span alias)
{
    if (is_domain_literal(address_domain(alias)))
        return ERROR_ALIAS_LITERAL;
    if (span_find(alias, '@') < alias.n)
        return address_fault(alias);
    enum remark fault = length_fault(alias);
    return fault != REMARK_NONE || is_dot_atom(alias) ? fault : ERROR_ALIAS;
}

/* True for localhost and localhost.ANYTHING, which each host has. */
static bool is_any_host(struct span domain)
{
    return span_eq_nocase(span_sub(domain, 0, span_find(domain, '.')), span_cstr("localhost"));
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

/* Returns what is wrong with the text of an address of this key, or REMARK_NONE. */
static enum remark text_fault(enum key key, struct span text, struct span domain)
{
    enum remark fault = key == KEY_ALIASES ? alias_fault(text) : address_fault(text);
    if (fault == REMARK_NONE && key == KEY_SENDERS && span_find(domain, '*') < domain.n)
        fault = ERROR_PATTERN_DOMAIN;
    if (fault == REMARK_NONE && key == KEY_ADDRESS &&
        (is_any_host(domain) || is_domain_literal(domain)))
        fault = ERROR_ADDRESS_ANY_HOST;
    return fault;
}

/* Reads an address into the arena of the settings. A domain has two forms, with A-labels and with
 * U-labels (RFC 5890 2.3.2.1), and mail may come to either: mailboxes have A-labels (RFC 6531,
 * AT-07). Returns false if it is wrong, or not for this list. */
static bool read_configured(struct new_list *n, const struct entry *entry, enum source source,
                            struct configured_address *out)
{
    struct arena *arena = n->b->given.arena, *scratch = &n->b->scratch;
    struct span ascii;
    if (entry->is_wrong || !has_values(n, entry, entry->compiled->text.needs))
        return false;
    struct span text = list_expand(&entry->compiled->text, &n->values, scratch);
    struct span mailbox = mailbox_of(text, scratch), domain = address_domain(text);
    enum remark fault = text_fault(entry->key, text, domain);
    const char *detail = NULL;
    struct shown owner;
    if (entry->key == KEY_ALIASES && is_any_host(domain)) { /* it is the bare name */
        mailbox = address_local(mailbox);
        domain = span_of("", 0);
    }
    if (fault == REMARK_NONE && !in_bounds(n, domain)) {
        if (entry->key == KEY_ALIASES && source == FROM_DEFAULTS)
            return false; /* a delegate cannot get an administrator's alias by choosing an id */
        fault = ERROR_OUTSIDE;
        detail = shown_text(span_cstr(n->b->bounds->owner), &owner);
    }
    if (fault == REMARK_NONE)
        detail = domain_to_ascii(domain, scratch, &ascii);
    if (fault == REMARK_NONE && detail != NULL)
        fault = ERROR_DOMAIN;
    if (fault == REMARK_NONE)
        fault = local_fault(entry->key, address_local(mailbox));
    if (fault != REMARK_NONE)
        return report_wrong(n, entry, fault, detail);
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

/* Reports an address that another list has, in the line of the list that comes later. */
static void report_clash(struct new_list *n, const struct entry *entry, struct span address,
                         enum remark remark, const struct list *other)
{
    struct place place = entry_place(&n->from, entry);
    struct shown id, line;
    if (place.taken_from != NULL) /* it is the list that must differ */
        place = key_place(&n->own, entry->key);
    say(n->b->diagnostics, SEVERITY_ERROR, place, address, remark,
        WITH(shown_text(other->id, &id), other->file, shown_number((size_t)other->line, &line)));
    n->is_wrong = true;
}

/* Reports a command address that is the address of another, later list, in the line of that key. */
static bool report_command(struct new_list *n, struct span address, const struct list *other)
{
    struct shown id, line;
    if (n->b->bounds != NULL || other->command_line == 0)
        return false;
    say(n->b->diagnostics, SEVERITY_ERROR,
        place_of(other->file, other->command_line, schema[KEY_COMMAND_ADDRESSES].name), address,
        ERROR_ADDRESS_TAKEN,
        WITH(shown_text(n->list->id, &id), n->list->file,
             shown_number((size_t)n->list->line, &line)));
    n->is_wrong = true;
    return true;
}

/* Adds a way to the list. No address of a list is a command address, too. */
static void add_way(struct new_list *n, const struct entry *entry, enum list_way way,
                    const struct configured_address *address)
{
    static const enum remark as[LIST_WAYS] = {[LIST_BY_ADDRESS] = ERROR_ADDRESS_TAKEN,
                                              [LIST_BY_COMMAND] = ERROR_COMMAND_TAKEN,
                                              [LIST_BY_COMMAND_FROM] = ERROR_COMMAND_TAKEN,
                                              [LIST_BY_SENDER] = ERROR_SENDER_TAKEN};
    const struct list_index *index = n->b->index;
    enum list_way opposite = way == LIST_BY_ADDRESS ? LIST_BY_COMMAND : LIST_BY_ADDRESS;
    const struct list *other = list_index_put(n->b->index, way, address->mailbox, n->list);
    /* A sender chooses no list where List-Id does: lists may share it (RULINGS 113). */
    if (way == LIST_BY_SENDER && other != NULL && other->select == SELECT_LIST_ID &&
        n->list->select == SELECT_LIST_ID)
        return;
    if (other != NULL) {
        report_clash(n, entry, address->text, as[way], other);
        return;
    }
    if (way == LIST_BY_SENDER)
        return;
    other = list_get(index, opposite, address->mailbox);
    if (other == NULL && opposite == LIST_BY_COMMAND)
        other = list_get(index, LIST_BY_COMMAND_FROM, address->mailbox);
    if (other != NULL && (way != LIST_BY_ADDRESS || !report_command(n, address->text, other)))
        report_clash(n, entry, address->text, as[opposite], other);
}

static enum list_way way_of(enum key key, enum command_kind kind)
{
    if (key == KEY_COMMAND_ADDRESSES)
        return kind == COMMAND_PLAIN ? LIST_BY_COMMAND : LIST_BY_COMMAND_FROM;
    return key == KEY_SENDERS ? LIST_BY_SENDER : LIST_BY_ADDRESS;
}

/* Adds the list by the name of a contact that is made of an alias. One that is made of the list's
 * address is found by LIST_BY_NAME. */
static void add_contact_of_alias(struct new_list *n, struct span contact)
{
    const struct list address_alone = {.mailbox = n->list->mailbox};
    if (list_derives_sender(n->list, contact) > 0 &&
        list_derives_sender(&address_alone, contact) == 0)
        list_index_put_contact(n->b->index, address_local(contact), n->list);
}

/* Adds the list by an address of a key. */
static void add_address(struct new_list *n, const struct entry *entry, enum command_kind kind,
                        const struct configured_address *address)
{
    struct list *list = n->list;
    add_way(n, entry, way_of(entry->key, kind), address);
    if (kind == COMMAND_ALWAYS)
        list_index_put(n->b->index, LIST_BY_COMMAND_ALWAYS, address->mailbox, list);
    if (entry->key == KEY_COMMAND_ADDRESSES && n->b->bounds == NULL && list->alias_count > 0)
        add_contact_of_alias(n, address->mailbox);
    if (entry->key == KEY_SENDERS && list->select == SELECT_SENDER &&
        span_find(address->mailbox, '*') < address->mailbox.n &&
        !list_index_add_pattern(n->b->index, address->mailbox, list))
        report_wrong(n, entry, ERROR_PATTERNS, NUMBER_TEXT(LIST_PATTERNS_MAX));
}

/* Reads the addresses of a key into mailboxes, and adds the list by them. Returns their number. */
static uint32_t add_addresses(struct new_list *n, enum key key, struct span *mailboxes)
{
    struct value value = value_of(&n->from, key);
    uint32_t count = 0;
    for (size_t i = 0; i < value.count; i++) {
        const struct entry *entry = &value.entries[i];
        struct configured_address address;
        struct span text = entry->text;
        enum command_kind kind =
            key == KEY_COMMAND_ADDRESSES ? command_kind_of(&text) : COMMAND_PLAIN;
        if (!read_configured(n, entry, value.source, &address))
            continue;
        mailboxes[count++] = address.mailbox;
        add_address(n, entry, kind, &address);
    }
    return count;
}

/* True if `senders` count. Those of Sympa's preset are for {recipient_token}; with select =
 * "sender" they would hide the senders that are derived from the address. */
static bool takes_senders(const struct new_list *n, const struct value *senders)
{
    const struct section *manager = n->from.sections[FROM_MANAGER];
    bool is_for_token = senders->source == FROM_MANAGER && manager != NULL &&
                        (manager->lacks & KEY_BIT(KEY_SELECT)) != 0;
    return n->list->select == SELECT_LIST_ID || (n->list->select == SELECT_SENDER && !is_for_token);
}

/* Adds the list by the names of its contacts, as another list has the name of its address. */
static void add_contacts(struct new_list *n)
{
    for (size_t i = 0; i < n->list->command_address_count; i++) {
        struct span contact = list_command_addresses(n->list)[i];
        if (list_derives_sender(n->list, contact) > 0)
            list_index_put_contact(n->b->index, address_local(contact), n->list);
    }
}

void build_ways(struct new_list *n)
{
    struct list *list = n->list;
    struct value senders = value_of(&n->from, KEY_SENDERS);
    const struct configured_address own = {list->address, list->mailbox};
    bool has_senders = takes_senders(n, &senders);
    size_t most = value_of(&n->from, KEY_ALIASES).count +
                  value_of(&n->from, KEY_COMMAND_ADDRESSES).count +
                  (has_senders ? senders.count : 0);
    struct span *mailboxes = arena_calloc(n->b->given.arena, most, sizeof *mailboxes);
    if (list->mailbox.n > 0)
        add_way(n, value_of(&n->from, KEY_ADDRESS).entries, LIST_BY_ADDRESS, &own);
    list->aliases = mailboxes;
    list->alias_count = add_addresses(n, KEY_ALIASES, mailboxes);
    mailboxes += list->alias_count;
    list->command_address_count = add_addresses(n, KEY_COMMAND_ADDRESSES, mailboxes);
    struct value commands = value_of(&n->from, KEY_COMMAND_ADDRESSES);
    if (commands.count > 0 && commands.source == FROM_SECTION)
        list->command_line = commands.entries->line;
    mailboxes += list->command_address_count;
    if (has_senders)
        list->sender_count = add_addresses(n, KEY_SENDERS, mailboxes);
    else if (senders.count > 0 && senders.source == FROM_SECTION)
        report_wrong(n, senders.entries, ERROR_SENDERS_OF_ALIAS, NULL);
    for (size_t i = 0; i < list->alias_count; i++)
        list->has_bare_name |= span_find(list->aliases[i], '@') == list->aliases[i].n;
    n->b->index->has_bare_names |= list->has_bare_name;
    /* A list with bounds has no bare name: any local user of the host may be called so. */
    if (list->mailbox.n > 0 && n->b->bounds == NULL &&
        (!list->has_bare_name || list->command_address_count > 0) &&
        !list_index_put_name(n->b->index, list))
        add_contacts(n);
}

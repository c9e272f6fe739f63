/* addresses - see addresses.h */
#include "config/lists/addresses.h"

#include "config/lists/list_index.h"
#include "mail/address.h"
#include "mail/rfc5322.h"
#include "spec/iri.h"
#include "spec/mailbox.h"
#include "text/ascii.h"
#include "text/cursor.h"
#include "text/utf8.h"

static bool is_quoted_string(struct span text)
{
    struct cursor c = cursor_of(text);
    return cursor_peek(&c) == '"' && rfc5322_skip_quoted_string(&c) && cursor_at_end(&c);
}

static bool is_domain_literal(struct span text)
{
    return text.n > 2 && text.p[0] == '[' && span_find(text, ']') == text.n - 1 &&
           span_find(text, ' ') == text.n &&
           span_find(span_sub(text, 1, text.n), '[') == text.n - 1;
}

/* atom = 1*( atext / UTF8-non-ascii )     of UTF-8 */
static bool is_atom(struct span text)
{
    for (size_t i = 0; i < text.n; i++)
        if ((unsigned char)text.p[i] < 0x80 && !rfc5322_is_atext(text.p[i]))
            return false;
    return text.n > 0;
}

/* atom *( "." atom ) */
static bool is_dot_atom(struct span text)
{
    size_t dot;
    while ((dot = span_find(text, '.')) < text.n) {
        if (!is_atom(span_sub(text, 0, dot)))
            return false;
        text = span_sub(text, dot + 1, text.n);
    }
    return is_atom(text);
}

/* Of ASCII and of UTF-8: U+0080 to U+009F are C2 80 to C2 9F. */
static bool has_control(struct span text)
{
    for (size_t i = 0; i < text.n; i++) {
        unsigned char next = i + 1 < text.n ? (unsigned char)text.p[i + 1] : 0xFF;
        if (ascii_is_control(text.p[i]) || ((unsigned char)text.p[i] == 0xC2 && next < 0xA0))
            return true;
    }
    return false;
}

/* What is wrong with the octets of an address or of a name. */
static const char *text_fault(struct span text)
{
    if (text.n > LIST_ADDRESS_MAX)
        return "is too long (expected at most 254 bytes)";
    if (!utf8_is_valid(text))
        return "is not valid UTF-8 (expected LOCAL@DOMAIN)";
    if (has_control(text))
        return "holds a control character (expected LOCAL@DOMAIN)";
    return NULL;
}

static const char *address_fault(struct span address)
{
    struct span local = address_local(address);
    struct span domain = address_domain(address);
    if (local.n == 0 || domain.n == 0)
        return "is no address (expected LOCAL@DOMAIN)";
    const char *fault = text_fault(address);
    if (fault != NULL)
        return fault;
    if (!is_dot_atom(local) && !is_quoted_string(local))
        return "has a wrong part before the \"@\" (expected LOCAL@DOMAIN, no name and no brackets)";
    if (!is_dot_atom(domain) && !is_domain_literal(domain))
        return "has a wrong domain (expected LOCAL@DOMAIN, no brackets)";
    return NULL;
}

static const char *alias_fault(struct span alias)
{
    if (is_domain_literal(address_domain(alias)))
        return "is an address literal (expected the NAME alone: it stands for NAME@localhost and "
               "for "
               "each address literal)";
    if (span_find(alias, '@') < alias.n)
        return address_fault(alias);
    const char *fault = text_fault(alias);
    if (fault == NULL && !is_dot_atom(alias))
        fault = "is no address (expected LOCAL@DOMAIN, or the NAME of a local mailbox)";
    return fault;
}

/* A domain has two forms, with A-labels and with U-labels (RFC 5890 2.3.2.1), and mail may come to
 * either; what is compared has A-labels (RFC 6531, AT-07). Returns NULL, or what is wrong. */
static const char *configure(struct span text, struct arena *arena, struct configured_address *out)
{
    struct span ascii;
    const char *fault = domain_to_ascii(address_domain(text), arena, &ascii);
    if (fault == NULL)
        *out = (struct configured_address){text, mailbox_of(text, arena)};
    return fault;
}

bool draft_read_address(struct list_draft *draft, const struct config_text *text,
                        struct configured_address *address)
{
    struct list_builder *b = draft->builder;
    if (!draft_has_values(draft, text, &text->of->text))
        return false;
    struct span literal = draft_expand(draft, &text->of->text);
    const char *fault = text->key == KEY_ALIASES ? alias_fault(literal) : address_fault(literal);
    if (fault != NULL)
        return draft_wrong(draft, text, fault);
    bool is_inside = draft_in_bounds(draft, address_domain(literal));
    if (!is_inside && text->key == KEY_ALIASES && text->from_defaults)
        return false; /* for the administrator's lists: no delegate gets it by a choice of name */
    if (!is_inside)
        return draft_wrong(draft, text, b->bounds->outside);
    fault = configure(arena_dup(b->given.arena, literal), b->given.arena, address);
    return fault == NULL || draft_wrong(draft, text, fault);
}

void draft_address(struct list_draft *draft)
{
    const struct config_texts *texts = draft_texts(draft, KEY_ADDRESS);
    bool is_there = texts->count > 0 && span_trim(texts->items[0].raw.text).n > 0;
    draft->address_wrong = texts->wrong;
    if (is_there && draft_read_address(draft, &texts->items[0], &draft->address)) {
        draft->list->address = draft->address.text;
        draft->list->mailbox = draft->address.mailbox;
    } else if (is_there) /* address = "" says that the list has none (RULINGS 84) */
        draft->address_wrong = true;
    list_variables(draft->list, &draft->values);
}

/* near_miss - see near_miss.h */
#include "ctl/near_miss.h"

#include "mail/address.h"
#include "spec/list_id.h"
#include "spec/mailbox.h"
#include "text/cursor.h"
#include "text/edit_distance.h"
#include "text/visible.h"

#include <arpa/inet.h>
#include <string.h>

/* Appends a text with a span after it. */
static void add(struct strbuf *out, const char *text, struct span value)
{
    strbuf_add_str(out, text);
    visible_add(out, value);
}

static void add_untrusted(struct strbuf *out, const struct client *client)
{
    static const unsigned char mapped[12] = {[10] = 0xFF, [11] = 0xFF};
    const unsigned char *address = client->address.octets;
    bool is_v4 = memcmp(address, mapped, sizeof mapped) == 0;
    char text[INET6_ADDRSTRLEN];
    strbuf_add_str(out, ", but ");
    if (!client->has_address)
        strbuf_add_str(out, client->local ? "local submission (\"local\")" : "the client");
    else
        strbuf_addf(out, "the client %s",
                    inet_ntop(is_v4 ? AF_INET : AF_INET6, is_v4 ? address + sizeof mapped : address,
                              text, sizeof text));
    strbuf_add_str(out, " is not in `trusted` (expected it there if it is the list manager's "
                        "host)\n");
}

/* Returns the id of the first List-Id field, or an empty span. */
static struct span first_list_id(const struct facts *facts, struct arena *arena)
{
    size_t place = header_find(facts->header, FIELD_LIST_ID, 0);
    struct span id = {NULL, 0};
    if (place < header_count(facts->header))
        (void)list_id_read(header_field(facts->header, place).value, arena, &id);
    return id;
}

static void hint_list_id(struct strbuf *out, const struct facts *facts, struct span id)
{
    const struct list_index *index = &facts->settings->index;
    const struct list *list = id.n > 0 ? list_by_id(index, id) : NULL;
    for (size_t i = 0; i < index->count && id.n > 0 && list == NULL; i++) {
        if (!edit_is_within(index->lists[i]->id, id, 2))
            continue;
        add(out, "the List-Id is <", id);
        add(out, ">, which is no list's; the nearest is <", index->lists[i]->id);
        strbuf_add_str(out, ">\n");
        return;
    }
    if (list == NULL)
        return;
    add(out, "the List-Id is that of ", list->id);
    if (list->select == SELECT_LIST_ID) {
        add_untrusted(out, &facts->envelope->client);
    } else if (list->select == SELECT_SENDER) {
        strbuf_add_str(out, ", but with select = \"sender\" the envelope sender counts\n");
    } else {
        add(out, ", but with select = \"recipient\" only mail to ", list->address);
        strbuf_add_str(out, " is the list's\n");
    }
}

static void hint_sender(struct strbuf *out, const struct facts *facts, struct span id)
{
    const struct list_index *index = &facts->settings->index;
    struct span sender = facts->envelope->sender_mailbox;
    const struct list *best = NULL;
    size_t longest = 0;
    for (size_t i = 0; sender.n > 0 && i < index->count; i++) {
        const struct list *list = index->lists[i];
        size_t length = list->select == SELECT_RECIPIENT ? 0 : list_derives_sender(list, sender);
        if (length > longest) {
            longest = length;
            best = list;
        }
    }
    if (best == NULL || (id.n > 0 && best->select == SELECT_LIST_ID)) /* see hint_list_id */
        return;
    add(out, "the envelope sender is made of the address of ", best->id);
    if (!facts->envelope->trusted)
        add_untrusted(out, &facts->envelope->client);
    else
        strbuf_add_str(out, ", but there is no List-Id (expected one by the list manager, or "
                            "select = \"sender\" in the list)\n");
}

/* Returns how an address differs from that of a list, or NULL if it is not near. */
static const char *compare_addresses(struct span local, struct span domain, struct span mailbox)
{
    struct span own = address_local(mailbox);
    bool is_here = span_eq_nocase(domain, address_domain(mailbox));
    if (own.n == 0)
        return NULL;
    if (!is_here)
        return span_eq_nocase(local, own)
                   ? "another domain (expected it in aliases, if mail to it reaches the list)"
                   : NULL;
    if (local.n > own.n && span_starts_nocase(local, own) && strchr("+-=_", local.p[own.n]) != NULL)
        return "an addition (expected its delimiter in recipient_delimiter, if the MTA takes it "
               "off)";
    return edit_is_within(local, own, 1) ? "another spelling" : NULL;
}

static void hint_recipient(struct strbuf *out, const struct facts *facts)
{
    const struct list_index *index = &facts->settings->index;
    struct span mailbox = facts->envelope->first_mailbox;
    struct span local = address_local(mailbox), domain = address_domain(mailbox);
    for (size_t i = 0; local.n > 0 && i < index->count; i++) {
        const struct list *list = index->lists[i];
        const char *difference = compare_addresses(local, domain, list->mailbox);
        if (difference == NULL)
            continue;
        add(out, "the recipient ", mailbox);
        add(out, " is ", list->address);
        add(out, ", the address of ", list->id);
        strbuf_addf(out, ", with %s\n", difference);
        return;
    }
}

/* Appends the list that To or Cc names, if no recipient was given. */
static void hint_no_recipient(struct strbuf *out, const struct facts *facts, struct arena *arena)
{
    struct span to = header_first(facts->header, FIELD_TO, arena);
    struct cursor c = cursor_of(to);
    struct span mailbox;
    while (mailbox_next(&c, arena, &mailbox)) {
        const struct list *list = list_by_address(&facts->settings->index, mailbox);
        if (list == NULL)
            continue;
        add(out, "no --recipient was given; To has ", mailbox);
        add(out, span_eq_nocase(mailbox, list->mailbox) ? ", the address of " : ", an alias of ",
            list->id);
        strbuf_add_char(out, '\n');
        return;
    }
}

void add_near_misses(struct strbuf *out, const struct facts *facts,
                     const struct selection *selection, struct arena *arena)
{
    struct span id = first_list_id(facts, arena);
    bool is_cleaned = selection->rule == RULE_FEED && !facts->envelope->trusted;
    if (is_cleaned || selection->role == ROLE_NONE)
        hint_list_id(out, facts, id); /* also of a cleaned post: it may be the list manager's */
    if (selection->role != ROLE_NONE)
        return;
    hint_sender(out, facts, id);
    if (facts->envelope->first_recipient.p == NULL && facts->deferred_count == 0)
        hint_no_recipient(out, facts, arena);
    else
        hint_recipient(out, facts);
}

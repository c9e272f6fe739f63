/* near_miss - see near_miss.h */
#include "ctl/near_miss.h"

#include "mail/address.h"
#include "plan/selection.h"
#include "spec/list_id.h"
#include "text/edit_distance.h"
#include "text/visible.h"

#include <arpa/inet.h>
#include <string.h>

struct search {
    const struct facts *facts;
    const struct list_index *index;
    struct arena *arena;
    struct strbuf *out;
};

/* ---- the client ---- */

static void add_client(struct strbuf *out, const struct client *client)
{
    static const unsigned char mapped[12] = {[10] = 0xFF, [11] = 0xFF};
    const unsigned char *octets = client->address.octets;
    bool is_v4 = memcmp(octets, mapped, sizeof mapped) == 0;
    char text[INET6_ADDRSTRLEN];
    if (!client->has_address)
        strbuf_add_str(out, client->local ? "local submission (\"local\")" : "the client");
    else
        strbuf_addf(out, "the client %s",
                    inet_ntop(is_v4 ? AF_INET : AF_INET6, is_v4 ? octets + sizeof mapped : octets,
                              text, sizeof text));
}

static void add_untrusted(const struct search *s)
{
    strbuf_add_str(s->out, ", but ");
    add_client(s->out, &s->facts->envelope->client);
    strbuf_add_str(s->out, " is not in `trusted` (expected it there if it is the list "
                           "manager's host)\n");
}

static void add_list(struct strbuf *out, const char *text, const struct list *list)
{
    strbuf_add_str(out, text);
    visible_add(out, list->id);
}

/* ---- List-Id ---- */

/* Returns the id of the first List-Id field, or an empty span. */
static struct span first_id(const struct search *s)
{
    const struct header *header = s->facts->header;
    size_t place = header_find(header, FIELD_LIST_ID, 0);
    struct span id = {NULL, 0};
    if (place < header_count(header))
        (void)list_id_read(header_field(header, place).value, s->arena, &id);
    return id;
}

static const struct list *nearest_id(const struct search *s, struct span id)
{
    for (size_t i = 0; i < s->index->count; i++)
        if (edit_is_within(s->index->lists[i]->id, id, 2))
            return s->index->lists[i];
    return NULL;
}

static void of_list_id(const struct search *s)
{
    struct span id = first_id(s);
    if (id.n == 0)
        return;
    const struct list *list = list_by_id(s->index, id);
    const struct list *near = list == NULL ? nearest_id(s, id) : NULL;
    if (near != NULL) {
        strbuf_add_str(s->out, "the List-Id is <");
        visible_add(s->out, id);
        add_list(s->out, ">, which is no list's; the nearest is <", near);
        strbuf_add_str(s->out, ">\n");
    }
    if (list == NULL)
        return;
    add_list(s->out, "the List-Id is that of ", list);
    if (list->select == SELECT_LIST_ID) {
        add_untrusted(s);
        return;
    }
    strbuf_add_str(s->out, list->select == SELECT_SENDER
                               ? ", but with select = \"sender\" the envelope sender counts"
                               : ", but with select = \"recipient\" only mail to ");
    if (list->select == SELECT_RECIPIENT) {
        visible_add(s->out, list->address);
        strbuf_add_str(s->out, " is the list's");
    }
    strbuf_add_char(s->out, '\n');
}

/* ---- the envelope sender ---- */

static void of_sender(const struct search *s)
{
    struct span sender = s->facts->envelope->sender_mailbox;
    const struct list *best = NULL;
    size_t longest = 0;
    for (size_t i = 0; sender.n > 0 && i < s->index->count; i++) {
        const struct list *list = s->index->lists[i];
        size_t length = list->select == SELECT_RECIPIENT ? 0 : list_derives_sender(list, sender);
        if (length > longest) {
            longest = length;
            best = list;
        }
    }
    if (best == NULL)
        return;
    if (first_id(s).n > 0 && best->select == SELECT_LIST_ID)
        return; /* of_list_id said what the List-Id lacks */
    add_list(s->out, "the envelope sender is made of the address of ", best);
    if (!s->facts->envelope->trusted)
        add_untrusted(s);
    else
        strbuf_add_str(s->out, ", but there is no List-Id (expected one by the list manager, or "
                               "select = \"sender\" in the list)\n");
}

/* ---- the recipient ---- */

/* Of two local parts: is one the other with something behind a delimiter? */
static bool is_extension(struct span local, struct span of_list)
{
    return local.n > of_list.n && span_starts_nocase(local, of_list) &&
           strchr("+-=_", local.p[of_list.n]) != NULL;
}

static void of_recipient(const struct search *s)
{
    struct span mailbox = s->facts->envelope->first_mailbox;
    struct span local = address_local(mailbox), domain = address_domain(mailbox);
    for (size_t i = 0; local.n > 0 && i < s->index->count; i++) {
        const struct list *list = s->index->lists[i];
        struct span of_list = address_local(list->mailbox);
        bool here = span_eq_nocase(domain, address_domain(list->mailbox));
        const char *what;
        if (of_list.n == 0)
            continue;
        if (!here && span_eq_nocase(local, of_list))
            what = "another domain (expected it in aliases, if mail to it reaches the list)";
        else if (here && is_extension(local, of_list))
            what = "an addition (expected its delimiter in recipient_delimiter, if the MTA takes "
                   "it off)";
        else if (here && edit_is_within(local, of_list, 1))
            what = "another spelling";
        else
            continue;
        strbuf_add_str(s->out, "the recipient ");
        visible_add(s->out, mailbox);
        strbuf_add_str(s->out, " is ");
        visible_add(s->out, list->address);
        add_list(s->out, ", the address of ", list);
        strbuf_addf(s->out, ", with %s\n", what);
        return;
    }
}

void near_miss_add(struct strbuf *out, const struct facts *facts, const struct selection *selection,
                   struct arena *arena)
{
    const struct search s = {facts, &facts->settings->index, arena, out};
    bool is_cleaned = selection->rule == RULE_FEED && !facts->envelope->trusted;
    if (is_cleaned || selection->role == ROLE_NONE)
        of_list_id(&s); /* also of a cleaned post: its List-Id may be the list manager's */
    if (selection->role == ROLE_NONE) {
        of_sender(&s);
        of_recipient(&s);
    }
}

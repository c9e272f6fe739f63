/* why_not - see why_not.h */
#include "ctl/why_not.h"

#include "ctl/tool.h"
#include "mail/address.h"
#include "spec/list_fields.h"
#include "spec/list_id.h"
#include "spec/mailbox.h"
#include "spec/owned_fields.h"
#include "text/cursor.h"

#include <string.h>

#define SHOWN_MAX 200 /* bytes of a List-Id */

struct why_not {
    struct decided *made;
    const struct facts *facts;
    const struct list_index *index;
    struct arena *arena;
    struct span client;
};

void why_not_add(struct decided *made, const char *text)
{
    struct plan *plan = &made->plan;
    if (plan->note_count < sizeof plan->notes / sizeof plan->notes[0])
        plan->notes[plan->note_count++] = (struct plan_note){false, text};
}

/* Adds a note, with a value for each "%" of the format. */
static void add_note(struct why_not *w, const char *format, const struct span *values)
{
    struct strbuf text = STRBUF_INIT;
    for (; *format != '\0'; format++)
        if (*format == '%')
            strbuf_add_span(&text, *values++);
        else
            strbuf_add_char(&text, *format);
    why_not_add(w->made, strbuf_keep(&text, w->arena));
}

#define NOTE(w, format, ...) add_note(w, format, (const struct span[]){__VA_ARGS__})

/* ---- no list: the nearest miss ---- */

#define UNTRUSTED "but % is not in `trusted` (expected it there if it is the list manager's host)"

static void note_named(struct why_not *w, const struct list *list)
{
    static const char *const formats[] = {
        [SELECT_LIST_ID] = "the List-Id is that of %, " UNTRUSTED,
        [SELECT_SENDER] = "the List-Id is that of %, but with select = \"sender\" the envelope "
                          "sender counts",
        [SELECT_RECIPIENT] = "the List-Id is that of %, but with select = \"recipient\" only mail "
                             "to % is the list's",
    };
    NOTE(w, formats[list->select], list->id,
         list->select == SELECT_RECIPIENT ? list->address : w->client);
}

/* Notes the list from whose address the envelope sender is derived. Returns false if there is none.
 * List-Id: as it stands; p is NULL: there is none. */
static bool note_sender(struct why_not *w, struct span list_id)
{
    const struct envelope *envelope = w->facts->envelope;
    const struct list *best = NULL;
    size_t longest = 0;
    for (size_t i = 0; envelope->sender_mailbox.n > 0 && i < w->index->count; i++) {
        const struct list *list = w->index->lists[i];
        size_t length = list_derives_sender(list, envelope->sender_mailbox);
        if (length > longest && list->select != SELECT_RECIPIENT) {
            longest = length;
            best = list;
        }
    }
    if (best == NULL)
        return false;
#define MADE "the envelope sender is made of the address of %, "
#define EXPECTED                                                                                   \
    " (expected <%> by the list manager, or select = \"sender\" and this sender in the list)"
    if (!envelope->trusted)
        NOTE(w, MADE UNTRUSTED, best->id, w->client);
    else if (best->select == SELECT_SENDER)
        NOTE(w, MADE "but is not in `senders` of that list", best->id);
    else if (list_id.p == NULL)
        NOTE(w, MADE "but there is no List-Id" EXPECTED, best->id, best->id);
    else
        NOTE(w, MADE "but the List-Id is %" EXPECTED, best->id, span_sub(list_id, 0, SHOWN_MAX),
             best->id);
    return true;
}

/* Notes the list that To or Cc names, if no recipient was given. */
static void note_no_recipient(struct why_not *w)
{
    static const enum field_name names[] = {FIELD_TO, FIELD_CC};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct cursor c = cursor_of(header_first(w->facts->header, names[i], w->arena));
        const struct list *list = NULL;
        struct span mailbox;
        while (list == NULL && mailbox_next(&c, w->arena, &mailbox))
            list = list_get(w->index, LIST_BY_ADDRESS, mailbox);
        if (list == NULL)
            continue;
        bool is_address = span_eq_nocase(mailbox, list->mailbox);
        NOTE(w, "no --recipient was given; % has %, % of %", span_cstr(field_name_text(names[i])),
             mailbox, span_cstr(is_address ? "the address" : "an alias"), list->id);
        return;
    }
}

/* Notes the list that a recipient is near, and the key that would make it the list's. */
static void note_recipient(struct why_not *w)
{
    struct span mailbox = w->facts->envelope->first_mailbox;
    struct span local = address_local(mailbox), domain = address_domain(mailbox);
    struct span delimiters = w->facts->settings->recipient_delimiter;
    const struct list *list = list_get(w->index, LIST_BY_NAME, local);
    const char *cure =
        list != NULL ? " (expected it in aliases, if mail to it reaches the list)" : "";
    for (size_t n = local.n; list == NULL && n-- > 0;) {
        bool is_taken_off = span_find(delimiters, local.p[n]) < delimiters.n;
        if (!is_taken_off && strchr("+-=_", local.p[n]) != NULL)
            list = list_at(w->index, LIST_BY_ADDRESS, span_sub(local, 0, n), domain);
        if (list != NULL)
            cure = " (expected its delimiter in recipient_delimiter, if the MTA takes it off)";
    }
    struct span near = list != NULL ? list->address : nearest_list(w->index, mailbox);
    if (near.p != NULL)
        NOTE(w, "the recipient % is no list's; the nearest is %%", mailbox, near, span_cstr(cure));
}

static void note_no_list(struct why_not *w)
{
    const struct selection *selection = &w->made->selection;
    const struct envelope *envelope = w->facts->envelope;
    const struct header *header = w->facts->header;
    size_t place = header_find(header, FIELD_LIST_ID, 0);
    bool has_field = place < header_count(header);
    struct span text = has_field ? header_text(header, place, w->arena) : span_of(NULL, 0);
    struct span id = {NULL, 0};
    bool has_id = has_field && list_id_read(text, w->arena, &id);
    const struct list *named = has_id ? list_get(w->index, LIST_BY_ID, id) : NULL;
    /* The feed of an untrusted client may be a distribution by the list manager. */
    if (named != NULL &&
        (selection->role == ROLE_NONE || (selection->role == ROLE_FEED && !envelope->trusted)))
        note_named(w, named);
    if (named != NULL || selection->role != ROLE_NONE || note_sender(w, text))
        return;
    struct span near = has_id ? nearest_list(w->index, id) : span_of(NULL, 0);
    if (near.p != NULL)
        NOTE(w, "the List-Id is <%>, which is no list's; the nearest is %", id, near);
    else if (envelope->first_recipient.p == NULL && w->facts->deferred_count == 0)
        note_no_recipient(w);
    else
        note_recipient(w);
}

/* ---- no link, no button ---- */

/* Notes what the configuration does not have; plan/ notes the reasons that are the message's. */
static void note_no_link(struct why_not *w, const struct list *list)
{
    const struct list_text_array *templates = &list->texts->archived_at;
    size_t i = 0;
    while (i < templates->count && !list_leaves_out(list, &templates->items[i]))
        i++;
    if (templates->count == 0)
        why_not_add(w->made, "no Archived-At is added: the list has no archived_at");
    else if (i < templates->count)
        why_not_add(w->made, "no Archived-At with {archive} is added: the list has no archive with "
                             "http: or https:");
}

/* Notes why a list with a web page for it has no one-click unsubscription (RFC 8058); plan/ notes
 * that a token is missing. */
static void note_no_button(struct why_not *w, const struct list *list)
{
    const struct list_text_array *items = list_items(list, FIELD_LIST_UNSUBSCRIBE);
    const struct envelope *envelope = w->facts->envelope;
    struct web_items web = {0, 0};
    const char *why = NULL;
    for (size_t i = 0; i < items->count; i++)
        if (items->items[i].text.count > 0)
            web_items_count(&web, template_literal(&items->items[i].text.parts[0]));
    if (web.https == 0 && !list->unsubscribe_one_click)
        return;
    if (list->select == SELECT_RECIPIENT)
        why = "all members get one copy, so that no item can name the recipient";
    else if (!list->unsubscribe_one_click)
        why = "unsubscribe_one_click is not set";
    else if ((list->keep & FIELD_BIT(FIELD_LIST_UNSUBSCRIBE)) != 0)
        why = "keep names List-Unsubscribe";
    else if (!web_items_allow_one_click(&web))
        why = "unsubscribe needs exactly one https: item, and no http: item";
    else if (envelope->first_recipient.n == 0 || envelope->several_mailboxes)
        why = "it is only for exactly one recipient (--recipient)";
    if (why != NULL)
        NOTE(w, "no List-Unsubscribe-Post: %", span_cstr(why));
}

void why_not_note(struct decided *made, const struct facts *facts, const char *client,
                  struct arena *arena)
{
    struct strbuf text = STRBUF_INIT;
    strbuf_addf(&text, client != NULL ? "the client %s" : "local submission (\"local\")", client);
    struct why_not w = {made, facts, &facts->settings->index, arena,
                        span_cstr(strbuf_keep(&text, arena))};
    const struct selection *selection = &made->selection;
    if (facts->header->octets == 0)
        why_not_add(made, "the message has no header");
    else
        note_no_list(&w);
    size_t place = header_find(facts->header, FIELD_MESSAGE_ID, 0);
    if (selection->role != ROLE_NONE && place < header_count(facts->header) &&
        span_find(header_field(facts->header, place).value, '\n') + strlen("Message-ID:") > 998)
        why_not_add(made,
                    "the Message-ID line is over 998 bytes: MTAs break it, and readers of the "
                    "copy compute another hash");
    if (selection->role != ROLE_DISTRIBUTION || selection->command_response ||
        made->plan.action != ACTION_ACCEPT)
        return;
    note_no_link(&w, selection->list);
    note_no_button(&w, selection->list);
}

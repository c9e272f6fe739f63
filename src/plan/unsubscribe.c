/* unsubscribe - see edits.h: List-Unsubscribe (RULINGS 15, 16, 26, 68, 100) */
#include "plan/edits.h"

#include "mail/field_check.h"
#include "mail/rfc5322.h"
#include "spec/list_fields.h"
#include "spec/recipient_token.h"
#include "spec/uri.h"

/* The items of List-Unsubscribe, while they are made. */
struct unsubscribe {
    struct list_item *items;
    size_t count;
    struct web_items web; /* the items that a mail program would fetch */
    bool names_recipient; /* each https item names the recipient */
    bool lacks_token;     /* an item was left out because there is no {recipient_token} */
    const char *no_token; /* the reason for none although there is a recipient; NULL: none */
    const char *fault;    /* more about it, or NULL */
};

/* True if the envelope sender is an address of plain form. In any other form the MTA may send a
 * notification to a host that the address only names: news-x%other.example@list.example. */
static bool is_plain_address(struct span sender)
{
    size_t at = span_find(sender, '@');
    for (size_t i = 0; i < sender.n; i++)
        if (i != at && sender.p[i] != '.' && !rfc5322_is_atext(sender.p[i]))
            return false;
    return at < sender.n && span_find_any(sender, "%!") == sender.n;
}

/* Sets the values that items may contain: the only recipient, and its token, unless a notification
 * of success would bring the link to a stranger (RULINGS 100). */
static void set_recipient(const struct build *b, struct unsubscribe *u,
                          struct variable_values *values)
{
    const struct envelope *envelope = b->facts->envelope;
    const struct settings *settings = b->facts->settings;
    if (envelope->first_recipient.n == 0 || envelope->several_mailboxes)
        return;
    values->text[VAR_RECIPIENT] = envelope->first_recipient;
    values->set |= VAR_BIT(VAR_RECIPIENT);
    if (envelope->sender.n > 0 &&
        !(is_plain_address(envelope->sender) &&
          list_has_sender(&settings->index, b->list, envelope->sender_mailbox))) {
        u->no_token = "the envelope sender is not the list's, and could get the {recipient_token} "
                      "in a notification";
        return;
    }
    if (settings->recipient_key_count == 0) { /* RULINGS 82 */
        u->no_token = "the key for {recipient_token} was not read";
        u->fault = settings->recipient_keys_fault;
        return;
    }
    char *token = arena_alloc(b->arena, RECIPIENT_TOKEN_LENGTH + 1);
    recipient_token_make(settings->recipient_keys[0], b->list->id, envelope->first_recipient,
                         token);
    values->text[VAR_RECIPIENT_TOKEN] = span_cstr(token);
    values->set |= VAR_BIT(VAR_RECIPIENT_TOKEN);
}

/* Adds an item, unless a recipient or token that it needs is missing (RULINGS 16), or it makes no
 * URI (RULINGS 86). */
static void add_item(struct build *b, const struct list_text *text,
                     const struct variable_values *values, struct unsubscribe *u)
{
    struct list_item *item = &u->items[u->count];
    enum variable missing;
    const char *why = stamp_make_item(b, text, values, item, &missing);
    if (why != NULL) {
        if (missing == VAR_COUNT || (values->set & VAR_BIT(missing)) != 0)
            notes_add(b, missing == VAR_COUNT, "an item of List-Unsubscribe left out: %s", why);
        u->lacks_token |= missing == VAR_RECIPIENT_TOKEN;
        return;
    }
    web_items_count(&u->web, item->uri);
    if (uri_has_scheme(item->uri, "https"))
        u->names_recipient &= (text->text.needs & VARS_RECIPIENT) != 0;
    u->count++;
}

void stamp_unsubscribe(struct build *b, struct variable_values values)
{
    const struct list_text_array *texts = list_items(b->list, FIELD_LIST_UNSUBSCRIBE);
    const struct owned_field *owned = owned_field_find(FIELD_LIST_UNSUBSCRIBE);
    struct unsubscribe u = {.names_recipient = true};
    struct strbuf text = STRBUF_INIT;
    /* With `keep` a second pass would keep this field, and delete its partner (RULINGS 1, 26). */
    bool wants_one_click =
        b->list->unsubscribe_one_click && (b->list->keep & FIELD_BIT(FIELD_LIST_UNSUBSCRIBE)) == 0;
    if (edits_keep(b, FIELD_LIST_UNSUBSCRIBE))
        return;
    set_recipient(b, &u, &values);
    u.items = arena_calloc(b->arena, texts->count, sizeof *u.items);
    for (size_t i = 0; i < texts->count; i++) {
        if (stamp_is_too_long(&texts->items[i].text, &values)) { /* RULINGS 36 */
            notes_add(b, true, "List-Unsubscribe left out: it %s",
                      field_fault_text(FIELD_LINE_TOO_LONG));
            return;
        }
        if (!list_leaves_out(b->list, &texts->items[i]))
            add_item(b, &texts->items[i], &values, &u);
    }
    if (u.count > 0)
        list_field_render(&text, span_cstr(field_name_text(FIELD_LIST_UNSUBSCRIBE)), u.items,
                          u.count);
    b->allows_one_click = edits_insert_owned(b, owned, strbuf_keep(&text, b->arena)) &&
                          wants_one_click && web_items_allow_one_click(&u.web) && u.names_recipient;
    if (u.lacks_token && u.no_token != NULL)
        notes_add(b, false, "an item of List-Unsubscribe%s left out: %s%s%s",
                  wants_one_click && !b->allows_one_click ? ", and List-Unsubscribe-Post," : "",
                  u.no_token, u.fault != NULL ? ": " : "", u.fault != NULL ? u.fault : "");
}

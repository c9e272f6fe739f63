/* plan_list_fields - List-Id and the fields of RFC 2369 and RFC 8058 */
#include "plan/plan_list_fields.h"

#include "mail/field_check.h"
#include "plan/plan_field.h"
#include "spec/list_fields.h"
#include "spec/owned_fields.h"
#include "spec/recipient_token.h"
#include "spec/uri.h"

/* What the items of `unsubscribe` may name: the only recipient, and its token. */
static int recipient_values(struct builder *b, struct variable_values *values)
{
    const struct envelope *envelope = b->facts->envelope;
    const struct settings *settings = b->facts->settings;
    char *token;
    if (envelope->first_recipient.n == 0 || envelope->several_recipients)
        return 0;
    values->text[VAR_RECIPIENT] = envelope->first_recipient;
    values->set = VAR_BIT(VAR_RECIPIENT);
    b->sender_is_others = envelope->sender_mailbox.n > 0 &&
                          !list_has_sender(&settings->index, b->list, envelope->sender_mailbox);
    if (settings->recipient_key_count == 0 || b->sender_is_others)
        return 0;
    token = arena_alloc(b->arena, RECIPIENT_TOKEN_LENGTH + 1);
    recipient_token_make(settings->recipient_keys[0], b->list->id, envelope->first_recipient,
                         token);
    values->text[VAR_RECIPIENT_TOKEN] = span_cstr(token);
    values->set |= VAR_BIT(VAR_RECIPIENT_TOKEN);
    return 0;
}

/* May List-Unsubscribe-Post stand beside the list's own List-Unsubscribe? Not where `keep` has the
 * latter stay: on a second pass that is ours, and the former would go (RULINGS 1, 26). */
static bool wants_one_click(const struct list *list)
{
    return list->one_click && (list->keep & FIELD_BIT(FIELD_LIST_UNSUBSCRIBE)) == 0;
}

/* Notes, once, why no item has a {recipient_token}: its key was not read (RULINGS 82), or a
 * notification of success would carry the link to a stranger (RULINGS 100). */
static int note_no_token(struct builder *b)
{
    const char *fault = b->facts->settings->recipient_keys_fault;
    const char *names = wants_one_click(b->list) ? ", and List-Unsubscribe-Post," : "";
    if (b->item_lacks_token)
        return 0;
    b->item_lacks_token = true;
    if (b->sender_is_others)
        return builder_note(
            b, false,
            "an item of List-Unsubscribe%s left out: the envelope sender is not the "
            "list's, and could get the {recipient_token} in a notification",
            names);
    return builder_note(b, false,
                        "an item of List-Unsubscribe%s left out: the key for {recipient_token} was "
                        "not read%s%s",
                        names, fault != NULL ? ": " : "", fault != NULL ? fault : "");
}

/* 0; 1: the item needs the recipient and there is none or several (RULINGS 16), or its token and
 * there is no key, or what comes of it is no URI, 2: or leads elsewhere (RULINGS 86); -1. */
static int item_uri(struct builder *b, const struct item_template *item,
                    const struct variable_values *values, struct span *uri)
{
    struct strbuf text = STRBUF_INIT;
    enum variable missing = VAR_COUNT;
    int result = template_expand(&item->uri, TEMPLATE_URI, values, &text, &missing);
    const char *fault;
    *uri = strbuf_failed(&text) ? span_of(NULL, 0) : arena_dup(b->arena, strbuf_span(&text));
    strbuf_free(&text);
    if (uri->p == NULL)
        return -1;
    /* As in plan_archived_at.c: what holds for a sample need not hold for every address. */
    fault = result == 0 ? uri_fault(*uri) : NULL;
    if (fault != NULL)
        return builder_note(b, true, "an item of List-Unsubscribe left out: its URI %s", fault) == 0
                   ? 1
                   : -1;
    if (result == 2)
        return builder_note(b, false,
                            "an item of List-Unsubscribe left out: with this {%s} its path "
                            "would have a segment \".\", \"..\" or nothing",
                            variable_name(missing)) == 0
                   ? 2
                   : -1;
    if (result == 1 && missing == VAR_RECIPIENT_TOKEN && (values->set & VARS_RECIPIENT) != 0 &&
        note_no_token(b) != 0)
        return -1;
    return result;
}

/* The items that a mail program would fetch. */
struct unsubscribe_items {
    struct web_items web;
    bool names_recipient; /* each https item does */
};

static void count_item(struct unsubscribe_items *items, const struct item_template *item,
                       struct span uri)
{
    web_items_count(&items->web, uri);
    if (uri_has_scheme(uri, "https"))
        items->names_recipient &= (item->uri.needs & VARS_RECIPIENT) != 0;
}

/* Is there an item that no line can hold? Then it is not made; the field is left out (RULINGS 36).
 */
static bool has_long_item(const struct list_texts *texts, const struct variable_values *values)
{
    for (size_t i = 0; i < texts->unsubscribe_count; i++) {
        if (builder_is_too_long(&texts->unsubscribe[i].uri, values))
            return true;
    }
    return false;
}

/* List-Unsubscribe with the items that this transaction can have; empty when there are none. */
static int unsubscribe_value(struct builder *b, struct span *value,
                             struct unsubscribe_items *counts)
{
    struct list_item *items = arena_calloc(b->arena, b->texts.unsubscribe_count, sizeof *items);
    struct variable_values values = {0};
    struct strbuf text = STRBUF_INIT;
    size_t count = 0;
    if (items == NULL || recipient_values(b, &values) != 0)
        return -1;
    if (has_long_item(&b->texts, &values)) {
        *value = span_of("", 0);
        return builder_note(b, true, "%s left out: it %s", field_name_text(FIELD_LIST_UNSUBSCRIBE),
                            field_fault_text(FIELD_LINE_TOO_LONG));
    }
    for (size_t i = 0; i < b->texts.unsubscribe_count; i++) {
        const struct item_template *item = &b->texts.unsubscribe[i];
        int result = item_uri(b, item, &values, &items[count].uri);
        if (result < 0)
            return -1;
        if (result > 0)
            continue;
        count_item(counts, item, items[count].uri);
        items[count].before = item->before;
        items[count++].comment = item->comment;
    }
    if (count > 0)
        list_field_render(&text, span_cstr(field_name_text(FIELD_LIST_UNSUBSCRIBE)), items, count);
    *value = strbuf_failed(&text) ? span_of(NULL, 0) : arena_dup(b->arena, strbuf_span(&text));
    strbuf_free(&text);
    return value->p == NULL ? -1 : 0;
}

/* List-Unsubscribe and, beside ours only, List-Unsubscribe-Post (RULINGS 15, 16, 26, 68). */
static int stamp_unsubscribe(struct builder *b)
{
    struct unsubscribe_items items = {.names_recipient = true};
    struct span value;
    size_t count = b->insertion_count;
    if (b->texts.unsubscribe_count == 0)
        return plan_stamp_field(b, FIELD_LIST_UNSUBSCRIBE,
                                list_texts_field(&b->texts, FIELD_LIST_UNSUBSCRIBE));
    if (plan_keeps(b, FIELD_LIST_UNSUBSCRIBE))
        return 0;
    if (unsubscribe_value(b, &value, &items) != 0 ||
        plan_stamp_field(b, FIELD_LIST_UNSUBSCRIBE, value) != 0)
        return -1;
    if (b->insertion_count == count || !wants_one_click(b->list) ||
        !web_items_allow_one_click(&items.web) || !items.names_recipient || b->item_lacks_token)
        return 0;
    return plan_stamp_field(b, FIELD_LIST_UNSUBSCRIBE_POST, span_cstr(LIST_FIELDS_ONE_CLICK));
}

int plan_stamp_list_fields(struct builder *b)
{
    for (int i = LIST_FIRST_FIELD; i <= LIST_LAST_FIELD; i++) {
        enum field_name name = (enum field_name)i;
        if (name == FIELD_LIST_UNSUBSCRIBE) {
            if (stamp_unsubscribe(b) != 0)
                return -1;
        } else if (plan_stamp_field(b, name, list_texts_field(&b->texts, name)) != 0) {
            return -1;
        }
    }
    return 0;
}

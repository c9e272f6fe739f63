/* stamp - see stamp.h */
#include "plan/stamp.h"

#include "config/lists/list.h"
#include "mail/field_check.h"
#include "mail/rfc5322.h"
#include "plan/message_values.h"
#include "spec/archived_at.h"
#include "spec/dkim_signature.h"
#include "spec/list_fields.h"
#include "spec/mailbox.h"
#include "spec/message_id.h"
#include "spec/owned_fields.h"
#include "spec/recipient_token.h"
#include "spec/uri.h"

#include <inttypes.h>
#include <stdarg.h>

const char *build_text(const struct build *b, const char *format, ...)
{
    struct strbuf text = STRBUF_INIT;
    va_list ap;
    va_start(ap, format);
    strbuf_addv(&text, format, ap);
    va_end(ap);
    return strbuf_keep(&text, b->arena);
}

void build_note(struct build *b, bool is_error, const char *format, ...)
{
    struct plan *plan = b->plan;
    struct strbuf text = STRBUF_INIT;
    va_list ap;
    plan->has_error |= is_error;
    if (plan->note_count == PLAN_NOTES_MAX) {
        plan->notes_more += plan->notes_more == 0 ? 2 : 1; /* the last note is one of them */
        plan->notes[PLAN_NOTES_MAX - 1].is_error |= is_error;
        return;
    }
    va_start(ap, format);
    strbuf_addv(&text, format, ap);
    va_end(ap);
    plan->notes[plan->note_count++] = (struct plan_note){is_error, strbuf_keep(&text, b->arena)};
}

bool build_keeps(const struct build *b, enum field_name name)
{
    if (name == FIELD_LIST_UNSUBSCRIBE_POST &&
        !(b->has_https_unsubscribe && build_keeps(b, FIELD_LIST_UNSUBSCRIBE)))
        return false;
    return b->selection->role == ROLE_DISTRIBUTION && (b->list->keep & FIELD_BIT(name)) != 0 &&
           header_count_of(b->facts->header, name) > 0;
}

bool build_is_parents(const struct build *b, enum field_name name)
{
    bool is_feed = b->selection->role == ROLE_FEED;
    if (!b->selection->has_parent)
        return false;
    switch (name) {
    case FIELD_LIST_ID:
    case FIELD_ARCHIVED_AT:
        return true;
    case FIELD_LIST_POST:
        return is_feed || !b->list->replace_post;
    case FIELD_LIST_ARCHIVE:
        return is_feed || list_items(b->list, FIELD_LIST_ARCHIVE)->count == 0;
    default:
        return false;
    }
}

bool build_insert(struct build *b, enum field_name name, struct span value, const char *clause)
{
    const char *name_text = field_name_text(name);
    enum field_fault fault = field_check(span_cstr(name_text), value);
    struct plan *plan = b->plan;
    if ((b->forbidden & FIELD_BIT(name)) != 0) {
        b->left_out |= FIELD_BIT(name);
        return false;
    }
    if (fault != FIELD_FINE) {
        build_note(b, true, "%s left out: it %s", name_text, field_fault_text(fault));
        return false;
    }
    unsigned index = (unsigned)++plan->added;
    plan->edits[plan->removed + index - 1] = (struct edit){EDIT_INSERT, name, index, value, clause};
    return true;
}

static const char *insertion_clause(const struct build *b, enum field_name name)
{
    const struct owned_field *owned = owned_field_find(name);
    return b->selection->has_parent && owned->nested_clause != NULL ? owned->nested_clause
                                                                    : owned->insertion_clause;
}

/* Inserts an owned field of the list, unless its value is empty, `keep` leaves the message's own,
 * or the parent's stays. Returns true if it was inserted. */
static bool insert_owned(struct build *b, enum field_name name, struct span value)
{
    return value.n > 0 && !build_keeps(b, name) && !build_is_parents(b, name) &&
           build_insert(b, name, value, insertion_clause(b, name));
}

/* True if no line of a field can hold the text of the template: a template that repeats a long
 * Message-ID would make hundreds of megabytes. Escaping and padding only make it longer. */
static bool is_too_long(const struct template *t, const struct variable_values *values)
{
    size_t octets = 0;
    for (size_t i = 0; i < t->count && octets <= FIELD_LINE_MAX; i++) {
        const struct template_part *part = &t->parts[i];
        size_t n = part->variable == VAR_COUNT ? part->length : values->text[part->variable].n;
        octets += part->width > 0 && n > part->width ? part->width : n;
    }
    return octets > FIELD_LINE_MAX;
}

/* ---- Archived-At (AT-01 to AT-06, SU-09, SU-17) ---- */

/* True if an Archived-At that was inserted or that stays has the URI. */
static bool has_archived_at(const struct build *b, struct span uri)
{
    const struct header *header = b->facts->header;
    const struct edit *inserted = b->plan->edits + b->plan->removed;
    bool found = false;
    for (size_t i = 0; i < b->plan->added; i++)
        found |= inserted[i].name == FIELD_ARCHIVED_AT &&
                 span_eq(archived_at_uri(inserted[i].value, b->arena), uri);
    for (size_t i = 0; i < header_count(header); i++)
        found |= header_field(header, i).id == FIELD_ARCHIVED_AT && !b->deleted[i] &&
                 span_eq(archived_at_uri(header_field(header, i).value, b->arena), uri);
    return found;
}

/* Makes an item of a text. Returns NULL, or the reason why it has no URI. *missing is the variable
 * without a usable value, or VAR_COUNT for another reason, on which the operator should act. */
static const char *make_item(const struct build *b, const struct list_text *text,
                             const struct variable_values *values, struct list_item *item,
                             enum variable *missing)
{
    const uint64_t of_id = VAR_BIT(VAR_MESSAGE_ID) | VAR_BIT(VAR_MESSAGE_ID_HASH) |
                           VAR_BIT(VAR_LIST_ID_HASH) | VARS_TOKENS;
    *missing = VAR_COUNT;
    if (is_too_long(&text->text, values))
        return build_text(b, "it %s", field_fault_text(FIELD_LINE_TOO_LONG));
    *missing = list_item_make(text, values, b->arena, item);
    if (*missing != VAR_COUNT) {
        struct span name = variable_text(*missing, &b->facts->settings->token_names);
        bool is_unusable = (values->set & VAR_BIT(*missing)) != 0;
        bool lacks_id = post_id_is_empty(b->post) && (of_id & VAR_BIT(*missing)) != 0;
        return build_text(b, "no %svalue for {%.*s}%s", is_unusable ? "usable " : "", (int)name.n,
                          name.p, lacks_id && !is_unusable ? " (the Message-ID is empty)" : "");
    }
    /* The configuration was checked with samples; another value may make no URI of the text. */
    const char *fault = uri_fault(item->uri);
    return fault == NULL ? NULL : build_text(b, "its URI %s", fault);
}

static void stamp_template(struct build *b, size_t place, const struct variable_values *values)
{
    const struct list_text *text = &b->list->texts->archived_at.items[place];
    struct list_item item;
    enum variable missing;
    if (list_leaves_out(b->list, text))
        return;
    const char *why = make_item(b, text, values, &item, &missing);
    if (why != NULL) {
        build_note(b, missing == VAR_COUNT, "Archived-At by template %zu left out: %s", place + 1,
                   why);
        return;
    }
    struct span value = span_cstr(build_text(b, "<%s>", item.uri.p));
    bool is_present =
        has_archived_at(b, item.uri) ||
        build_insert(b, FIELD_ARCHIVED_AT, value, insertion_clause(b, FIELD_ARCHIVED_AT));
    if (is_present && b->plan->archived_at.n == 0)
        b->plan->archived_at = item.uri;
}

/* Returns the reason for no Archived-At, or NULL (AT-04, AT-06, SU-23, RULINGS 11, 65). */
static const char *not_archived(const struct build *b)
{
    enum field_name wish =
        b->list->honor_no_archive ? archived_at_wish(b->facts->header, b->arena) : FIELD_OTHER;
    struct span id = b->post->id_text;
    if (b->selection->command_response)
        return "a command response";
    if (b->post->kind == CONTENT_DIGEST)
        return "a digest";
    if (b->post->kind == CONTENT_FRAGMENT)
        return "a fragment (message/partial)";
    if (wish != FIELD_OTHER)
        return build_text(b, "the message has %s", field_name_text(wish));
    if (b->list->archived_at_requires == ARCHIVED_AT_WELL_FORMED &&
        (id.p == NULL || !message_id_is_well_formed(id)))
        return "its Message-ID is not well-formed (archived_at_requires)";
    return b->no_archive;
}

/* Inserts an Archived-At for each template. */
static void stamp_archived_at(struct build *b, struct variable_values values)
{
    const struct settings *settings = b->facts->settings;
    const struct list_text_array *templates = &b->list->texts->archived_at;
    const struct message_source source = {
        .header = b->facts->header,
        .id_text = b->post->id_text,
        .date_text = b->date,
        .hash = b->post->hash,
        .number = b->plan->number,
        .list = b->list,
        .tokens = settings->tokens,
        .token_count = settings->token_names.count,
    };
    uint64_t needs = 0;
    const char *why = b->list->archived_at ? not_archived(b) : NULL;
    if (why != NULL)
        build_note(b, false, "no Archived-At: %s", why);
    if (!b->list->archived_at || why != NULL)
        return;
    for (size_t i = 0; i < templates->count; i++)
        needs |= templates->items[i].text.needs;
    list_set_archive(b->list, b->arena, &values);
    message_values(&source, needs, b->arena, &values);
    for (size_t i = 0; i < templates->count; i++)
        stamp_template(b, i, &values);
}

/* ---- List-Unsubscribe (RULINGS 15, 16, 26, 68, 100) ---- */

/* The items of List-Unsubscribe, while they are made. */
struct unsubscribe {
    struct list_item *items;
    size_t count;
    struct web_items web;  /* the items that a mail program would fetch */
    bool names_recipient;  /* each https item names the recipient */
    bool sender_is_others; /* the envelope sender is neither the list's nor null */
    bool token_is_missing; /* an item was left out because there is no {recipient_token} */
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

/* Sets the values that items may contain: the only recipient, and its token. */
static void set_recipient(const struct build *b, struct unsubscribe *u,
                          struct variable_values *values)
{
    const struct envelope *envelope = b->facts->envelope;
    const struct settings *settings = b->facts->settings;
    if (envelope->first_recipient.n == 0 || envelope->several_recipients)
        return;
    values->text[VAR_RECIPIENT] = envelope->first_recipient;
    values->set |= VAR_BIT(VAR_RECIPIENT);
    u->sender_is_others = envelope->sender.n > 0 &&
                          !(is_plain_address(envelope->sender) &&
                            list_has_sender(&settings->index, b->list, envelope->sender_mailbox));
    if (settings->recipient_key_count == 0 || u->sender_is_others)
        return;
    char *token = arena_alloc(b->arena, RECIPIENT_TOKEN_LENGTH + 1);
    recipient_token_make(settings->recipient_keys[0], b->list->id, envelope->first_recipient,
                         token);
    values->text[VAR_RECIPIENT_TOKEN] = span_cstr(token);
    values->set |= VAR_BIT(VAR_RECIPIENT_TOKEN);
}

/* True if List-Unsubscribe-Post may be inserted with the list's own List-Unsubscribe. If `keep`
 * names List-Unsubscribe, a second pass would keep that field, and delete its partner (RULINGS 1,
 * 26). */
static bool wants_one_click(const struct list *list)
{
    return list->one_click && (list->keep & FIELD_BIT(FIELD_LIST_UNSUBSCRIBE)) == 0;
}

/* Notes, once, why no item has a {recipient_token}: its key was not read (RULINGS 82), or a
 * notification of success would bring the link to a stranger (RULINGS 100). */
static void note_no_token(struct build *b, struct unsubscribe *u)
{
    const char *fault = b->facts->settings->recipient_keys_fault;
    const char *why = "the key for {recipient_token} was not read";
    if (u->sender_is_others)
        why = "the envelope sender is not the list's, and could get the {recipient_token} in a "
              "notification";
    else if (fault != NULL)
        why = build_text(b, "%s: %s", why, fault);
    if (!u->token_is_missing)
        build_note(b, false, "an item of List-Unsubscribe%s left out: %s",
                   wants_one_click(b->list) ? ", and List-Unsubscribe-Post," : "", why);
    u->token_is_missing = true;
}

/* Adds an item, unless a recipient or token that it needs is missing (RULINGS 16), or it makes no
 * URI (RULINGS 86). */
static void add_item(struct build *b, const struct list_text *text,
                     const struct variable_values *values, struct unsubscribe *u)
{
    struct list_item *item = &u->items[u->count];
    enum variable missing;
    const char *why = make_item(b, text, values, item, &missing);
    if (why != NULL) {
        if (missing == VAR_COUNT || (values->set & VAR_BIT(missing)) != 0)
            build_note(b, missing == VAR_COUNT, "an item of List-Unsubscribe left out: %s", why);
        else if (missing == VAR_RECIPIENT_TOKEN && (values->set & VARS_RECIPIENT) != 0)
            note_no_token(b, u);
        return;
    }
    web_items_count(&u->web, item->uri);
    if (uri_has_scheme(item->uri, "https"))
        u->names_recipient &= (text->text.needs & VARS_RECIPIENT) != 0;
    u->count++;
}

/* Inserts List-Unsubscribe with the items for this transaction, and List-Unsubscribe-Post. */
static void stamp_unsubscribe(struct build *b, struct variable_values values)
{
    const struct list_text_array *texts = list_items(b->list, FIELD_LIST_UNSUBSCRIBE);
    struct unsubscribe u = {.names_recipient = true};
    struct strbuf text = STRBUF_INIT;
    if (build_keeps(b, FIELD_LIST_UNSUBSCRIBE))
        return;
    set_recipient(b, &u, &values);
    for (size_t i = 0; i < texts->count; i++)
        if (is_too_long(&texts->items[i].text, &values)) { /* RULINGS 36 */
            build_note(b, true, "List-Unsubscribe left out: it %s",
                       field_fault_text(FIELD_LINE_TOO_LONG));
            return;
        }
    u.items = arena_calloc(b->arena, texts->count, sizeof *u.items);
    for (size_t i = 0; i < texts->count; i++)
        if (!list_leaves_out(b->list, &texts->items[i]))
            add_item(b, &texts->items[i], &values, &u);
    if (u.count > 0)
        list_field_render(&text, span_cstr(field_name_text(FIELD_LIST_UNSUBSCRIBE)), u.items,
                          u.count);
    if (insert_owned(b, FIELD_LIST_UNSUBSCRIBE, span_cstr(strbuf_keep(&text, b->arena))) &&
        wants_one_click(b->list) && web_items_allow_one_click(&u.web) && u.names_recipient &&
        !u.token_is_missing)
        insert_owned(b, FIELD_LIST_UNSUBSCRIBE_POST, span_cstr(LIST_FIELDS_ONE_CLICK));
}

/* Inserts Message-ID-Hash. SU-03 is the clause for a Message-ID without both brackets. */
static void stamp_message_id_hash(struct build *b)
{
    if (b->list->message_id_hash && b->post->hash != NULL)
        build_insert(b, FIELD_MESSAGE_ID_HASH, span_cstr(b->post->hash),
                     b->post->id.n < b->post->id_text.n ? "SU-01" : "SU-03");
}

/* Inserts the number in both fields (RULINGS 9). */
static void stamp_number(struct build *b)
{
    if (b->plan->number == 0)
        return;
    struct span text = span_cstr(build_text(b, "%" PRIu64, b->plan->number));
    insert_owned(b, FIELD_X_LIST_SEQUENCE, text);
    if (b->list->list_id_hash)
        insert_owned(b, FIELD_X_LIST_SEQUENCE_NUMBER, text);
}

/* Inserts X-List-ID-Hash (R1-01, RULINGS 8). */
static void stamp_list_id_hash(struct build *b)
{
    bool has_id = b->post->id_text.p != NULL;
    char hash[MESSAGE_ID_HASH_LENGTH + 1];
    if (!b->list->list_id_hash)
        return;
    if (!has_id || b->date.p == NULL) {
        build_note(b, false, "X-List-ID-Hash left out: the message has no %s",
                   has_id ? "Date" : "Message-ID");
        return;
    }
    message_id_list_hash(b->post->id_text, b->date, hash);
    insert_owned(b, FIELD_X_LIST_ID_HASH, arena_dup(b->arena, span_cstr(hash)));
}

/* Inserts the id by which public-inbox finds the post at the URL with the hash (RULINGS 6, 39). */
static void stamp_alt_message_id(struct build *b)
{
    if (!b->list->alt_message_id || b->post->hash == NULL)
        return;
    if (post_id_is_empty(b->post))
        build_note(b, false, "X-Alt-Message-ID left out: the Message-ID is empty");
    else
        insert_owned(b, FIELD_X_ALT_MESSAGE_ID, span_cstr(build_text(b, "<%s>", b->post->hash)));
}

/* Finds the owned fields that a DKIM-Signature of the author's domain names although the message
 * has none (RULINGS 83). */
static void find_forbidden(struct build *b)
{
    const struct header *header = b->facts->header;
    size_t signed_counts[FIELD_NAME_COUNT], i = header_find(header, FIELD_DKIM_SIGNATURE, 0);
    if (b->list->oversigned != OVERSIGNED_SPARE || i == header_count(header))
        return;
    struct span author =
        mailbox_author_domain(header_first(header, FIELD_FROM, b->arena), b->arena);
    for (; i < header_count(header); i = header_find(header, FIELD_DKIM_SIGNATURE, i + 1)) {
        struct span signature = header_text(header, i, b->arena);
        dkim_signed_counts(signature, signed_counts);
        bool is_authors = dkim_is_aligned(dkim_domain(signature), author);
        for (size_t n = 0; is_authors && n < owned_field_count; n++)
            if (signed_counts[owned_fields[n].name] > 0 &&
                header_count_of(header, owned_fields[n].name) == 0)
                b->forbidden |= FIELD_BIT(owned_fields[n].name);
    }
}

static void note_left_out(struct build *b)
{
    struct strbuf names = STRBUF_INIT;
    for (size_t i = 0; i < owned_field_count; i++)
        if ((b->left_out & FIELD_BIT(owned_fields[i].name)) != 0)
            strbuf_addf(&names, "%s%s", names.len > 0 ? ", " : "",
                        field_name_text(owned_fields[i].name));
    if (names.len > 0)
        build_note(b, false,
                   "not added, because the author's DKIM signature forbids it (oversigned): %s",
                   strbuf_str(&names));
    strbuf_free(&names);
}

void build_stamp(struct build *b)
{
    struct variable_values values = {0};
    list_variables(b->list, &values);
    find_forbidden(b);
    stamp_message_id_hash(b);
    stamp_archived_at(b, values);
    for (int i = LIST_FIRST_FIELD; i <= LIST_LAST_FIELD; i++) {
        enum field_name name = (enum field_name)i;
        if (name == FIELD_LIST_UNSUBSCRIBE)
            stamp_unsubscribe(b, values);
        else
            insert_owned(b, name, list_field_value(b->list, name, &values, b->arena));
    }
    stamp_number(b);
    stamp_list_id_hash(b);
    stamp_alt_message_id(b);
    note_left_out(b);
}

/* stamp - the fields that a distribution gets from its list, in the order of RULINGS 2 */
#include "config/lists/list.h"
#include "mail/field_check.h"
#include "mail/rfc5322.h"
#include "plan/build.h"
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

/* Inserts an owned field of the list, unless its value is empty, `keep` leaves the message's own,
 * or the parent's stays. Returns true if it was inserted. */
static bool insert_owned(struct build *b, enum field_name name, struct span value)
{
    const struct owned_field *owned = owned_field_find(name);
    const char *clause = owned->insertion_clause;
    if (value.n == 0 || build_keeps(b, name) || build_is_parents(b, name))
        return false;
    if (b->selection->has_parent && owned->nested_clause != NULL)
        clause = owned->nested_clause;
    return build_insert(b, name, value, clause);
}

/* True if no line of a field can hold the text of the template: a template that repeats a long
 * Message-ID would make hundreds of megabytes. Escaping, and zeros before a number, only make it
 * longer. */
static bool is_too_long(const struct template *t, const struct variable_values *values)
{
    size_t octets = 0;
    for (size_t i = 0; i < t->count && octets <= FIELD_LINE_MAX; i++) {
        const struct template_part *part = &t->parts[i];
        size_t n = part->variable == VAR_COUNT ? part->literal.n : values->text[part->variable].n;
        octets += part->width > 0 && n > part->width ? part->width : n;
    }
    return octets > FIELD_LINE_MAX;
}

/* ---- Archived-At (AT-01 to AT-06, SU-09, SU-17) ---- */

/* Sets the values of the message that the list's templates need. */
static void set_values(const struct build *b, struct variable_values *values)
{
    const struct settings *settings = b->facts->settings;
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
    for (size_t i = 0; i < b->texts.archived_at_count; i++)
        needs |= b->texts.archived_at[i].needs;
    message_values(&source, needs, b->arena, values);
}

/* True if an Archived-At that was inserted or that stays has the URI. */
static bool has_archived_at(const struct build *b, struct span uri)
{
    const struct header *header = b->facts->header;
    const struct edit *inserted = b->plan->edits + b->plan->removed;
    for (size_t i = 0; i < b->plan->added; i++)
        if (inserted[i].name == FIELD_ARCHIVED_AT &&
            span_eq(span_sub(inserted[i].value, 1, uri.n), uri) && inserted[i].value.n == uri.n + 2)
            return true;
    for (size_t i = header_find(header, FIELD_ARCHIVED_AT, 0); i < header_count(header);
         i = header_find(header, FIELD_ARCHIVED_AT, i + 1)) {
        if (!b->deleted[i] &&
            span_eq(archived_at_uri(header_field(header, i).value, b->arena), uri))
            return true;
    }
    return false;
}

/* Returns a token's own name, or the variable's. */
static struct span shown_name(const struct build *b, enum variable variable)
{
    if (variable >= VAR_FIRST_TOKEN)
        return b->facts->settings->token_names.names[variable - VAR_FIRST_TOKEN];
    return span_cstr(variable_name(variable));
}

/* Returns the reason why a variable has no value, in parentheses, or "" if it is plain. */
static const char *missing_reason(const struct build *b, enum variable missing)
{
    const uint64_t of_id =
        VAR_BIT(VAR_MESSAGE_ID) | VAR_BIT(VAR_MESSAGE_ID_HASH) | VAR_BIT(VAR_LIST_ID_HASH);
    const char *fault = NULL;
    if (missing >= VAR_FIRST_TOKEN)
        fault = b->facts->settings->tokens[missing - VAR_FIRST_TOKEN].key_fault; /* RULINGS 82 */
    if (fault != NULL)
        return build_text(b, " (its key file was not read: %s)", fault);
    if (post_id_is_empty(b->post) && ((of_id | VARS_TOKENS) & VAR_BIT(missing)) != 0)
        return " (the Message-ID is empty)"; /* RULINGS 6 */
    return "";
}

/* Returns the reason why the template gives no URI, or NULL: then *value is "<URI>". *is_error: the
 * operator should act. */
static const char *make_archived_at(const struct build *b, const struct template *t,
                                    const struct variable_values *values, struct span *value,
                                    bool *is_error)
{
    struct strbuf text = STRBUF_INIT;
    enum variable missing = VAR_COUNT;
    *is_error = true;
    if (is_too_long(t, values))
        return build_text(b, "it %s", field_fault_text(FIELD_LINE_TOO_LONG));
    strbuf_add_char(&text, '<');
    int result = template_expand(t, TEMPLATE_URI, values, &text, &missing);
    strbuf_add_char(&text, '>');
    *value = span_cstr(strbuf_keep(&text, b->arena));
    if (result != 0) {
        struct span name = shown_name(b, missing);
        *is_error = false;
        return result == 2 ? build_text(b, "no usable value for {%.*s}", (int)name.n, name.p)
                           : build_text(b, "no value for {%.*s}%s", (int)name.n, name.p,
                                        missing_reason(b, missing));
    }
    /* The configuration was checked with samples; another value may make no URI of the text. */
    const char *fault = uri_fault(span_sub(*value, 1, value->n - 2));
    return fault == NULL ? NULL : build_text(b, "its URI %s", fault);
}

static void stamp_template(struct build *b, size_t place, const struct variable_values *values)
{
    const struct owned_field *owned = owned_field_find(FIELD_ARCHIVED_AT);
    struct span value;
    bool is_error;
    const char *why = make_archived_at(b, &b->texts.archived_at[place], values, &value, &is_error);
    if (why != NULL) {
        build_note(b, is_error, "Archived-At by template %zu left out: %s", place + 1, why);
        return;
    }
    struct span uri = span_sub(value, 1, value.n - 2);
    bool is_there = has_archived_at(b, uri);
    if (!is_there)
        is_there =
            build_insert(b, FIELD_ARCHIVED_AT, value,
                         b->selection->has_parent ? owned->nested_clause : owned->insertion_clause);
    if (is_there && b->plan->archived_at.n == 0)
        b->plan->archived_at = uri;
}

/* Returns the reason why the post gets no Archived-At, or NULL (AT-04, AT-06, SU-23, RULINGS 11,
 * 65). */
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

static void stamp_archived_at(struct build *b)
{
    struct variable_values values = {0};
    if (b->texts.archived_at_count == 0)
        return;
    const char *why = not_archived(b);
    if (why != NULL) {
        build_note(b, false, "no Archived-At: %s", why);
        return;
    }
    set_values(b, &values);
    for (size_t i = 0; i < b->texts.archived_at_count; i++)
        stamp_template(b, i, &values);
}

/* ---- List-Unsubscribe (RULINGS 15, 16, 26, 68, 100) ---- */

/* The items of List-Unsubscribe, while they are made. */
struct unsubscribe {
    struct list_item *items;
    size_t count;
    struct web_items web;  /* the items that a mail program would fetch */
    bool names_recipient;  /* each https item does */
    bool sender_is_others; /* the envelope sender is neither the list's nor null */
    bool token_is_missing; /* an item was left out because there is no {recipient_token} */
};

/* True if the envelope sender is an address of plain form. In any other form the MTA may send a
 * notification to a host that the address only names: news-x%other.example@list.example. */
static bool is_plain_address(struct span sender)
{
    size_t ats = 0;
    for (size_t i = 0; i < sender.n; i++) {
        char c = sender.p[i];
        ats += c == '@' ? 1 : 0;
        if (c == '%' || c == '!' || (c != '@' && c != '.' && !rfc5322_is_atext(c)))
            return false;
    }
    return ats == 1;
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
    values->set = VAR_BIT(VAR_RECIPIENT);
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

/* True if List-Unsubscribe-Post may be inserted with the list's own List-Unsubscribe. Not if `keep`
 * leaves List-Unsubscribe: on a second pass that is ours, and its partner would be deleted
 * (RULINGS 1, 26). */
static bool wants_one_click(const struct list *list)
{
    return list->one_click && (list->keep & FIELD_BIT(FIELD_LIST_UNSUBSCRIBE)) == 0;
}

/* Notes, once, why no item has a {recipient_token}: its key was not read (RULINGS 82), or a
 * notification of success would bring the link to a stranger (RULINGS 100). */
static void note_no_token(struct build *b, struct unsubscribe *u)
{
    const char *fault = b->facts->settings->recipient_keys_fault;
    const char *names = wants_one_click(b->list) ? ", and List-Unsubscribe-Post," : "";
    if (u->token_is_missing)
        return;
    u->token_is_missing = true;
    if (u->sender_is_others)
        build_note(b, false,
                   "an item of List-Unsubscribe%s left out: the envelope sender is not the list's, "
                   "and could get the {recipient_token} in a notification",
                   names);
    else
        build_note(b, false,
                   "an item of List-Unsubscribe%s left out: the key for {recipient_token} was not "
                   "read%s%s",
                   names, fault != NULL ? ": " : "", fault != NULL ? fault : "");
}

/* Adds an item, unless it needs a recipient or token that there is not (RULINGS 16), or makes no
 * URI (RULINGS 86). */
static void add_item(struct build *b, const struct item_template *item,
                     const struct variable_values *values, struct unsubscribe *u)
{
    struct strbuf text = STRBUF_INIT;
    enum variable missing = VAR_COUNT;
    int result = template_expand(&item->uri, TEMPLATE_URI, values, &text, &missing);
    struct span uri = span_cstr(strbuf_keep(&text, b->arena));
    const char *fault = result == 0 ? uri_fault(uri) : NULL;
    if (fault != NULL)
        build_note(b, true, "an item of List-Unsubscribe left out: its URI %s", fault);
    else if (result == 2)
        build_note(b, false, "an item of List-Unsubscribe left out: no usable value for {%s}",
                   variable_name(missing));
    else if (result == 1 && missing == VAR_RECIPIENT_TOKEN && (values->set & VARS_RECIPIENT) != 0)
        note_no_token(b, u);
    if (result != 0 || fault != NULL)
        return;
    web_items_count(&u->web, uri);
    if (uri_has_scheme(uri, "https"))
        u->names_recipient &= (item->uri.needs & VARS_RECIPIENT) != 0;
    u->items[u->count++] =
        (struct list_item){.uri = uri, .before = item->before, .comment = item->comment};
}

/* Returns List-Unsubscribe with the items that this transaction can have; empty if there is none.
 */
static struct span unsubscribe_value(struct build *b, struct unsubscribe *u)
{
    struct variable_values values = {0};
    struct strbuf text = STRBUF_INIT;
    set_recipient(b, u, &values);
    for (size_t i = 0; i < b->texts.unsubscribe_count; i++)
        if (is_too_long(&b->texts.unsubscribe[i].uri, &values)) { /* RULINGS 36 */
            build_note(b, true, "List-Unsubscribe left out: it %s",
                       field_fault_text(FIELD_LINE_TOO_LONG));
            return span_of("", 0);
        }
    u->items = arena_calloc(b->arena, b->texts.unsubscribe_count, sizeof *u->items);
    for (size_t i = 0; i < b->texts.unsubscribe_count; i++)
        add_item(b, &b->texts.unsubscribe[i], &values, u);
    if (u->count > 0)
        list_field_render(&text, span_cstr(field_name_text(FIELD_LIST_UNSUBSCRIBE)), u->items,
                          u->count);
    return span_cstr(strbuf_keep(&text, b->arena));
}

static void stamp_unsubscribe(struct build *b)
{
    struct unsubscribe u = {.names_recipient = true};
    if (b->texts.unsubscribe_count == 0) {
        insert_owned(b, FIELD_LIST_UNSUBSCRIBE,
                     list_texts_field(&b->texts, FIELD_LIST_UNSUBSCRIBE));
        return;
    }
    if (build_keeps(b, FIELD_LIST_UNSUBSCRIBE) ||
        !insert_owned(b, FIELD_LIST_UNSUBSCRIBE, unsubscribe_value(b, &u)))
        return;
    if (wants_one_click(b->list) && web_items_allow_one_click(&u.web) && u.names_recipient &&
        !u.token_is_missing)
        insert_owned(b, FIELD_LIST_UNSUBSCRIBE_POST, span_cstr(LIST_FIELDS_ONE_CLICK));
}

/* ---- hashes and numbers ---- */

/* A Message-ID without a delimiter is hashed whole, by another clause. */
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

/* R1-01, RULINGS 8 */
static void stamp_list_id_hash(struct build *b)
{
    if (!b->list->list_id_hash)
        return;
    if (b->post->id_text.p == NULL || b->date.p == NULL) {
        build_note(b, false, "X-List-ID-Hash left out: the message has no %s",
                   b->post->id_text.p == NULL ? "Message-ID" : "Date");
        return;
    }
    char *hash = arena_alloc(b->arena, MESSAGE_ID_HASH_LENGTH + 1);
    message_id_list_hash(b->post->id_text, b->date, hash);
    insert_owned(b, FIELD_X_LIST_ID_HASH, span_cstr(hash));
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

/* ---- the author's signature (RULINGS 83) ---- */

/* Finds the owned fields that a DKIM-Signature of the author's domain names although the message
 * has none. */
static void find_forbidden(struct build *b)
{
    const struct header *header = b->facts->header;
    size_t signed_counts[FIELD_NAME_COUNT];
    if (b->list->oversigned != OVERSIGNED_SPARE ||
        header_count_of(header, FIELD_DKIM_SIGNATURE) == 0)
        return;
    struct span author =
        mailbox_author_domain(facts_first(b->facts, FIELD_FROM, b->arena), b->arena);
    for (size_t i = header_find(header, FIELD_DKIM_SIGNATURE, 0); i < header_count(header);
         i = header_find(header, FIELD_DKIM_SIGNATURE, i + 1)) {
        struct span signature = facts_text(b->facts, i, b->arena);
        if (!dkim_is_aligned(dkim_domain(signature), author))
            continue;
        dkim_signed_counts(signature, signed_counts);
        for (size_t n = 0; n < owned_field_count; n++)
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
    find_forbidden(b);
    stamp_message_id_hash(b);
    stamp_archived_at(b);
    for (int i = LIST_FIRST_FIELD; i <= LIST_LAST_FIELD; i++) {
        enum field_name name = (enum field_name)i;
        if (name == FIELD_LIST_UNSUBSCRIBE)
            stamp_unsubscribe(b);
        else
            insert_owned(b, name, list_texts_field(&b->texts, name));
    }
    stamp_number(b);
    stamp_list_id_hash(b);
    stamp_alt_message_id(b);
    note_left_out(b);
}

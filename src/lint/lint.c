/* lint - see lint.h. One pass over the fields, from top to bottom, then the fields that are
 * missing: so the findings need no sorting. */
#include "lint/lint.h"

#include "mail/address.h"
#include "mail/field_check.h"
#include "mail/fold.h"
#include "spec/archived_at.h"
#include "spec/dkim_signature.h"
#include "spec/iri.h"
#include "spec/list_fields.h"
#include "spec/list_id.h"
#include "spec/mailbox.h"
#include "spec/message_id.h"
#include "spec/owned_fields.h"
#include "spec/uri.h"
#include "text/ascii.h"
#include "text/memory.h"
#include "text/strbuf.h"
#include "text/utf8.h"

#include <stdlib.h>
#include <string.h>

#define RULE_ROW(rule, name_, level_, clause_, cure_, text_, instead_)                             \
    [rule] = {name_, level_, clause_, text_, instead_, cure_},

const struct lint_rule_text lint_rules[LINT_RULE_COUNT] = {LINT_RULES(RULE_ROW)};
_Static_assert(LINT_RULE_COUNT <= 40, "RULINGS 93");

const char *const lint_level_texts[LINT_LEVEL_COUNT] = {"error", "warning", "advice"};

void lint_add_cure(struct strbuf *out, enum lint_rule rule, enum field_name field,
                   bool needs_sender)
{
    const char *key = lint_rules[rule].cure;
    if (key == NULL)
        return;
    if (rule == LINT_COPIES && field != FIELD_MESSAGE_ID)
        key = "";
    strbuf_add_str(out, "mlmilter");
    if (*key != '\0')
        strbuf_addf(out, " with %s", key);
    if (needs_sender)
        strbuf_addf(out, " %s select = \"sender\"", *key != '\0' ? "and" : "with");
}

#define OTHER_IDS 8 /* fields whose name ends in "-Message-ID" that are read, at most */

struct hashes {
    char hash[MESSAGE_ID_HASH_LENGTH + 1];
    char list_hash[MESSAGE_ID_HASH_LENGTH + 1]; /* "" without a Date */
};

/* Facts about the message and the field that is being checked. */
struct pass {
    struct lint *out;
    struct arena *arena;
    const struct message *message;
    const struct header *header;
    struct span id;
    struct hashes own;               /* "" without an id or a field with a hash */
    struct hashes others[OTHER_IDS]; /* of X-Microsoft-Original-Message-ID and the like */
    size_t other_count;
    struct span named_hash, named_list_hash; /* the texts of the fields that hold them */
    struct span list, author;                /* domains; empty: not known */
    bool id_is_long, id_is_relays;
    bool is_list_mail, is_international; /* UTF-8 in From, To or Subject */
    bool list_signed, author_signed;     /* a DKIM signature of that domain */
    bool pair_signed;    /* a DKIM signature, of any domain, covers both fields of one-click */
    uint64_t signed_set; /* bits of the fields that the list's signatures cover */
    struct field field;
    struct span text;
    size_t place, number;          /* number 0: the first of its name */
    size_t seen[FIELD_NAME_COUNT]; /* fields of each name so far */
    struct span *links;            /* the URIs of Archived-At so far */
};

static const struct span nothing = {"", 0};

/* Adds a finding about the field that is being checked, with the part that is wrong. A field may
 * hold 300,000 URIs, so it gets at most LINT_REPEATS findings of a rule. */
static void add(struct pass *p, enum lint_rule rule, struct span shown)
{
    struct lint *l = p->out;
    const struct owned_field *owned = owned_field_find(p->field.id);
    const char *clause = lint_rules[rule].clause;
    size_t repeats = 0;
    for (size_t i = l->count; i > 0 && l->findings[i - 1].place == p->place; i--)
        repeats += l->findings[i - 1].rule == rule;
    if (repeats >= LINT_REPEATS)
        return;
    if (rule == LINT_COPIES && owned != NULL)
        clause = owned->single_clause;
    else if (clause == NULL && owned != NULL)
        clause = owned->form_clause;
    l->findings = array_grow(l->findings, l->count, &l->capacity, sizeof *l->findings);
    l->findings[l->count++] = (struct lint_finding){rule, p->field.id, p->place, shown, clause};
}

static void add_missing(struct pass *p, enum lint_rule rule, enum field_name name,
                        struct span shown)
{
    p->place = LINT_NO_PLACE;
    p->field.id = name;
    add(p, rule, shown);
}

static bool has_field(const struct pass *p, enum field_name name)
{
    return header_count_of(p->header, name) > 0;
}

static struct span first_text(const struct pass *p, enum field_name name)
{
    return header_first(p->header, name, p->arena);
}

static bool has_utf8(const struct pass *p, enum field_name name)
{
    struct span text = first_text(p, name);
    return !span_is_ascii(text) && utf8_is_valid(text);
}

/* Reads whether the Message-ID came unchanged. Servers break a line over 998 bytes; Amazon SES and
 * Microsoft 365 make ids of their own. */
static void read_id(struct pass *p)
{
    struct span bare = message_id_bare(p->id), domain = address_domain(bare), lines;
    p->id_is_long =
        span_find_any(bare, " \t") < bare.n && sizeof "Message-ID: " - 1 + p->id.n > FIELD_LINE_MAX;
    lines = p->message->fields[header_find(p->header, FIELD_MESSAGE_ID, 0)].lines;
    while (lines.n > 0)
        p->id_is_long |= span_take_line(&lines).n > FIELD_LINE_MAX;
    p->id_is_relays = address_domain_is_within(domain, span_cstr("amazonses.com")) ||
                      address_domain_is_within(domain, span_cstr("prod.outlook.com"));
}

static void make_hashes(struct hashes *hashes, struct span id, struct span date)
{
    message_id_hash(message_id_bare(id), hashes->hash);
    if (date.p != NULL)
        message_id_list_hash(id, date, hashes->list_hash);
}

/* Makes the hashes if a field may hold one: most archived mail has none, and a hash takes time. */
static void read_hashes(struct pass *p)
{
    p->named_hash = first_text(p, FIELD_MESSAGE_ID_HASH);
    p->named_list_hash = first_text(p, FIELD_X_LIST_ID_HASH);
    if (p->id.p == NULL || (!has_field(p, FIELD_ARCHIVED_AT) && p->named_hash.p == NULL &&
                            p->named_list_hash.p == NULL))
        return;
    struct span date = first_text(p, FIELD_DATE);
    make_hashes(&p->own, p->id, date);
    for (size_t i = 0; i < header_count(p->header) && p->other_count < OTHER_IDS; i++) {
        struct field field = header_field(p->header, i);
        if (span_ends_nocase(field.name, span_cstr("-Message-ID")) &&
            span_find(field.value, '<') < field.value.n)
            make_hashes(&p->others[p->other_count++], header_text(p->header, i, p->arena), date);
    }
}

/* Finds the domain that must have signed (RULINGS 93). Nobody signs for the name space "localhost",
 * or for a whole top-level domain. */
static void read_list_domain(struct pass *p)
{
    struct span id, space;
    p->list = p->out->domain;
    if (p->list.n > 0 || !list_id_read(first_text(p, FIELD_LIST_ID), p->arena, &id) ||
        list_id_fault(id) != NULL)
        return;
    space = list_id_namespace(id);
    if (span_find(space, '.') < space.n && !address_domain_is_within(space, span_cstr("localhost")))
        p->list = space;
}

static void read_signatures(struct pass *p)
{
    const uint64_t pair =
        FIELD_BIT(FIELD_LIST_UNSUBSCRIBE) | FIELD_BIT(FIELD_LIST_UNSUBSCRIBE_POST);
    size_t counts[FIELD_NAME_COUNT];
    for (size_t i = header_find(p->header, FIELD_DKIM_SIGNATURE, 0); i < header_count(p->header);
         i = header_find(p->header, FIELD_DKIM_SIGNATURE, i + 1)) {
        struct span signature = header_text(p->header, i, p->arena);
        struct span domain = dkim_domain(signature);
        bool is_lists = dkim_is_aligned(domain, p->list);
        uint64_t covered = 0;
        dkim_signed_counts(signature, counts);
        for (size_t k = 0; k < FIELD_NAME_COUNT; k++)
            covered |= counts[k] > 0 ? FIELD_BIT(k) : 0;
        p->author_signed |= dkim_is_aligned(domain, p->author);
        p->pair_signed |= (covered & pair) == pair;
        p->list_signed |= is_lists;
        p->signed_set |= is_lists ? covered : 0;
    }
}

static void read_message(struct pass *p)
{
    struct span from = first_text(p, FIELD_FROM);
    p->links =
        arena_calloc(p->arena, header_count_of(p->header, FIELD_ARCHIVED_AT), sizeof *p->links);
    p->is_list_mail = p->out->domain.n > 0;
    for (size_t i = 0; i < owned_field_count; i++)
        p->is_list_mail |= has_field(p, owned_fields[i].name);
    p->is_international =
        has_utf8(p, FIELD_FROM) || has_utf8(p, FIELD_SUBJECT) || has_utf8(p, FIELD_TO);
    if (from.p != NULL)
        p->author = mailbox_author_domain(from, p->arena);
    if (p->id.p != NULL)
        read_id(p);
    read_hashes(p);
    read_list_domain(p);
    read_signatures(p);
}

/* True if a line has only bytes that a header may hold, and some that are not blank. UTF-8 is right
 * in mail that was sent with SMTPUTF8 (RFC 6532 3.1). */
static bool is_line(const struct pass *p, struct span line)
{
    if (line.n > FIELD_LINE_MAX || span_trim(line).n == 0)
        return false;
    if (span_is_printable_ascii(line)) /* as nearly every line is */
        return true;
    for (size_t i = 0; i < line.n; i++)
        if (ascii_is_control(line.p[i]) && line.p[i] != '\t')
            return false;
    return span_is_ascii(line) || (p->is_international && utf8_is_valid(line));
}

static void check_octets(struct pass *p)
{
    struct span lines = p->message->fields[p->place].lines;
    bool is_fine = true;
    while (lines.n > 0 && is_fine)
        is_fine = is_line(p, span_take_line(&lines));
    if (!is_fine)
        add(p, LINT_OCTETS, nothing);
}

/* Checks a URI without its white space; `brackets` has all of it. Returns false if it is wrong, or
 * mail programs must not open it. */
static bool check_uri(struct pass *p, struct span uri, struct span brackets)
{
    bool has_space = brackets.n > uri.n + 2;
    if (uri_fault(uri) != NULL) {
        add(p, LINT_URI_FORM, has_space ? brackets : uri);
        return false;
    }
    if (has_space)
        add(p, LINT_URI_SPACE, brackets);
    if (uri_has_scheme(uri, "http"))
        add(p, LINT_URI_HTTP, uri);
    if (uri_has_scheme(uri, "mailto") && !uri_mailto_is_right(uri))
        add(p, LINT_URI_MAILTO, uri);
    return true;
}

/* True if a hash that is wrong may have been right, before a relay changed the Message-ID. */
static bool is_of_old_id(const struct pass *p, const char *hash)
{
    bool is_other = p->id_is_long || p->id_is_relays;
    for (size_t i = 0; i < p->other_count; i++)
        is_other = is_other || strcmp(hash, p->others[i].hash) == 0 ||
                   strcmp(hash, p->others[i].list_hash) == 0;
    return is_other;
}

/* Checks a field with a hash. */
static void check_hash(struct pass *p)
{
    bool is_list_hash = p->field.id == FIELD_X_LIST_ID_HASH;
    char normal[MESSAGE_ID_HASH_LENGTH + 1];
    bool is_hash = message_id_hash_normalize(p->text, normal);
    if (is_hash && strcmp(normal, is_list_hash ? p->own.list_hash : p->own.hash) == 0) {
        if (!span_eq(p->text, span_cstr(normal)))
            add(p, LINT_HASH_CASE, p->text);
    } else if (is_hash && is_of_old_id(p, normal)) {
        add(p, LINT_MESSAGE_ID_CHANGED, p->text);
    } else {
        add(p, is_list_hash ? LINT_LIST_HASH_WRONG : LINT_HASH_WRONG, p->text);
    }
}

/* Returns the last segment of the path, without a "/" after it. */
static struct span last_segment(struct span uri)
{
    struct span path = span_sub(uri, 0, span_find_any(uri, "?#"));
    path = span_sub(path, 0, path.n - (path.n > 0 && path.p[path.n - 1] == '/'));
    size_t slash = span_find_last(path, '/');
    return slash < path.n ? span_sub(path, slash + 1, path.n) : path;
}

/* Reports a segment that looks like a hash, but is no hash or id of the message (RULINGS 93). With
 * an empty id it is made of something else, as an empty id gives no link (RULINGS 6). */
static void check_last_segment(struct pass *p, struct span uri)
{
    char normal[MESSAGE_ID_HASH_LENGTH + 1];
    struct span bare = message_id_bare(p->id), segment = last_segment(uri);
    const struct span right[] = {bare, span_cstr(p->own.hash), span_cstr(p->own.list_hash),
                                 p->named_hash, p->named_list_hash};
    bool is_hash =
        message_id_hash_normalize(segment, normal) && span_eq(segment, span_cstr(normal));
    for (size_t i = 0; i < sizeof right / sizeof right[0]; i++)
        is_hash = is_hash && !span_eq(segment, right[i]);
    if (is_hash && (p->id.p == NULL || bare.n > 0))
        add(p, is_of_old_id(p, normal) ? LINT_MESSAGE_ID_CHANGED : LINT_ARCHIVED_AT_HASH, segment);
}

/* Checks the URI of an Archived-At. A fold in the brackets is right (RFC 5064 2.1). In an
 * internationalised header the link may be an IRI (AT-07). */
static void check_link(struct pass *p, struct span brackets)
{
    struct span iri = archived_at_uri(brackets, p->arena), uri;
    bool is_folded = span_find(span_trim(p->field.value), '\n') < span_trim(p->field.value).n;
    if (iri_to_uri(iri, p->arena, &uri) != NULL)
        uri = iri;
    if (check_uri(p, uri, iri.n + 2 == brackets.n || is_folded ? uri : brackets))
        check_last_segment(p, uri);
}

/* Checks whether the message may have a link at all. */
static void check_unwanted(struct pass *p)
{
    enum field_name wish = archived_at_wish(p->header, p->arena);
    if (wish != FIELD_OTHER)
        add(p, LINT_ARCHIVED_AT_UNWANTED, span_cstr(field_name_text(wish)));
    if (archived_at_content_kind(first_text(p, FIELD_CONTENT_TYPE)) == CONTENT_FRAGMENT)
        add(p, LINT_ARCHIVED_AT_FRAGMENT, nothing);
}

static void check_archived_at(struct pass *p)
{
    size_t close = span_find(p->text, '>');
    bool is_bracketed = span_find(p->text, '<') == 0 && close < p->text.n;
    struct span *link = &p->links[p->number], *other = p->links;
    *link = archived_at_uri(p->field.value, p->arena);
    if (!is_bracketed || close + 1 < p->text.n)
        add(p, LINT_ARCHIVED_AT_FORM, p->text);
    if (is_bracketed)
        check_link(p, span_sub(p->text, 0, close + 1));
    while (!span_eq(*other, *link))
        other++;
    if (other < link)
        add(p, LINT_ARCHIVED_AT_TWICE, *link);
    if (p->number == 0)
        check_unwanted(p);
}

/* Returns the last two labels of a domain: most often what its owner has registered. */
static struct span last_labels(struct span domain)
{
    size_t dot = span_find_last(domain, '.');
    size_t before = span_find_last(span_sub(domain, 0, dot), '.');
    return before < dot ? span_sub(domain, before + 1, domain.n) : domain;
}

/* Checks LI-03, as far as the message tells: posts are sent to the first address of List-Post. An
 * id below "localhost" is in no domain. */
static void check_authority(struct pass *p, struct span id)
{
    struct cursor cursor = cursor_of(first_text(p, FIELD_LIST_POST));
    struct span domain = p->out->domain, space = list_id_namespace(id), uri;
    bool first = true;
    while (domain.n == 0 && list_field_next_uri(&cursor, &first, p->arena, &uri)) {
        struct span mailbox = span_of("", 0);
        size_t count = 0;
        mailboxes_of_mailto(uri, p->arena, &mailbox, 1, &count);
        domain = address_domain(mailbox);
    }
    if (domain.n > 0 && !address_domain_is_within(space, last_labels(domain)) &&
        !address_domain_is_within(space, span_cstr("localhost")))
        add(p, LINT_LIST_ID_AUTHORITY, id);
}

/* Checks that a phrase and the id are alone (LI-08). */
static void check_list_id_parts(struct pass *p, const struct list_id_parts *parts, struct span id)
{
    struct span other;
    if (parts->brackets.n > id.n + 2)
        add(p, LINT_LIST_ID_TEXT, parts->brackets);
    if (!parts->is_phrase)
        add(p, LINT_LIST_ID_TEXT, span_trim(parts->before));
    if (parts->after.n == 0)
        return;
    bool has_other = list_id_read(parts->after, p->arena, &other) && list_id_fault(other) == NULL &&
                     !span_eq_nocase(other, id);
    add(p, has_other ? LINT_LIST_ID_SEVERAL : LINT_LIST_ID_TEXT, parts->after);
}

static void check_list_id(struct pass *p)
{
    struct list_id_parts parts;
    struct span id;
    bool has_brackets = list_id_split(p->text, &parts);
    if (has_brackets && parts.before.n == 0)
        add(p, LINT_LIST_ID_DESCRIPTION, nothing);
    if (!list_id_read(p->text, p->arena, &id)) {
        add(p, LINT_LIST_ID_NO_ID, p->text);
        return;
    }
    if (list_id_fault(id) != NULL) {
        add(p, LINT_LIST_ID_FORM, parts.brackets);
        return;
    }
    p->out->needs_sender = false;
    check_list_id_parts(p, &parts, id);
    if (list_id_lacks_randomness(id))
        add(p, LINT_LIST_ID_RANDOM, id);
    if (p->number == 0) /* the field that counts */
        check_authority(p, id);
}

static void check_list_field(struct pass *p)
{
    struct cursor cursor = cursor_of(p->text);
    struct span uri;
    bool first = true, has_mailto = false;
    if (p->field.id == FIELD_LIST_POST && list_field_is_no(p->text))
        return;
    while (list_field_next_uri(&cursor, &first, p->arena, &uri)) {
        struct span read = span_of(p->text.p, (size_t)(cursor.p - p->text.p));
        check_uri(p, uri, span_sub(read, span_find_last(read, '<'), read.n));
        has_mailto = has_mailto || uri_has_scheme(uri, "mailto");
    }
    if (first || !cursor_at_end(&cursor))
        add(p, LINT_BRACKETS, span_trim(cursor_rest(&cursor)));
    if (!first && !has_mailto && p->field.id != FIELD_LIST_ARCHIVE)
        add(p, LINT_NO_MAILTO, nothing);
}

static void check_one_click(struct pass *p)
{
    struct cursor cursor = cursor_of(first_text(p, FIELD_LIST_UNSUBSCRIBE));
    struct web_items web = {0, 0};
    struct span uri;
    bool first = true;
    if (p->number > 0)
        return;
    if (!span_eq_nocase(p->text, span_cstr(LIST_FIELDS_ONE_CLICK)))
        add(p, LINT_ONE_CLICK_VALUE, p->text);
    while (list_field_next_uri(&cursor, &first, p->arena, &uri))
        web_items_count(&web, uri);
    if (!web_items_allow_one_click(&web))
        add(p, LINT_ONE_CLICK_HTTPS, nothing);
    if (p->list_signed && !p->pair_signed)
        add(p, LINT_ONE_CLICK_UNSIGNED, p->list);
}

/* Checks a field that is not the list's. */
static void check_other(struct pass *p)
{
    if (p->field.id == FIELD_MESSAGE_ID && p->id_is_long)
        add(p, LINT_MESSAGE_ID_LONG, nothing);
    else if (p->field.id == FIELD_MESSAGE_ID && !message_id_is_well_formed(p->id))
        add(p, LINT_MESSAGE_ID_FORM, p->id);
    if (p->field.id == FIELD_FROM && p->author.n > 0 && !p->author_signed && p->is_list_mail)
        add(p, LINT_FROM_UNSIGNED, p->author);
}

static void check_field(struct pass *p, size_t place)
{
    static void (*const checks[FORM_OLD_NAME + 1])(struct pass *) = {
        [FORM_HASH] = check_hash,           [FORM_LIST_HASH] = check_hash,
        [FORM_URI] = check_archived_at,     [FORM_LIST_ID] = check_list_id,
        [FORM_URI_LIST] = check_list_field, [FORM_ONE_CLICK] = check_one_click,
    };
    p->field = header_field(p->header, place);
    p->place = place;
    p->number = p->seen[p->field.id]++;
    const struct owned_field *owned = owned_field_find(p->field.id);
    if (p->number == 1 &&
        (owned != NULL ? owned->single_clause != NULL : p->field.id == FIELD_MESSAGE_ID))
        add(p, LINT_COPIES, nothing);
    if (owned == NULL) {
        if (p->number == 0)
            check_other(p);
        return;
    }
    p->text = header_text(p->header, place, p->arena);
    check_octets(p);
    if (checks[owned->form] != NULL)
        checks[owned->form](p);
    if (owned->form == FORM_OLD_NAME)
        add(p, LINT_OLD_NAME, nothing);
}

/* Finds the list fields that no signature of the list covers. */
static void check_covered(struct pass *p)
{
    struct strbuf names = STRBUF_INIT;
    for (size_t i = 0; i < owned_field_count; i++) {
        enum field_name name = owned_fields[i].name;
        if (has_field(p, name) && (p->signed_set & FIELD_BIT(name)) == 0 &&
            owned_fields[i].form != FORM_OLD_NAME)
            strbuf_addf(&names, "%s%s", names.len > 0 ? ", " : "", field_name_text(name));
    }
    if (names.len > 0)
        add_missing(p, LINT_DKIM_UNCOVERED, FIELD_DKIM_SIGNATURE,
                    span_cstr(strbuf_keep(&names, p->arena)));
}

static void check_missing(struct pass *p)
{
    if (p->id.p == NULL)
        add_missing(p, LINT_MESSAGE_ID_MISSING, FIELD_MESSAGE_ID, nothing);
    if (!has_field(p, FIELD_LIST_ID))
        add_missing(p, LINT_LIST_ID_MISSING, FIELD_LIST_ID, nothing);
    if (has_field(p, FIELD_LIST_UNSUBSCRIBE) && !has_field(p, FIELD_LIST_UNSUBSCRIBE_POST))
        add_missing(p, LINT_ONE_CLICK_MISSING, FIELD_LIST_UNSUBSCRIBE_POST, nothing);
    if (!has_field(p, FIELD_LIST_UNSUBSCRIBE) && p->is_list_mail)
        add_missing(p, LINT_UNSUBSCRIBE_MISSING, FIELD_LIST_UNSUBSCRIBE, nothing);
    if (p->list_signed)
        check_covered(p);
    else if (p->list.n > 0)
        add_missing(p, LINT_DKIM_MISSING, FIELD_DKIM_SIGNATURE, p->list);
}

void lint_message(struct lint *l, const struct message *m)
{
    size_t kept = header_count(&m->header);
    struct span end = span_sub(m->rest, 0, 2);
    struct pass p = {.out = l, .arena = &l->arena, .message = m, .header = &m->header};
    arena_reset(&l->arena);
    l->count = 0;
    l->needs_sender = true;
    p.id = l->id = first_text(&p, FIELD_MESSAGE_ID);
    read_message(&p);
    /* Later fields of a cut header are unknown, so none is reported as missing. */
    for (size_t i = 0; i < kept && !m->header.too_large; i++)
        check_field(&p, i);
    p.place = kept;
    p.field.id = FIELD_OTHER;
    if (m->header.too_large || (end.n > 0 && end.p[0] != '\n' && !span_eq(end, span_cstr("\r\n"))))
        add(&p, LINT_HEADER_CUT, nothing);
    if (!m->header.too_large)
        check_missing(&p);
}

void lint_init(struct lint *l)
{
    *l = (struct lint){.domain = nothing};
    arena_init(&l->arena, 0);
}

void lint_free(struct lint *l)
{
    arena_free(&l->arena);
    free(l->findings);
    lint_init(l);
}

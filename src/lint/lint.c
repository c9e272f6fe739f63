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
#include "spec/owned_fields.h"
#include "spec/uri.h"
#include "text/ascii.h"
#include "text/memory.h"
#include "text/strbuf.h"
#include "text/utf8.h"

#include <stdlib.h>
#include <string.h>

static const struct span nothing = {"", 0};

/* Adds a finding about the field that is being checked, with the part that is wrong. A field may
 * hold 300,000 URIs, so it gets at most LINT_REPEATS findings of a rule. */
static void add(struct lint *l, enum lint_rule rule, struct span shown)
{
    size_t repeats = 0;
    for (size_t i = l->count; i > 0 && l->findings[i - 1].place == l->place; i--)
        repeats += l->findings[i - 1].rule == rule;
    if (repeats >= LINT_REPEATS)
        return;
    l->findings = array_grow(l->findings, l->count, &l->capacity, sizeof *l->findings);
    l->findings[l->count++] = (struct lint_finding){rule, l->field.id, l->place, shown};
}

static void add_missing(struct lint *l, enum lint_rule rule, enum field_name name,
                        struct span shown)
{
    l->place = LINT_NO_PLACE;
    l->field.id = name;
    add(l, rule, shown);
}

static struct span text_at(struct lint *l, size_t place)
{
    return header_text(l->header, place, &l->arena);
}

static bool has_field(const struct lint *l, enum field_name name)
{
    return header_count_of(l->header, name) > 0;
}

/* Returns the text of the first field of that name; its p is NULL if there is none. */
static struct span first_text(struct lint *l, enum field_name name)
{
    return has_field(l, name) ? text_at(l, header_find(l->header, name, 0)) : span_of(NULL, 0);
}

static bool has_utf8(struct lint *l, enum field_name name)
{
    struct span text = first_text(l, name);
    return !span_is_printable_ascii(text) && !span_is_ascii(text) && utf8_is_valid(text);
}

/* Makes the hashes if a field may hold one: most archived mail has none, and a hash takes time. */
static void read_hashes(struct lint *l)
{
    struct span date;
    l->named_hash = first_text(l, FIELD_MESSAGE_ID_HASH);
    l->named_list_hash = first_text(l, FIELD_X_LIST_ID_HASH);
    if (l->id.p == NULL || (!has_field(l, FIELD_ARCHIVED_AT) && l->named_hash.p == NULL &&
                            l->named_list_hash.p == NULL))
        return;
    message_id_hash(message_id_bare(l->id), l->hash);
    date = first_text(l, FIELD_DATE);
    if (date.p != NULL)
        message_id_list_hash(l->id, date, l->list_hash);
}

/* Finds the domain that must have signed (RULINGS 93). Nobody signs for the name space "localhost",
 * or for a whole top-level domain. */
static void read_list_domain(struct lint *l)
{
    struct span id, space;
    l->list = l->domain;
    if (l->domain.n > 0 || !list_id_read(first_text(l, FIELD_LIST_ID), &l->arena, &id) ||
        list_id_fault(id) != NULL)
        return;
    space = list_id_namespace(id);
    if (span_find(space, '.') < space.n && !address_domain_is_within(space, span_cstr("localhost")))
        l->list = space;
}

static void read_signatures(struct lint *l)
{
    const uint64_t pair =
        FIELD_BIT(FIELD_LIST_UNSUBSCRIBE) | FIELD_BIT(FIELD_LIST_UNSUBSCRIBE_POST);
    size_t counts[FIELD_NAME_COUNT];
    for (size_t i = header_find(l->header, FIELD_DKIM_SIGNATURE, 0); i < header_count(l->header);
         i = header_find(l->header, FIELD_DKIM_SIGNATURE, i + 1)) {
        struct span signature = text_at(l, i), domain = dkim_domain(signature);
        bool is_lists = dkim_is_aligned(domain, l->list);
        uint64_t covered = 0;
        dkim_signed_counts(signature, counts);
        for (size_t k = 0; k < FIELD_NAME_COUNT; k++)
            covered |= counts[k] > 0 ? FIELD_BIT(k) : 0;
        l->author_signed |= dkim_is_aligned(domain, l->author);
        l->pair_signed |= (covered & pair) == pair;
        l->list_signed |= is_lists;
        l->signed_set |= is_lists ? covered : 0;
    }
}

static void read_message(struct lint *l, const struct header *header)
{
    struct span from;
    arena_reset(&l->arena);
    *l = (struct lint){.domain = l->domain,
                       .findings = l->findings,
                       .capacity = l->capacity,
                       .arena = l->arena,
                       .header = header,
                       .is_list_mail = l->domain.n > 0};
    l->links =
        arena_calloc(&l->arena, header_count_of(header, FIELD_ARCHIVED_AT), sizeof *l->links);
    l->id = first_text(l, FIELD_MESSAGE_ID);
    for (size_t i = 0; i < owned_field_count; i++)
        l->is_list_mail |= has_field(l, owned_fields[i].name);
    l->is_international =
        has_utf8(l, FIELD_FROM) || has_utf8(l, FIELD_SUBJECT) || has_utf8(l, FIELD_TO);
    from = first_text(l, FIELD_FROM);
    if (from.p != NULL)
        l->author = mailbox_author_domain(from, &l->arena);
    read_hashes(l);
    read_list_domain(l);
    read_signatures(l);
}

/* True if a line has only bytes that a header may hold, and some that are not blank. UTF-8 is right
 * in mail that was sent with SMTPUTF8 (RFC 6532 3.1). */
static bool is_line(const struct lint *l, struct span line)
{
    if (line.n > FIELD_LINE_MAX || span_trim(line).n == 0)
        return false;
    if (span_is_printable_ascii(line)) /* as nearly every line is */
        return true;
    for (size_t i = 0; i < line.n; i++)
        if (ascii_is_control(line.p[i]) && line.p[i] != '\t')
            return false;
    return span_is_ascii(line) || (l->is_international && utf8_is_valid(line));
}

static void check_octets(struct lint *l, struct span lines)
{
    bool is_fine = true;
    while (lines.n > 0 && is_fine) {
        struct span line = span_sub(lines, 0, span_find(lines, '\n'));
        lines = span_sub(lines, line.n + 1, lines.n);
        if (line.n > 0 && line.p[line.n - 1] == '\r')
            line.n--;
        is_fine = is_line(l, line);
    }
    if (!is_fine)
        add(l, LINT_OCTETS, nothing);
}

/* Checks a URI. Returns false if it is wrong, or mail programs must not open it. */
static bool check_uri(struct lint *l, struct span uri, bool has_space)
{
    bool is_uri = uri_fault(uri) == NULL;
    if (!is_uri || has_space)
        add(l, LINT_URI_FORM, uri);
    if (is_uri && uri_has_scheme(uri, "http"))
        add(l, LINT_URI_HTTP, uri);
    return is_uri;
}

/* True if white space was deleted from a part of the text: then it is a copy. */
static bool had_space(const struct lint *l, struct span part)
{
    return (uintptr_t)part.p - (uintptr_t)l->text.p >= l->text.n;
}

/* Checks a field with a hash, in any letter case (SU-14). */
static void check_hash(struct lint *l)
{
    bool is_list_hash = l->field.id == FIELD_X_LIST_ID_HASH;
    char normal[MESSAGE_ID_HASH_LENGTH + 1];
    if (!message_id_hash_normalize(l->text, normal) ||
        strcmp(normal, is_list_hash ? l->list_hash : l->hash) != 0)
        add(l, is_list_hash ? LINT_LIST_HASH_WRONG : LINT_HASH_WRONG, l->text);
}

/* Returns the last segment of the path, without a "/" after it. */
static struct span last_segment(struct span uri)
{
    size_t start;
    uri = span_sub(uri, 0, span_find(uri, '#'));
    uri = span_sub(uri, 0, span_find(uri, '?'));
    if (uri.n > 0 && uri.p[uri.n - 1] == '/')
        uri.n--;
    for (start = uri.n; start > 0 && uri.p[start - 1] != '/'; start--)
        continue;
    return span_sub(uri, start, uri.n);
}

/* Reports a segment that looks like a hash, but is no hash or id of the message (RULINGS 93). With
 * an empty id it is made of something else, as an empty id gives no link (RULINGS 6). */
static void check_last_segment(struct lint *l, struct span uri)
{
    char normal[MESSAGE_ID_HASH_LENGTH + 1];
    struct span bare = message_id_bare(l->id), segment = last_segment(uri);
    const struct span right[] = {bare, span_cstr(l->hash), span_cstr(l->list_hash), l->named_hash,
                                 l->named_list_hash};
    bool is_hash =
        message_id_hash_normalize(segment, normal) && span_eq(segment, span_cstr(normal));
    for (size_t i = 0; i < sizeof right / sizeof right[0]; i++)
        is_hash = is_hash && !span_eq(segment, right[i]);
    if (is_hash && (l->id.p == NULL || bare.n > 0))
        add(l, LINT_ARCHIVED_AT_HASH, segment);
}

/* Checks the URI of an Archived-At. A fold in the brackets is legal (RFC 5064 2.1), a blank is not
 * (AT-01). In an internationalised header the link may be an IRI (AT-07). */
static void check_link(struct lint *l, struct span inside)
{
    struct span value = span_trim(l->field.value), iri = archived_at_uri(inside, &l->arena), uri;
    bool has_blank = iri.n < inside.n && span_find(value, '\n') == value.n;
    if (iri_to_uri(iri, &l->arena, &uri) != NULL)
        uri = iri;
    if (check_uri(l, uri, has_blank))
        check_last_segment(l, uri);
}

static void check_unwanted(struct lint *l)
{
    enum field_name wish = archived_at_wish(l->header, &l->arena);
    if (wish != FIELD_OTHER)
        add(l, LINT_ARCHIVED_AT_UNWANTED, span_cstr(field_name_text(wish)));
    if (archived_at_content_kind(first_text(l, FIELD_CONTENT_TYPE)) == CONTENT_FRAGMENT)
        add(l, LINT_ARCHIVED_AT_UNWANTED, span_cstr("message/partial"));
}

static void check_archived_at(struct lint *l)
{
    size_t close = span_find(l->text, '>');
    bool is_bracketed = span_find(l->text, '<') == 0 && close < l->text.n;
    struct span *link = &l->links[l->number], *other = l->links;
    *link = archived_at_uri(l->field.value, &l->arena);
    if (!is_bracketed || close + 1 < l->text.n)
        add(l, LINT_ARCHIVED_AT_FORM, l->text);
    if (is_bracketed)
        check_link(l, span_sub(l->text, 1, close - 1));
    while (!span_eq(*other, *link))
        other++;
    if (other < link)
        add(l, LINT_ARCHIVED_AT_TWICE, *link);
    if (l->number == 0)
        check_unwanted(l);
}

/* Checks LI-03, as far as the message tells: posts are sent to the first address of List-Post. An
 * id below "localhost" is in no domain. */
static void check_authority(struct lint *l, struct span id)
{
    struct cursor cursor = cursor_of(first_text(l, FIELD_LIST_POST));
    struct span domain = l->domain, space = list_id_namespace(id), uri;
    bool first = true;
    while (domain.n == 0 && list_field_next_uri(&cursor, &first, &l->arena, &uri)) {
        struct span mailbox = span_of("", 0);
        size_t count = 0;
        mailboxes_of_mailto(uri, &l->arena, &mailbox, 1, &count);
        domain = address_domain(mailbox);
    }
    if (domain.n > 0 && !address_domain_is_within(space, domain) &&
        !address_domain_is_within(space, span_cstr("localhost")))
        add(l, LINT_LIST_ID_AUTHORITY, id);
}

static void check_list_id(struct lint *l)
{
    struct span id;
    bool is_id;
    if (span_find(l->text, '<') == 0 && span_find(l->text, '>') < l->text.n)
        add(l, LINT_LIST_ID_DESCRIPTION, nothing);
    if (!list_id_read(l->text, &l->arena, &id)) {
        add(l, LINT_LIST_ID_NO_ID, l->text);
        return;
    }
    is_id = list_id_fault(id) == NULL;
    if (!is_id || had_space(l, id))
        add(l, LINT_LIST_ID_FORM, id);
    if (is_id && list_id_lacks_randomness(id))
        add(l, LINT_LIST_ID_RANDOM, id);
    if (is_id && l->number == 0) /* the field that counts */
        check_authority(l, id);
}

static void check_list_field(struct lint *l)
{
    struct cursor cursor = cursor_of(l->text);
    struct span uri;
    bool first = true, has_mailto = false;
    if (l->field.id == FIELD_LIST_POST && list_field_is_no(l->text))
        return;
    while (list_field_next_uri(&cursor, &first, &l->arena, &uri)) {
        check_uri(l, uri, had_space(l, uri));
        has_mailto = has_mailto || uri_has_scheme(uri, "mailto");
    }
    if (first || !cursor_at_end(&cursor))
        add(l, LINT_BRACKETS, span_trim(cursor_rest(&cursor)));
    if (!first && !has_mailto && l->field.id != FIELD_LIST_ARCHIVE)
        add(l, LINT_NO_MAILTO, nothing);
}

static void check_one_click(struct lint *l)
{
    struct cursor cursor = cursor_of(first_text(l, FIELD_LIST_UNSUBSCRIBE));
    struct web_items web = {0, 0};
    struct span uri;
    bool first = true;
    if (l->number > 0)
        return;
    if (!span_eq_nocase(l->text, span_cstr(LIST_FIELDS_ONE_CLICK)))
        add(l, LINT_ONE_CLICK_VALUE, l->text);
    while (list_field_next_uri(&cursor, &first, &l->arena, &uri))
        web_items_count(&web, uri);
    if (!web_items_allow_one_click(&web))
        add(l, LINT_ONE_CLICK_HTTPS, nothing);
    if (l->list_signed && !l->pair_signed)
        add(l, LINT_ONE_CLICK_UNSIGNED, l->list);
}

static void check_field(struct lint *l, const struct message *m, size_t place)
{
    static void (*const checks[FORM_OLD_NAME + 1])(struct lint *) = {
        [FORM_HASH] = check_hash,           [FORM_LIST_HASH] = check_hash,
        [FORM_URI] = check_archived_at,     [FORM_LIST_ID] = check_list_id,
        [FORM_URI_LIST] = check_list_field, [FORM_ONE_CLICK] = check_one_click,
    };
    const struct owned_field *owned = owned_field_find(m->fields[place].id);
    l->field = header_field(l->header, place);
    l->place = place;
    l->number = l->seen[l->field.id]++;
    if (l->number == 1 &&
        (owned != NULL ? owned->single_clause != NULL : l->field.id == FIELD_MESSAGE_ID))
        add(l, LINT_COPIES, nothing);
    if (owned != NULL) {
        l->text = text_at(l, place);
        check_octets(l, m->fields[place].lines);
        if (checks[owned->form] != NULL)
            checks[owned->form](l);
        if (owned->form == FORM_OLD_NAME)
            add(l, LINT_OLD_NAME, nothing);
    } else if (l->number > 0) {
        return;
    } else if (l->field.id == FIELD_MESSAGE_ID && !message_id_is_well_formed(l->id)) {
        add(l, LINT_MESSAGE_ID_FORM, l->id);
    } else if (l->field.id == FIELD_FROM && l->author.n > 0 && !l->author_signed &&
               l->is_list_mail) {
        add(l, LINT_FROM_UNSIGNED, l->author);
    }
}

/* Finds the list fields that no signature of the list covers. */
static void check_covered(struct lint *l)
{
    struct strbuf names = STRBUF_INIT;
    for (size_t i = 0; i < owned_field_count; i++) {
        enum field_name name = owned_fields[i].name;
        if (has_field(l, name) && (l->signed_set & FIELD_BIT(name)) == 0 &&
            owned_fields[i].form != FORM_OLD_NAME)
            strbuf_addf(&names, "%s%s", names.len > 0 ? ", " : "", field_name_text(name));
    }
    if (names.len > 0)
        add_missing(l, LINT_DKIM_UNCOVERED, FIELD_DKIM_SIGNATURE,
                    span_cstr(strbuf_keep(&names, &l->arena)));
}

static void check_missing(struct lint *l)
{
    if (l->id.p == NULL)
        add_missing(l, LINT_MESSAGE_ID_MISSING, FIELD_MESSAGE_ID, nothing);
    if (!has_field(l, FIELD_LIST_ID))
        add_missing(l, LINT_LIST_ID_MISSING, FIELD_LIST_ID, nothing);
    if (has_field(l, FIELD_LIST_UNSUBSCRIBE) && !has_field(l, FIELD_LIST_UNSUBSCRIBE_POST))
        add_missing(l, LINT_ONE_CLICK_MISSING, FIELD_LIST_UNSUBSCRIBE_POST, nothing);
    if (!has_field(l, FIELD_LIST_UNSUBSCRIBE) && l->is_list_mail)
        add_missing(l, LINT_UNSUBSCRIBE_MISSING, FIELD_LIST_UNSUBSCRIBE, nothing);
    if (l->list_signed)
        check_covered(l);
    else if (l->list.n > 0)
        add_missing(l, LINT_DKIM_MISSING, FIELD_DKIM_SIGNATURE, l->list);
}

void lint_message(struct lint *l, const struct message *m)
{
    size_t kept = header_count(&m->header);
    struct span end = span_sub(m->rest, 0, 2);
    read_message(l, &m->header);
    /* Later fields of a cut header are unknown, so none is reported as missing. */
    for (size_t i = 0; i < kept && !m->header.too_large; i++)
        check_field(l, m, i);
    l->place = kept;
    l->field.id = FIELD_OTHER;
    if (m->header.too_large || (end.n > 0 && end.p[0] != '\n' && !span_eq(end, span_cstr("\r\n"))))
        add(l, LINT_HEADER_CUT, nothing);
    if (!m->header.too_large)
        check_missing(l);
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

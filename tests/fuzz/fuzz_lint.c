/*
 * Checks what lint finds in any message: each finding is about a field of the message or a missing
 * one, in the order of the message; a second pass and CRLF find no other; and a field that spec/
 * writes gets nothing but advice (RULINGS 93).
 *
 * Input: a message; in front of it there may be a line with words: domain=DOMAIN, the list's;
 * pad=N: so many fields stand above the message's, which are then beyond what is kept (RULINGS 71).
 * The fields of the message are also taken for what a configuration has: a List-Id for an id and
 * its description, the others for items of a list field, Archived-At for a link.
 */
#include "fuzz.h"

#include "lint/lint.h"
#include "mail/field_check.h"
#include "mail/fold.h"
#include "spec/archived_at.h"
#include "spec/list_fields.h"
#include "spec/list_id.h"
#include "spec/message_id.h"
#include "spec/owned_fields.h"
#include "spec/uri.h"
#include "text/ascii.h"
#include "text/utf8.h"

#include <string.h>

#define PAD_MAX 6000

struct linted {
    struct lint lint;
    struct message message;
    struct span text;
};

static void lint_begin(struct linted *l, struct span domain, struct span text)
{
    lint_init(&l->lint);
    message_init(&l->message);
    l->lint.domain = domain;
    l->text = text;
    message_split(&l->message, text);
    lint_message(&l->lint, &l->message);
}

static void lint_end(struct linted *l)
{
    message_free(&l->message);
    lint_free(&l->lint);
}

/* ---- each finding ---------------------------------------------------------------------------- */

static struct span name_of(const struct lint_finding *finding)
{
    return span_cstr(lint_rules[finding->rule].name);
}

static bool is_about_several_fields(enum lint_rule rule)
{
    return rule == LINT_DKIM_MISSING || rule == LINT_DKIM_UNCOVERED;
}

static void check_place(const struct linted *l, const struct lint_finding *finding)
{
    const struct message *m = &l->message;
    if (finding->place == LINT_NO_PLACE) {
        fuzz_require_text(is_about_several_fields(finding->rule) ||
                              header_count_of(&m->header, finding->field) == 0,
                          "a missing field", name_of(finding));
        fuzz_require_text(!m->header.too_large, "no field is missing in a header that was cut",
                          name_of(finding));
        return;
    }
    fuzz_require_text((finding->place == header_count(&m->header)) ==
                          (finding->rule == LINT_HEADER_CUT),
                      "the end of the header is after the fields", name_of(finding));
    fuzz_require_text(finding->place <= m->field_count, "a place in the header", name_of(finding));
    fuzz_require_text(finding->rule == LINT_HEADER_CUT ||
                          m->fields[finding->place].id == finding->field,
                      "the field is at its place", name_of(finding));
}

static void check_each(const struct linted *l)
{
    struct span id;
    struct arena arena;
    for (size_t i = 0; i < l->lint.count; i++) {
        const struct lint_finding *finding = &l->lint.findings[i];
        fuzz_require(finding->rule < LINT_RULE_COUNT, "a rule of the table");
        fuzz_require_text(lint_clause(finding) != NULL, "a clause", name_of(finding));
        check_place(l, finding);
        fuzz_require(i == 0 || finding[-1].place <= finding->place, "sorted by place");
    }
    arena_init(&arena, 0);
    id = message_first(l->text, FIELD_MESSAGE_ID, &arena);
    fuzz_require_text((id.p == NULL) == (l->lint.id.p == NULL) && span_eq(id, l->lint.id),
                      "the first Message-ID", l->lint.id);
    arena_free(&arena);
}

/* ---- equal findings -------------------------------------------------------------------------- */

static void check_same(const struct linted *a, const struct linted *b, const char *what)
{
    for (size_t i = 0; i < a->lint.count || i < b->lint.count; i++) {
        const struct lint_finding *one = &a->lint.findings[i], *other = &b->lint.findings[i];
        fuzz_require_text(i < a->lint.count, what, name_of(other));
        fuzz_require_text(i < b->lint.count, what, name_of(one));
        fuzz_require_text(one->rule == other->rule && one->field == other->field &&
                              one->place == other->place && span_eq(one->shown, other->shown),
                          what, name_of(one));
    }
}

static void check_again(struct linted *l, struct span domain)
{
    struct linted other;
    lint_begin(&other, domain, l->text);
    lint_message(&other.lint, &other.message);
    check_same(l, &other, "equal in a second pass");
    lint_end(&other);
}

static void check_crlf(struct linted *l, struct span domain)
{
    struct strbuf text = STRBUF_INIT;
    struct linted other;
    if (span_find(l->text, '\r') < l->text.n)
        return;
    for (size_t i = 0; i < l->text.n; i++) {
        if (l->text.p[i] == '\n')
            strbuf_add_char(&text, '\r');
        strbuf_add_char(&text, l->text.p[i]);
    }
    lint_begin(&other, domain, strbuf_span(&text));
    check_each(&other);
    check_same(l, &other, "equal with CRLF");
    lint_end(&other);
    strbuf_free(&text);
}

/* ---- the list's domain ----------------------------------------------------------------------- */

static bool depends_on_domain(enum lint_rule rule)
{
    return rule == LINT_LIST_ID_AUTHORITY || rule == LINT_ONE_CLICK_UNSIGNED ||
           rule == LINT_DKIM_MISSING || rule == LINT_DKIM_UNCOVERED;
}

static size_t next_of_all_domains(const struct lint *found, size_t i)
{
    while (i < found->count && depends_on_domain(found->findings[i].rule))
        i++;
    return i;
}

static bool has_list_field(const struct header *header)
{
    size_t count = 0;
    for (size_t i = 0; i < owned_field_count; i++)
        count += header_count_of(header, owned_fields[i].name);
    return count > 0;
}

static void check_without_domain(struct linted *l)
{
    const struct lint *left = &l->lint, *right;
    struct linted other;
    size_t i = 0, j = 0;
    if (!has_list_field(&l->message.header))
        return; /* with a domain it is a list's mail all the same */
    lint_begin(&other, span_of("", 0), l->text);
    right = &other.lint;
    for (;; i++, j++) {
        i = next_of_all_domains(left, i);
        j = next_of_all_domains(right, j);
        if (i == left->count || j == right->count)
            break;
        fuzz_require_text(left->findings[i].rule == right->findings[j].rule &&
                              left->findings[i].place == right->findings[j].place,
                          "equal for all domains", name_of(&left->findings[i]));
    }
    fuzz_require(i == left->count && j == right->count, "as many for all domains");
    lint_end(&other);
}

/* ---- what spec/ writes ----------------------------------------------------------------------- */

/* Nothing but advice about the field, which is alone of its name. */
static void check_advice_only(struct span text, enum field_name name)
{
    struct linted l;
    lint_begin(&l, span_of("", 0), text);
    for (size_t i = 0; i < l.lint.count; i++) {
        const struct lint_finding *finding = &l.lint.findings[i];
        fuzz_require_text(finding->field != name || lint_rules[finding->rule].level == LINT_ADVICE,
                          lint_rules[finding->rule].name, text);
    }
    lint_end(&l);
}

static void check_written(enum field_name name, struct span value)
{
    struct strbuf text = STRBUF_INIT;
    strbuf_addf(&text, "Message-ID: <a@b>\n%s: ", field_name_text(name));
    strbuf_add_span(&text, value);
    strbuf_add_str(&text, "\n\n");
    check_advice_only(strbuf_span(&text), name);
    strbuf_free(&text);
}

static bool is_text(struct span s)
{
    for (size_t i = 0; i < s.n; i++) {
        if (ascii_is_control(s.p[i]))
            return false;
    }
    return utf8_is_valid(s);
}

/* Quotation marks and backslashes off, as far as that goes. */
static struct span description_of(struct span phrase)
{
    phrase = span_trim(phrase);
    if (phrase.n >= 2 && phrase.p[0] == '"' && phrase.p[phrase.n - 1] == '"')
        return span_sub(phrase, 1, phrase.n - 2);
    return phrase;
}

static void check_list_id(struct span text, struct arena *arena)
{
    struct strbuf value = STRBUF_INIT;
    struct span description, id;
    if (!list_id_read(text, arena, &id) || list_id_fault(id) != NULL)
        return;
    description = description_of(span_sub(text, 0, span_find(text, '<')));
    if (is_text(description)) {
        list_id_render(&value, description, id);
        if (field_check(span_cstr("List-Id"), strbuf_span(&value)) == FIELD_FINE)
            check_written(FIELD_LIST_ID, strbuf_span(&value));
    }
    strbuf_free(&value);
}

/* True if the text of the field is an item that a configuration may have. */
static bool take_item(struct span text, struct list_item *item)
{
    return utf8_is_valid(text) && list_item_split(text, item) == NULL &&
           (item->is_no || uri_fault(item->uri) == NULL);
}

static void check_list_field(enum field_name name, struct span text, struct span next)
{
    struct strbuf value = STRBUF_INIT;
    struct list_item items[2];
    size_t count = 1;
    if (!take_item(text, &items[0]) || (items[0].is_no && name != FIELD_LIST_POST))
        return;
    if (!items[0].is_no && take_item(next, &items[1]) && !items[1].is_no)
        count++;
    list_field_render(&value, span_cstr(field_name_text(name)), items, count);
    if (field_check(span_cstr(field_name_text(name)), strbuf_span(&value)) == FIELD_FINE)
        check_written(name, strbuf_span(&value));
    strbuf_free(&value);
}

/* A right Message-ID-Hash above the message, and X-List-ID-Hash below it. */
static void check_hash(const struct linted *l, struct arena *arena)
{
    struct strbuf text = STRBUF_INIT;
    struct span date, fields = span_sub(l->text, l->message.mbox_line.n, l->text.n);
    char hash[MESSAGE_ID_HASH_LENGTH + 1];
    if (l->lint.id.p == NULL || header_count_of(&l->message.header, FIELD_MESSAGE_ID_HASH) > 0 ||
        header_count_of(&l->message.header, FIELD_X_LIST_ID_HASH) > 0)
        return;
    message_id_hash(message_id_bare(l->lint.id), hash);
    strbuf_addf(&text, "Message-ID-Hash: %s\n", hash);
    date = message_first(l->text, FIELD_DATE, arena);
    if (date.p != NULL) {
        message_id_list_hash(l->lint.id, date, hash);
        strbuf_addf(&text, "X-List-ID-Hash: %s\n", hash);
    }
    strbuf_add_span(&text, fields);
    check_advice_only(strbuf_span(&text), FIELD_MESSAGE_ID_HASH);
    check_advice_only(strbuf_span(&text), FIELD_X_LIST_ID_HASH);
    strbuf_free(&text);
}

static bool ends_in_hash(struct span uri)
{
    size_t run = 0;
    bool has = false;
    for (size_t i = 0; i < uri.n; i++) {
        bool is_digit =
            (uri.p[i] >= 'A' && uri.p[i] <= 'Z') || (uri.p[i] >= '2' && uri.p[i] <= '7');
        run = is_digit ? run + 1 : 0;
        has |= run >= MESSAGE_ID_HASH_LENGTH;
    }
    return has;
}

static void check_archived_at(struct span text, struct arena *arena)
{
    struct strbuf value = STRBUF_INIT;
    struct span uri;
    uri = archived_at_uri(text, arena);
    if (uri_fault(uri) != NULL || ends_in_hash(uri))
        return;
    strbuf_addf(&value, "<%.*s>", (int)uri.n, uri.p);
    if (field_check(span_cstr("Archived-At"), strbuf_span(&value)) == FIELD_FINE)
        check_written(FIELD_ARCHIVED_AT, strbuf_span(&value));
    strbuf_free(&value);
}

static void check_writers(const struct linted *l)
{
    struct arena arena;
    struct span next = span_of("", 0);
    arena_init(&arena, 0);
    check_hash(l, &arena);
    for (size_t i = header_count(&l->message.header); i-- > 0;) {
        struct field field = header_field(&l->message.header, i);
        struct span text;
        text = fold_text(field.value, &arena);
        if (field.id == FIELD_LIST_ID) {
            check_list_id(text, &arena);
        } else if (field.id == FIELD_ARCHIVED_AT) {
            check_archived_at(text, &arena);
        } else if (field.id >= FIELD_LIST_HELP && field.id <= FIELD_LIST_ARCHIVE &&
                   field.id != FIELD_LIST_UNSUBSCRIBE_POST) {
            check_list_field(field.id, text, next);
            next = text;
        }
    }
    arena_free(&arena);
}

/* ---- an input -------------------------------------------------------------------------------- */

/* The words of the first line, if it has any; *pad is a text of so many fields. */
static struct span take_words(struct span *rest, struct strbuf *pad)
{
    struct span after = *rest, line = fuzz_line(&after), word, value;
    struct span domain = span_of("", 0);
    unsigned count = 0;
    if (!span_starts_nocase(line, span_cstr("domain=")) &&
        !span_starts_nocase(line, span_cstr("pad=")))
        return domain;
    *rest = after;
    while ((word = fuzz_word(&line)).n > 0) {
        (void)fuzz_value_of(word, "domain", &domain);
        if (fuzz_value_of(word, "pad", &value))
            count = fuzz_number(value) < PAD_MAX ? fuzz_number(value) : PAD_MAX;
    }
    while (count-- > 0)
        strbuf_add_str(pad, "X: y\n");
    return domain;
}

void fuzz_input(const uint8_t *data, size_t size)
{
    struct strbuf text = STRBUF_INIT;
    struct span rest = span_of((const char *)data, size);
    struct span domain = fuzz_own(take_words(&rest, &text));
    struct linted l;
    strbuf_add_span(&text, rest);
    lint_begin(&l, domain, fuzz_own(strbuf_span(&text)));
    check_each(&l);
    check_again(&l, domain);
    check_crlf(&l, domain);
    check_without_domain(&l);
    check_writers(&l);
    lint_end(&l);
    strbuf_free(&text);
}

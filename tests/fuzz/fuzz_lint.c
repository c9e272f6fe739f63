/*
 * What lint finds in any message: each finding is about a field that is there, or says what is
 * missing, in the order of the message; the same twice, without texts, and with CRLF; and nothing
 * but advice about a field that spec/ itself writes (RULINGS 93).
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
#include "spec/encoded_word.h"
#include "spec/list_fields.h"
#include "spec/list_id.h"
#include "spec/message_id.h"
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

static void lint_begin(struct linted *l, struct span domain, bool wants_texts, struct span text)
{
    lint_init(&l->lint);
    message_init(&l->message);
    l->lint.domain = domain;
    l->lint.findings.wants_texts = wants_texts;
    l->text = text;
    message_split(&l->message, text);
    fuzz_require(lint_message(&l->lint, &l->message) == 0, "lint comes to an end");
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

/* The line that a place of the text is on, from 1; the mbox line is not counted. */
static size_t line_of(const struct linted *l, const char *place)
{
    size_t line = 1;

    for (const char *p = l->text.p + l->message.mbox_line.n; p < place; p++)
        line += *p == '\n';
    return line;
}

static bool is_about_several_fields(enum lint_rule rule)
{
    return rule == LINT_DKIM_MISSING || rule == LINT_DKIM_UNCOVERED;
}

static void check_place(const struct linted *l, struct lint_lines *lines,
                        const struct lint_finding *finding)
{
    const struct message *m = &l->message;
    size_t line = lint_line(lines, finding, m);

    if (finding->place == LINT_NO_PLACE) {
        fuzz_require_text(line == 0, "what is missing is on no line", name_of(finding));
        fuzz_require_text(finding->rule == LINT_HEADER_UNREAD ||
                              is_about_several_fields(finding->rule) ||
                              header_count_of(&m->header, finding->field) == 0,
                          "what is missing is not there", name_of(finding));
        fuzz_require_text(!m->header.too_large || finding->rule == LINT_HEADER_UNREAD,
                          "nobody knows what is missing in a header that was not read",
                          name_of(finding));
        return;
    }
    fuzz_require_text(finding->place <= m->field_count, "a place in the header", name_of(finding));
    fuzz_require_text((finding->place == m->field_count) == (finding->rule == LINT_HEADER_CUT),
                      "behind the fields is their end", name_of(finding));
    if (finding->place == m->field_count) {
        fuzz_require(line == line_of(l, m->rest.p), "the line of what is no field");
        return;
    }
    fuzz_require_text(m->fields[finding->place].id == finding->field, "the field is at its place",
                      name_of(finding));
    fuzz_require_text(line == line_of(l, m->fields[finding->place].lines.p),
                      "the line on which the field begins", name_of(finding));
}

static void check_texts(const struct linted *l, const struct lint_finding *finding)
{
    fuzz_require_text(finding->clause != NULL && *finding->clause != '\0', "a finding has a clause",
                      name_of(finding));
    fuzz_require_text(finding->text != NULL &&
                          (*finding->text != '\0') == l->lint.findings.wants_texts,
                      "a sentence, if it is wanted", name_of(finding));
}

static void check_each(const struct linted *l)
{
    const struct lint_findings *found = &l->lint.findings;
    struct lint_lines lines = {.place = 0, .line = 1};
    struct span id;
    struct arena arena;

    for (size_t i = 0; i < found->count; i++) {
        const struct lint_finding *finding = &found->items[i];

        fuzz_require(finding->rule < LINT_RULE_COUNT, "a rule of the table");
        check_place(l, &lines, finding);
        check_texts(l, finding);
        fuzz_require(
            i == 0 || finding[-1].place < finding->place ||
                (finding[-1].place == finding->place && finding[-1].number < finding->number),
            "sorted by place");
    }
    arena_init(&arena, 0);
    id = message_first(l->text, FIELD_MESSAGE_ID, &arena);
    fuzz_require_text((id.p == NULL) == (l->lint.id.p == NULL) && span_eq(id, l->lint.id),
                      "the first Message-ID", l->lint.id);
    arena_free(&arena);
}

/* ---- the same findings ----------------------------------------------------------------------- */

static bool are_equal(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static void check_same(const struct linted *a, const struct linted *b, const char *what)
{
    const struct lint_findings *left = &a->lint.findings, *right = &b->lint.findings;
    bool texts = left->wants_texts && right->wants_texts;

    for (size_t i = 0; i < left->count || i < right->count; i++) {
        const struct lint_finding *one = &left->items[i], *other = &right->items[i];

        fuzz_require_text(i < left->count, what, name_of(other));
        fuzz_require_text(i < right->count, what, name_of(one));
        fuzz_require_text(one->rule == other->rule && one->field == other->field &&
                              one->place == other->place && are_equal(one->clause, other->clause),
                          what, name_of(one));
        fuzz_require_text(!texts || are_equal(one->text, other->text), what, span_cstr(one->text));
        fuzz_require_text(!texts || are_equal(one->instead, other->instead), what, name_of(one));
    }
}

/* The same memory for a second time. */
static void check_again(struct linted *l, struct span domain)
{
    struct linted other;

    lint_begin(&other, domain, true, l->text);
    fuzz_require(lint_message(&other.lint, &other.message) == 0, "memory");
    check_same(l, &other, "the same twice");
    lint_end(&other);
    lint_begin(&other, domain, false, l->text);
    for (int round = 0; round < 2; round++) {
        check_each(&other);
        check_same(l, &other, "the same without texts, and after a message with the same fields");
        fuzz_require(lint_message(&other.lint, &other.message) == 0, "memory");
    }
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
    lint_begin(&other, domain, true, strbuf_span(&text));
    check_each(&other);
    check_same(l, &other, "the same with CRLF");
    lint_end(&other);
    strbuf_free(&text);
}

/* ---- the list's domain ----------------------------------------------------------------------- */

static bool depends_on_domain(enum lint_rule rule)
{
    return rule == LINT_LIST_ID_AUTHORITY || rule == LINT_ONE_CLICK_UNSIGNED ||
           rule == LINT_DKIM_MISSING || rule == LINT_DKIM_UNCOVERED;
}

static size_t next_of_all_domains(const struct lint_findings *found, size_t i)
{
    while (i < found->count && depends_on_domain(found->items[i].rule))
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
    const struct lint_findings *left = &l->lint.findings, *right;
    struct linted other;
    size_t i = 0, j = 0;

    if (!has_list_field(&l->message.header))
        return; /* with a domain it is a list's mail all the same */
    lint_begin(&other, span_of("", 0), false, l->text);
    right = &other.lint.findings;
    for (;; i++, j++) {
        i = next_of_all_domains(left, i);
        j = next_of_all_domains(right, j);
        if (i == left->count || j == right->count)
            break;
        fuzz_require_text(left->items[i].rule == right->items[j].rule &&
                              left->items[i].place == right->items[j].place,
                          "the same for all domains", name_of(&left->items[i]));
    }
    fuzz_require(i == left->count && j == right->count, "as many for all domains");
    lint_end(&other);
}

/* ---- what spec/ writes ----------------------------------------------------------------------- */

/* Nothing but advice about the field, which is alone of its name. */
static void check_advice_only(struct span text, enum field_name name)
{
    struct linted l;

    lint_begin(&l, span_of("", 0), true, text);
    for (size_t i = 0; i < l.lint.findings.count; i++) {
        const struct lint_finding *finding = &l.lint.findings.items[i];

        fuzz_require_text(finding->field != name || lint_rules[finding->rule].level == LINT_ADVICE,
                          finding->text, text);
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

/* Text of a configuration that looks like the begin of an encoded word, and is written as it
 * stands: lint takes it for one, as it cannot know. */
static bool begins_word(struct span text)
{
    for (size_t i = 0; i + 1 < text.n; i++) {
        if (text.p[i] == '=' && text.p[i + 1] == '?')
            return true;
    }
    return false;
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
    struct list_id_parts parts;
    struct span description, id;

    if (!list_id_split(text, &parts) || !list_id_read(text, arena, &id) ||
        list_id_fault(id) != NULL || begins_word(id))
        return;
    description = description_of(parts.before);
    if (is_text(description) && (!begins_word(description) || encoded_word_seems(description) ||
                                 !span_is_printable_ascii(description))) {
        list_id_render(&value, description, id);
        if (field_check(span_cstr("List-Id"), strbuf_span(&value)) == FIELD_FINE)
            check_written(FIELD_LIST_ID, strbuf_span(&value));
    }
    strbuf_free(&value);
}

/* Is the field's text an item that a configuration may have? */
static bool take_item(struct span text, struct list_item *item)
{
    return utf8_is_valid(text) && list_item_split(text, item) == NULL && !begins_word(text) &&
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
    if (uri_fault(uri) != NULL || begins_word(uri) || ends_in_hash(uri))
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
    for (size_t i = header_whole_count(&l->message.header); i-- > 0;) {
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct strbuf text = STRBUF_INIT;
    struct span rest = span_of((const char *)data, size);
    struct span domain = fuzz_own(take_words(&rest, &text));
    struct linted l;

    strbuf_add_span(&text, rest);
    lint_begin(&l, domain, true, fuzz_own(strbuf_span(&text)));
    check_each(&l);
    check_again(&l, domain);
    check_crlf(&l, domain);
    check_without_domain(&l);
    check_writers(&l);
    lint_end(&l);
    strbuf_free(&text);
    fuzz_forget();
    return 0;
}

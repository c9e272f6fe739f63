/* check_form - see check_form.h */
#include "lint/check_form.h"

#include "mail/field_check.h"
#include "spec/encoded_word.h"
#include "text/ascii.h"
#include "text/utf8.h"

void lint_check_copies(struct lint_context *c)
{
    const struct header *header = &c->message->header;
    for (size_t i = 0; i < owned_field_count; i++) {
        enum field_name name = owned_fields[i].name;
        size_t count = header_count_of(header, name);
        size_t second = header_find(header, name, header_find(header, name, 0) + 1);
        if (count < 2 || owned_fields[i].single_clause == NULL || second >= header_count(header))
            continue;
        lint_find(c->findings, LINT_COPIES, name, second,
                  "stands there %zu times, so nobody knows which one counts", count);
    }
}

/* ---- octets and lines ------------------------------------------------------------------------ */

/* With LF for the CRLF of its folds. */
static struct span without_cr(struct lint_context *c, struct span value)
{
    char *copy;
    size_t n = 0;
    if (span_find(value, '\r') == value.n)
        return value;
    copy = arena_alloc(c->arena, value.n);
    if (copy == NULL) {
        c->findings->out_of_memory = true;
        return span_of("", 0);
    }
    for (size_t i = 0; i < value.n; i++)
        if (value.p[i] != '\r' || i + 1 == value.n || value.p[i + 1] != '\n')
            copy[n++] = value.p[i];
    return span_of(copy, n);
}

/* As they stand in the message: field_check counts a blank behind the colon that an MTA adds. */
static bool has_long_line(const struct lint_context *c, size_t place)
{
    for (struct span rest = c->message->fields[place].lines; rest.n > 0;) {
        struct span line = span_sub(rest, 0, span_find(rest, '\n'));
        rest = span_sub(rest, line.n + 1, rest.n);
        if (line.n > 0 && line.p[line.n - 1] == '\r')
            line.n--;
        if (line.n > FIELD_LINE_MAX)
            return true;
    }
    return false;
}

static bool has_utf8(const struct lint_context *c, enum field_name name)
{
    size_t place = lint_place_of(c, name);
    struct span value;
    if (place == LINT_NO_PLACE)
        return false;
    value = header_field(&c->message->header, place).value;
    for (size_t i = 0; i < value.n; i++)
        if ((unsigned char)value.p[i] >= 0x80)
            return utf8_is_valid(value);
    return false;
}

/* UTF-8 is right in mail that was sent with SMTPUTF8, as others' fields then show (RFC 6532 3.1).
 */
static void check_utf8(struct lint_context *c, const struct field *field, size_t place)
{
    if (!utf8_is_valid(field->value)) {
        lint_find(c->findings, LINT_NOT_UTF8, field->id, place,
                  "has bytes that are neither ASCII nor UTF-8");
        return;
    }
    if (c->is_international < 0)
        c->is_international =
            has_utf8(c, FIELD_FROM) || has_utf8(c, FIELD_SUBJECT) || has_utf8(c, FIELD_TO);
    if (c->is_international > 0)
        return;
    lint_find(c->findings, LINT_NOT_ASCII, field->id, place,
              "has UTF-8, which programs without SMTPUTF8 show as garbage");
    if (field->id == FIELD_ARCHIVED_AT)
        lint_cite(c->findings, "AT-09");
}

static void check_octets(struct lint_context *c, const struct field *field, size_t place)
{
    struct lint_findings *findings = c->findings;
    switch (field_check(field->name, without_cr(c, field->value))) {
    case FIELD_FINE:
        break;
    case FIELD_HAS_CONTROL:
        lint_find(findings, LINT_CONTROL_CHARACTER, field->id, place,
                  "has a control character, or a line that is only blanks");
        break;
    case FIELD_NOT_ASCII:
        check_utf8(c, field, place);
        break;
    case FIELD_LINE_TOO_LONG:
        if (has_long_line(c, place))
            lint_find(findings, LINT_LINE_TOO_LONG, field->id, place,
                      "has a line over %d bytes, which servers cut or refuse", FIELD_LINE_MAX);
        break;
    case FIELD_TOO_LARGE:
        lint_find(findings, LINT_LINE_TOO_LONG, field->id, place,
                  "has more than %d bytes, more than servers take", FIELD_MAX);
        break;
    }
}

/* ---- encoded words --------------------------------------------------------------------------- */

static bool holds_word(struct span text)
{
    for (size_t i = span_find(text, '='); i < text.n;
         i += 1 + span_find(span_sub(text, i + 1, text.n), '='))
        if (encoded_word_at(span_sub(text, i, text.n)) > 0)
            return true;
    return false;
}

static void check_encoded_lines(struct lint_context *c, const struct field *field, size_t place)
{
    size_t column = field->name.n + 1;
    for (struct span rest = field->value; rest.n > 0; column = 0) {
        struct span line = span_sub(rest, 0, span_find(rest, '\n'));
        rest = span_sub(rest, line.n + 1, rest.n);
        while (line.n > 0 && line.p[line.n - 1] == '\r')
            line.n--;
        if (column + line.n <= ENCODED_LINE_COLUMNS || !holds_word(line))
            continue;
        lint_find(c->findings, LINT_ENCODED_LINE, field->id, place,
                  "has a line of %zu characters with an encoded word on it", column + line.n);
        return;
    }
}

/* Where we are in a text. */
struct scanner {
    struct span text;
    size_t at;
    size_t depth; /* of comments */
    bool is_quoted;
    bool is_bracketed;
    size_t inside; /* where what is within the brackets begins */
    size_t judged; /* up to here it was asked whether a word between blanks is a broken one */
    bool has_word; /* one that programs decode */
};

/* Takes one octet, or a quoted pair. */
static void step(struct scanner *s)
{
    char next = s->text.p[s->at++];
    if (next == '\\' && (s->is_quoted || s->depth > 0)) {
        s->at++;
    } else if (s->is_quoted) {
        s->is_quoted = next != '"';
    } else if (s->is_bracketed) {
        s->is_bracketed = next != '>';
    } else if (next == '(') {
        s->depth++;
    } else if (next == ')') {
        s->depth -= s->depth > 0;
    } else if (s->depth == 0) {
        s->is_quoted = next == '"';
        s->is_bracketed = next == '<';
        s->inside = s->at;
    }
}

/* Is text, which begins with "=?", up to a blank meant as an encoded word, it seems? Asked once for
 * each such word, as there may be a "=?" in every third octet of 1 MiB. */
static bool is_attempt(struct scanner *s, struct span text)
{
    size_t charset = span_find(span_sub(text, 2, text.n), '?');
    struct span encoding = span_sub(text, 2 + charset, 3);
    size_t end = 0;
    if (s->at < s->judged)
        return false;
    while (end < text.n && !ascii_is_blank(text.p[end]))
        end++;
    s->judged = s->at + end;
    return span_eq_nocase(encoding, span_cstr("?B?")) ||
           span_eq_nocase(encoding, span_cstr("?Q?")) || encoded_word_seems(span_sub(text, 0, end));
}

/* Is a URI or an id made of the word, or does it only look so within a link ("?a=?b?c?=")? */
static bool is_meant_inside(const struct scanner *s)
{
    struct span inside = span_sub(s->text, s->inside, s->text.n);
    return s->at == s->inside || ascii_is_blank(s->text.p[s->at - 1]) ||
           span_starts_nocase(inside, span_cstr("mailto:"));
}

/* What begins with "=?"; the octets of it that are done. Only List-Id has text outside of comments.
 */
static size_t check_word(struct lint_context *c, struct scanner *s, enum field_name name,
                         size_t place)
{
    struct span rest = span_sub(s->text, s->at, s->text.n);
    size_t n = encoded_word_at(rest);
    const char *fault = encoded_word_fault(s->text, s->at);
    bool is_text = !s->is_bracketed && !s->is_quoted && (s->depth > 0 || name == FIELD_LIST_ID);
    if (s->is_quoted && n > 0)
        lint_find(c->findings, LINT_ENCODED_WORD_QUOTED, name, place,
                  "has an encoded word within quotation marks, where it is shown as it stands");
    else if (!is_text && n > 0 && (!s->is_bracketed || is_meant_inside(s)))
        lint_find(c->findings, LINT_ENCODED_WORD_PLACE, name, place,
                  "has an encoded word where no text may stand, so nobody decodes it");
    else if (is_text && fault != NULL && (n > 0 || is_attempt(s, rest)))
        lint_find(c->findings, LINT_ENCODED_WORD_FORM, name, place, "has an encoded word that %s",
                  fault);
    s->has_word |= n > 0 && is_text;
    return n;
}

static void check_encoded_words(struct lint_context *c, const struct field *field, size_t place)
{
    struct scanner s = {.text = lint_text(c, place)};
    while (s.at < s.text.n) {
        size_t n = span_eq(span_sub(s.text, s.at, 2), span_cstr("=?"))
                       ? check_word(c, &s, field->id, place)
                       : 0;
        if (n > 0)
            s.at += n;
        else
            step(&s);
    }
    if (s.has_word)
        check_encoded_lines(c, field, place);
}

void lint_check_form(struct lint_context *c, size_t place)
{
    struct field field = header_field(&c->message->header, place);
    const struct owned_field *owned = owned_field_find(field.id);
    if (owned->form == FORM_OLD_NAME)
        lint_find(c->findings, LINT_OLD_NAME, field.id, place, "is a name that nobody is to write");
    check_octets(c, &field, place);
    for (size_t i = span_find(field.value, '='); i + 1 < field.value.n; i++) {
        if (field.value.p[i] == '=' && field.value.p[i + 1] == '?') {
            check_encoded_words(c, &field, place);
            return;
        }
    }
}

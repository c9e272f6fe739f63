/* Texts with variables: what a template gives with good values is a URI, and so is what it gives
 * with any others, unless the variable stands where its value decides what the URI is (RULINGS 42
 * to 47), and no value makes it one that leads elsewhere (RULINGS 86). Input: a template, and lines
 * "NAME=VALUE" with the values of variables. */
#include "fuzz.h"

#include "spec/uri_template.h"
#include "text/ascii.h"

#include <string.h>

const char *const fuzz_grammar[] = {
    "S=%t\n%V",
    "t={archive}%p|https://%l/%p|https://h/%p|mailto:%p|%p|x:%p%p",
    "p=|/%p|%v%p|%v/%p|%l%p|/%v%v/%p|?%v%p|%v/x?%v",
    "l=a|.|..|%%2f|%%5C|#|/|%%|%*|h.example",
    "v={%n}|{%n:%d}|{message_id}|{%*}|{|}",
    "n=message_id|list_label|archive|sequence|year|month|address_domain|recipient|subject|token|x",
    "d=1|2|3|64|0|%*",
    "V=|message_id=%w\n%V|archive=%w\n%V|%n=%w\n%n=%w\n%V|%n=%w\n%V",
    "w=..|.|a/../b|x|1|07|https://a.example/|https://a.example/x?y|@:x|%*|a b@c/?|\\..\\|",
    NULL,
};

#define EVERY (VARS_LIST | VAR_BIT(VAR_ARCHIVE) | VARS_MESSAGE | VARS_FIELDS | VARS_RECIPIENT)

static bool is_decimal(struct span text)
{
    size_t i = 0;
    while (i < text.n && ascii_is_digit(text.p[i]))
        i++;
    return i > 0 && i == text.n;
}

static void set(struct variable_values *values, enum variable v, struct span text)
{
    values->set |= VAR_BIT(v);
    values->text[v] = text;
}

static void take_values(struct span rest, struct variable_values *values)
{
    while (rest.n > 0) {
        struct span line = fuzz_line(&rest), value;
        for (int v = 0; v < VAR_FIRST_TOKEN; v++) {
            if (!fuzz_value_of(line, variable_name((enum variable)v), &value) ||
                (variable_is_number((enum variable)v) && !is_decimal(value)) ||
                (v == VAR_ARCHIVE && uri_fault(value) != NULL))
                continue;
            set(values, (enum variable)v, fuzz_own(value));
        }
    }
}

static void good_values(struct variable_values *values)
{
    for (int v = 0; v < VAR_FIRST_TOKEN; v++)
        set(values, (enum variable)v,
            span_cstr(variable_is_number((enum variable)v) ? "2024" : "a"));
    set(values, VAR_ARCHIVE, span_cstr("https://a.example/a/"));
}

/* A template begins with a whole scheme and authority, and no variable completes a "%" of its text:
 * then no value can make it something else. */
static bool values_are_safe(const struct template *t)
{
    struct span start;
    size_t authority = 0;
    if (t->count == 0)
        return false;
    start = template_literal(&t->parts[0]);
    if (t->parts[0].variable != VAR_ARCHIVE) {
        if (t->parts[0].variable != VAR_COUNT || uri_fault(start) != NULL)
            return false;
        authority = span_find(start, ':') + 1;
        if (span_starts_nocase(span_sub(start, authority, start.n), span_cstr("//"))) {
            authority += 2;
            while (authority < start.n && strchr("/?#", start.p[authority]) == NULL)
                authority++;
            if (authority == start.n)
                return false;
        }
    }
    for (size_t i = 0; i + 1 < t->count; i++) {
        struct span text = template_literal(&t->parts[i]);
        struct span end = span_sub(text, text.n < 2 ? 0 : text.n - 2, 2);
        if (t->parts[i].variable == VAR_COUNT && span_find(end, '%') < end.n)
            return false;
    }
    return true;
}

/* Returns the bytes of the separator that the path begins with, for some server; 0: none. */
static size_t separator_length(struct span path)
{
    struct span escape = span_sub(path, 0, 3);
    if (span_eq_nocase(escape, span_cstr("%2F")) || span_eq_nocase(escape, span_cstr("%5C")))
        return 3;
    return path.p[0] == '/';
}

/* True if a segment of the path is "." or "..". */
static bool has_dots(struct span uri)
{
    struct span path = span_sub(uri, 0, span_find(uri, '?'));
    path = span_sub(path, 0, span_find(path, '#'));
    while (path.n > 0) {
        size_t n = 0;
        while (n < path.n && separator_length(span_sub(path, n, path.n)) == 0)
            n++;
        struct span segment = span_sub(path, 0, n);
        if (span_eq(segment, span_cstr(".")) || span_eq(segment, span_cstr("..")))
            return true;
        path = span_sub(path, n, path.n);
        if (path.n > 0)
            path = span_sub(path, separator_length(path), path.n);
    }
    return false;
}

/* True if only a value can have made such a segment, as no literal text and no value of the list
 * has a dot. */
static bool dots_are_of_message(const struct template *t, const struct variable_values *values)
{
    bool has_dot = false;
    for (size_t i = 0; i < t->count; i++) {
        enum variable v = (enum variable)t->parts[i].variable;
        struct span text = v == VAR_COUNT ? template_literal(&t->parts[i]) : values->text[v];
        has_dot |= (v == VAR_COUNT || v <= VAR_ARCHIVE) && span_find(text, '.') < text.n;
    }
    return !has_dot;
}

static void check_expanded(const struct template *t, const struct variable_values *values)
{
    struct variable_values good = {0};
    struct strbuf text = STRBUF_INIT, sample = STRBUF_INIT, shown = STRBUF_INIT;
    strbuf_add_str(&text, "x");
    enum variable missing = template_expand(t, values, &text);
    struct span made = span_sub(strbuf_span(&text), 1, text.len);
    if (missing != VAR_COUNT) {
        bool is_set = (values->set & VAR_BIT(missing)) != 0;
        fuzz_require(made.n == 0, "nothing is appended when a value is missing");
        fuzz_require((t->needs & VAR_BIT(missing)) != 0, "the missing one is missing");
        fuzz_require(!is_set || t->is_uri, "a text has no path");
    } else {
        template_show(t, values, NULL, &shown);
        fuzz_require_text(span_eq(made, strbuf_span(&shown)), "shown as it is expanded", made);
    }
    good_values(&good);
    if ((values->set & VAR_BIT(VAR_ARCHIVE)) != 0)
        set(&good, VAR_ARCHIVE, values->text[VAR_ARCHIVE]); /* known when a template is checked */
    fuzz_require(template_expand(t, &good, &sample) == VAR_COUNT, "all are there");
    if (t->is_uri && values_are_safe(t) && made.n > 0 && uri_fault(strbuf_span(&sample)) == NULL) {
        fuzz_require_text(!dots_are_of_message(t, values) || !has_dots(made),
                          "it leads nowhere else (RULINGS 86)", made);
        fuzz_require_text(uri_fault(made) == NULL, "a URI", made);
    }
    strbuf_free(&text);
    strbuf_free(&sample);
    strbuf_free(&shown);
}

void fuzz_input(struct span rest)
{
    struct span text = fuzz_own(fuzz_line(&rest));
    static const struct span token = {"token", 5};
    static const struct token_names tokens = {&token, 1};
    struct variable_values values = {0};
    struct template compiled;
    struct arena arena;
    const char *fault = NULL;
    arena_init(&arena, 0);
    take_values(rest, &values);
    for (int kind = TEMPLATE_TEXT; fault == NULL && kind <= TEMPLATE_URI; kind++) {
        fault = template_compile(text, (enum template_kind)kind, EVERY, &tokens, &arena, &compiled);
        if (fault == NULL)
            check_expanded(&compiled, &values);
    }
    if (fault != NULL) {
        fuzz_require(*fault != '\0', "compiled, or what is wrong");
        fuzz_require_text(span_is_printable_ascii(span_cstr(fault)), "one line", span_cstr(fault));
    }
    arena_free(&arena);
}

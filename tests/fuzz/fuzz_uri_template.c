/* Texts with variables: what a template gives with good values is a URI, and so is what it gives
 * with any others, unless the variable stands where its value decides what the URI is (RULINGS 42
 * to 47), and no value makes it one that leads elsewhere (RULINGS 86). Input: a template, and lines
 * "NAME=VALUE" with the values of variables. */
#include "fuzz.h"

#include "spec/uri_template.h"

#include <string.h>

#define EVERY (VARS_LIST | VAR_BIT(VAR_ARCHIVE) | VARS_MESSAGE | VARS_FIELDS | VARS_RECIPIENT)

/* RULINGS 45: numbers are decimal digits. */
static bool is_number(enum variable v)
{
    return v == VAR_YEAR || v == VAR_MONTH || v == VAR_DAY || v == VAR_SEQUENCE;
}

static bool is_decimal(struct span text)
{
    for (size_t i = 0; i < text.n; i++) {
        if (text.p[i] < '0' || text.p[i] > '9')
            return false;
    }
    return text.n > 0;
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
                (is_number((enum variable)v) && !is_decimal(value)) ||
                (v == VAR_ARCHIVE && uri_fault(value) != NULL))
                continue;
            set(values, (enum variable)v, fuzz_own(value));
        }
    }
}

static void good_values(struct variable_values *values)
{
    for (int v = 0; v < VAR_FIRST_TOKEN; v++)
        set(values, (enum variable)v, span_cstr(is_number((enum variable)v) ? "2024" : "a"));
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
    start = t->parts[0].literal;
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
        struct span text = t->parts[i].literal;
        struct span end = span_sub(text, text.n < 2 ? 0 : text.n - 2, 2);

        if (t->parts[i].variable == VAR_COUNT && span_find(end, '%') < end.n)
            return false;
    }
    return true;
}

/* How many octets of the path are a separator for some server? */
static size_t separator_length(struct span path)
{
    struct span escape = span_sub(path, 0, 3);

    if (span_eq_nocase(escape, span_cstr("%2F")) || span_eq_nocase(escape, span_cstr("%5C")))
        return 3;
    return path.p[0] == '/';
}

/* Is a segment of the path "." or ".."? */
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

/* May only a value have made such a segment? No literal text, and nothing of the list, has a dot.
 */
static bool dots_are_of_message(const struct template *t, const struct variable_values *values)
{
    for (size_t i = 0; i < t->count; i++) {
        const struct template_part *part = &t->parts[i];
        struct span text = part->variable == VAR_COUNT     ? part->literal
                           : part->variable <= VAR_ARCHIVE ? values->text[part->variable]
                                                           : span_cstr("");

        if (span_find(text, '.') < text.n)
            return false;
    }
    return true;
}

static bool has_empty_list_value(const struct variable_values *values)
{
    for (int v = 0; v < VAR_ARCHIVE; v++) {
        if ((values->set & VAR_BIT(v)) != 0 && values->text[v].n == 0)
            return true;
    }
    return false;
}

/* What is bound first and expanded later is the same as bound at once. */
static void check_expanded(const struct template *compiled, enum template_kind kind,
                           const struct variable_values *values)
{
    static const struct variable_values none;
    struct variable_values of_list = *values, good = {0};
    struct strbuf text = STRBUF_INIT, sample = STRBUF_INIT, at_once = STRBUF_INIT;
    struct template bound, unbound;
    struct arena arena;
    enum variable missing = VAR_COUNT;
    int result;

    arena_init(&arena, 0);
    of_list.set &= VARS_LIST | VAR_BIT(VAR_ARCHIVE);
    fuzz_require(template_bind(compiled, kind, &of_list, &arena, &bound) == 0 &&
                     template_bind(compiled, kind, &none, &arena, &unbound) == 0,
                 "memory");
    fuzz_require((bound.needs & of_list.set) == 0 && (bound.needs & ~compiled->needs) == 0,
                 "what was bound is not needed any more");
    strbuf_add_str(&text, "x");
    result = template_expand(&bound, kind, values, &text, &missing);
    if (result != 0) {
        fuzz_require(text.len == 1, "nothing is appended when a value is missing");
        fuzz_require((compiled->needs & VAR_BIT(missing)) != 0 &&
                         ((values->set & VAR_BIT(missing)) == 0) == (result == 1),
                     "the missing one is missing");
        fuzz_require(result == 1 || kind == TEMPLATE_URI, "a text has no path");
    } else if (!has_empty_list_value(values)) { /* beside these the ends of segments differ */
        fuzz_require(template_expand(&unbound, kind, values, &at_once, NULL) == 0, "all are there");
        fuzz_require_text(span_eq(span_sub(strbuf_span(&text), 1, text.len), strbuf_span(&at_once)),
                          "bound first or at once", strbuf_span(&text));
    }
    good_values(&good);
    if ((values->set & VAR_BIT(VAR_ARCHIVE)) != 0)
        set(&good, VAR_ARCHIVE, values->text[VAR_ARCHIVE]); /* known when a template is checked */
    fuzz_require(template_expand(&unbound, kind, &good, &sample, NULL) == 0, "all are there");
    if (kind == TEMPLATE_URI && values_are_safe(&unbound) && at_once.len > 0 &&
        uri_fault(strbuf_span(&sample)) == NULL && dots_are_of_message(&unbound, values))
        fuzz_require_text(!has_dots(strbuf_span(&at_once)), "it leads nowhere else (RULINGS 86)",
                          strbuf_span(&at_once));
    if (kind == TEMPLATE_URI && values_are_safe(&unbound) && at_once.len > 0 &&
        uri_fault(strbuf_span(&sample)) == NULL)
        fuzz_require_text(uri_fault(strbuf_span(&at_once)) == NULL, "a URI", strbuf_span(&at_once));
    strbuf_free(&text);
    strbuf_free(&sample);
    strbuf_free(&at_once);
    arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct span rest = span_of((const char *)data, size);
    struct span text = fuzz_own(fuzz_line(&rest));
    static const struct span token = {"token", 5};
    static const struct token_names tokens = {&token, 1};
    struct variable_values values = {0};
    struct template compiled;
    struct arena arena;
    const char *fault = NULL;
    int result;

    arena_init(&arena, 0);
    take_values(rest, &values);
    result = template_compile(text, EVERY, &tokens, &arena, &compiled, &fault);
    fuzz_require(result == 0 || (result == 1 && fault != NULL && *fault != '\0'),
                 "compiled, or what is wrong");
    if (result == 0) {
        check_expanded(&compiled, TEMPLATE_URI, &values);
        check_expanded(&compiled, TEMPLATE_TEXT, &values);
    } else {
        fuzz_require_text(span_is_printable_ascii(span_cstr(fault)), "one line", span_cstr(fault));
    }
    arena_free(&arena);
    fuzz_forget();
    return 0;
}

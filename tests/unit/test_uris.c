/* The functions of spec/ that read and make URIs: uris.txt has their cases. */
#include "table.h"

#include "generated.h"
#include "spec/iri.h"
#include "spec/uri.h"
#include "spec/uri_template.h"

#define ALL_VARIABLES (VAR_BIT(VAR_COUNT) - 1)

/* ---- URIs ---- */

/* The text in a path, in a mailto: and in a query. */
static void escape(const struct span *in, struct strbuf *out)
{
    for (int part = URI_PATH; part <= URI_QUERY; part++) {
        strbuf_add_str(out, part == URI_PATH ? "" : " ");
        uri_escape(out, in[0], (enum uri_part)part);
    }
}

static void has_scheme(const struct span *in, struct strbuf *out)
{
    table_add_bool(out, uri_has_scheme(in[0], arena_strdup(&table_arena, in[1])));
}

static void scheme(const struct span *in, struct strbuf *out)
{
    struct span text = uri_scheme(in[0]);
    strbuf_add_span(out, text.n > 0 ? text : span_cstr("none"));
    strbuf_add_str(out, uri_scheme_is_known(text) ? ", known" : "");
}

/* Any bytes, escaped, may be in a path or a query, and are those bytes when they are decoded. */
static void test_escape_any_bytes(void **state)
{
    struct generator g = {1};
    char buffer[64];
    (void)state;
    arena_init(&table_arena, 0);
    for (int round = 0; round < 4000; round++) {
        struct span text = generated_octets(&g, buffer, sizeof buffer);
        enum uri_part part = round % 2 == 0 ? URI_PATH : URI_QUERY;
        struct strbuf uri = STRBUF_INIT;
        check_row_span(text);
        strbuf_add_str(&uri, part == URI_PATH ? "https://h/" : "https://h/?q=");
        size_t start = uri.len;
        uri_escape(&uri, text, part);
        struct span escaped = span_sub(strbuf_span(&uri), start, SIZE_MAX);
        check_str("fault", NULL, uri_fault(strbuf_span(&uri)));
        check_int("no gen-delims but : @", (long long)escaped.n,
                  (long long)strcspn(strbuf_str(&uri) + start, "/?#[]"));
        check_span("decoded", text, uri_decode(escaped, &table_arena));
        strbuf_free(&uri);
    }
    arena_free(&table_arena);
    check_end();
}

/* A URI without a fault has only characters that may be in angle brackets of a header. */
static void test_no_fault_is_harmless(void **state)
{
    struct generator g = {5};
    (void)state;
    for (int round = 0; round < 50000; round++) {
        char text[64] = "https://h";
        size_t head = round % 3 == 0 ? 0 : round % 3 == 1 ? 8 : 9;
        struct span tail = generated_text(&g, "abc:@/?#[]%41 <>{}\r\n\t\\\"\x80-.", text + head,
                                          round % 2 == 0 ? 9 : 48);
        struct span uri = span_of(text, head + tail.n);
        text[uri.n] = '\0';
        if (uri_fault(uri) != NULL)
            continue;
        check_row_span(uri);
        check_bool("printable", true, span_is_printable_ascii(uri));
        check_int("no blank, bracket or brace", (long long)uri.n,
                  (long long)strcspn(text, " <>{}\"\\"));
    }
    check_end();
}

/* ---- IRIs ---- */

typedef const char *conversion(struct span text, struct arena *arena, struct span *out);

/* ASCII is not copied. */
static void convert(conversion *function, struct span text, struct strbuf *out)
{
    struct span result = {NULL, 0};
    const char *wrong = function(text, &table_arena, &result);
    strbuf_add_span(out, wrong != NULL ? span_cstr(wrong) : result);
    if (wrong == NULL)
        check_bool("the text itself", span_eq(result, text), result.p == text.p);
}

static void iri(const struct span *in, struct strbuf *out)
{
    convert(iri_to_uri, in[0], out);
}

static void domain(const struct span *in, struct strbuf *out)
{
    convert(domain_to_ascii, in[0], out);
}

/* ---- templates ---- */

/* The tokens of a configuration: token i is VAR_FIRST_TOKEN + i. There is one more than a set has
 * room for, and one has the name of a variable (RULINGS 48). */
static struct span names[TOKENS_MAX + 1] = {CHECK_LITERAL("ietf"), CHECK_LITERAL("mail_archive"),
                                            CHECK_LITERAL("sympa"), CHECK_LITERAL("month")};
static const struct token_names tokens = {names, CHECK_COUNT(names)};

static void name_tokens(void)
{
    static char texts[CHECK_COUNT(names)][8];
    for (size_t i = 4; i < CHECK_COUNT(names); i++) {
        snprintf(texts[i], sizeof texts[i], "t%zu", i);
        names[i] = span_cstr(texts[i]);
    }
}

static const char *const list_values[] = {
    [VAR_LIST_ID] = "announce.lists.example.org",
    [VAR_LIST_LABEL] = "announce",
    [VAR_LIST_NAMESPACE] = "lists.example.org",
    [VAR_ADDRESS] = "ann+ounce@lists.example.org",
    [VAR_ADDRESS_LOCAL] = "ann+ounce",
    [VAR_ADDRESS_DOMAIN] = "lists.example.org",
};

static const char *const message_values[] = {
    [VAR_MESSAGE_ID] = "a/b+c@ex\xc3\xa9.org",
    [VAR_MESSAGE_ID_HASH] = "HASH",
    [VAR_LIST_ID_HASH] = "LISTHASH",
    [VAR_YEAR] = "2007",
    [VAR_MONTH] = "7",
    [VAR_DAY] = "4",
    [VAR_MONTH_NAME] = "July",
    [VAR_MONTH_ABBR] = "Jul",
    [VAR_SEQUENCE] = "742",
    [VAR_DATE] = "Wed, 04 Jul 2007 16:49:58 +0900",
    [VAR_FROM] = "a@example.com",
    [VAR_TO] = "b@example.com",
    [VAR_SUBJECT] = "Hi?",
    [VAR_RECIPIENT] = "joe+x@example.net",
    [VAR_RECIPIENT_TOKEN] = "aSDUI3Zfrat91AqHJfYTziJVA0aiwcWMOF-WZYkDtEo",
    [VAR_FIRST_TOKEN] = "5LnnKm093cGpOmDI9TnLQLBXyys",
    [VAR_FIRST_TOKEN + 1] = "TYC5RXtrO8He0zU5w8D0ePavPyc=",
    [VAR_FIRST_TOKEN + 2] = "0WUaHd4roVtzVGndiwqTSg",
    [VAR_FIRST_TOKEN + 3] = "never used",
    [VAR_FIRST_TOKEN + 31] = "/=x",
};

static void set(struct variable_values *values, int v, struct span text)
{
    values->set |= VAR_BIT(v);
    values->text[v] = text;
}

static void set_all(struct variable_values *values, const char *const *texts, size_t count)
{
    for (size_t v = 0; v < count; v++)
        if (texts[v] != NULL)
            set(values, (int)v, span_cstr(texts[v]));
}

/* Takes "NAME=VALUE", or "no NAME". */
static void set_value(struct variable_values *values, struct span word)
{
    struct span name = span_sub(word, 0, span_find(word, '='));
    bool is_unset = span_starts_nocase(word, span_cstr("no "));
    if (span_eq(name, span_cstr("ascii_domain")))
        values->ascii_domain = span_sub(word, name.n + 1, word.n);
    for (int v = 0; v < VAR_FIRST_TOKEN; v++) {
        if (is_unset &&
            span_eq(span_sub(word, 3, word.n), span_cstr(variable_name((enum variable)v))))
            values->set &= ~VAR_BIT(v);
        else if (span_eq(name, span_cstr(variable_name((enum variable)v))))
            set(values, v, span_sub(word, name.n + 1, word.n));
    }
}

static enum variable expand_as(enum template_kind kind, const struct span *in, struct strbuf *out)
{
    struct variable_values values = {.set = 0};
    struct template t;
    set_all(&values, list_values, CHECK_COUNT(list_values));
    set_all(&values, message_values, CHECK_COUNT(message_values));
    for (size_t i = 1; in[i].p != NULL; i++)
        set_value(&values, in[i]);
    check_str("compile", NULL,
              template_compile(in[0], kind, ALL_VARIABLES, &tokens, &table_arena, &t));
    return template_expand(&t, &values, out);
}

static void expand(const struct span *in, struct strbuf *out)
{
    enum variable missing = expand_as(TEMPLATE_URI, in, out);
    check_int("nothing is appended", 0, missing == VAR_COUNT ? 0 : (long long)out->len);
    if (missing != VAR_COUNT)
        strbuf_addf(out, "no %s", variable_name(missing));
}

/* A text is not escaped and has no segments. */
static void expand_text(const struct span *in, struct strbuf *out)
{
    check_int("missing", VAR_COUNT, expand_as(TEMPLATE_TEXT, in, out));
}

static void show(const struct span *in, struct strbuf *out)
{
    struct variable_values values = {.set = 0};
    struct template t;
    set_all(&values, list_values, CHECK_COUNT(list_values));
    set(&values, VAR_ARCHIVE, span_cstr("https://h/a/"));
    check_str("compile", NULL,
              template_compile(in[0], TEMPLATE_URI, ALL_VARIABLES, &tokens, &table_arena, &t));
    template_show(&t, &values, &tokens, out);
}

/* TEMPLATE | SAMPLE; the URI, or the fault. */
static void try_template(const struct span *in, struct strbuf *out)
{
    struct variable_values values = {.set = 0};
    struct template t;
    const char *sample = in[1].p != NULL ? arena_strdup(&table_arena, in[1]) : NULL;
    set(&values, VAR_LIST_ID, span_cstr("a.example"));
    check_str("compile", NULL,
              template_compile(in[0], TEMPLATE_URI, ALL_VARIABLES, &tokens, &table_arena, &t));
    const char *wrong = template_try(&t, &values, sample, out);
    strbuf_addf(out, "%s%s", wrong != NULL ? ": " : "", wrong != NULL ? wrong : "");
}

static const struct {
    const char *name;
    uint64_t bits;
} sets[] = {
    {"list", VARS_LIST},     {"archive", VAR_BIT(VAR_ARCHIVE)}, {"message", VARS_MESSAGE},
    {"fields", VARS_FIELDS}, {"recipient", VARS_RECIPIENT},     {"lf", VAR_BIT(VAR_LF)},
    {"tokens", VARS_TOKENS},
};

/* TEMPLATE | SET, which may not be used, or all but it if "only" is before it. */
static void compile_fault(const struct span *in, struct strbuf *out)
{
    struct template t;
    uint64_t allowed = ALL_VARIABLES;
    for (size_t i = 0; i < CHECK_COUNT(sets) && in[1].p != NULL; i++) {
        if (span_eq(in[1], span_cstr(sets[i].name)))
            allowed = ~sets[i].bits;
        if (span_eq(span_sub(in[1], 5, in[1].n), span_cstr(sets[i].name)))
            allowed = sets[i].bits;
    }
    table_add_text(out, template_compile(in[0], TEMPLATE_URI, allowed, &tokens, &table_arena, &t));
}

static const char *set_of(struct span name)
{
    const char *found = "none";
    char text[40];
    snprintf(text, sizeof text, "{%.*s}", (int)name.n, name.p);
    check_bool("no name for a token", true, variable_is_name(name));
    for (size_t i = 0; i < CHECK_COUNT(sets); i++) {
        struct template t;
        if (template_compile(span_cstr(text), TEMPLATE_URI, sets[i].bits, NULL, &table_arena, &t) !=
            NULL)
            continue;
        check_str("one set alone", "none", found);
        check_bool("needs", span_eq(name, span_cstr("lf")), t.needs == 0);
        check_bool("needs a variable of the set", true, (t.needs & ~sets[i].bits) == 0);
        found = sets[i].name;
    }
    return found;
}

/* The only set that allows each of the variables (RULINGS 47). */
static void set_of_all(const struct span *in, struct strbuf *out)
{
    const char *name = set_of(in[0]);
    strbuf_add_str(out, name);
    for (; in->p != NULL; in++)
        check_str("set", name, set_of(*in));
}

/* The sets have no variable in common and contain all. */
static void test_sets(void **state)
{
    uint64_t all = 0;
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(sets); i++) {
        assert_true((all & sets[i].bits) == 0);
        all |= sets[i].bits;
    }
    assert_true(all == ALL_VARIABLES);
    assert_false(variable_is_name(CHECK_SPAN("ietf")) || variable_is_name(CHECK_SPAN("Date")));
}

int main(void)
{
    static const struct table_function functions[] = {
        {"uri_escape", .call = escape},
        {"uri_fault", .text = uri_fault},
        {"uri_has_scheme", .call = has_scheme, .least = 2},
        {"uri_scheme", .call = scheme},
        {"iri_to_uri", .call = iri},
        {"iri_to_uri with libidn2", .call = iri, .missing = LIBIDN2_MISSING},
        {"iri_to_uri without libidn2", .call = iri, .missing = LIBIDN2_IS_BUILT_IN},
        {"domain_to_ascii", .call = domain},
        {"domain_to_ascii with libidn2", .call = domain, .missing = LIBIDN2_MISSING},
        {"template_expand", .call = expand, .most = TABLE_ARGUMENTS},
        {"template_expand to a text", .call = expand_text, .most = TABLE_ARGUMENTS},
        {"template_show", .call = show},
        {"template_try", .call = try_template, .most = 2},
        {"template_compile", .call = compile_fault, .most = 2},
        {"set of a variable", .call = set_of_all, .most = TABLE_ARGUMENTS},
        {"test_escape_any_bytes", .test = test_escape_any_bytes},
        {"test_no_fault_is_harmless", .test = test_no_fault_is_harmless},
        {"test_sets", .test = test_sets},
    };
    name_tokens();
    return table_run("uris.txt", functions, CHECK_COUNT(functions));
}

/* uri_template - see uri_template.h */
#include "spec/uri_template.h"

#include "text/number.h"

#define WIDTH_MAX      64
#define SHOWN_NAME_MAX 64 /* bytes of an unknown name that an error message repeats */

/* A place in a URI. {archive} ends in the path, or in the query if it has one. */
enum place { PLACE_SCHEME, PLACE_HOST, PLACE_PATH, PLACE_MAILTO, PLACE_QUERY };

/* ---- compiling ---- */

struct compiler {
    uint64_t allowed;
    const struct token_names *tokens;
    struct arena *arena;
    struct template_part *parts;
    struct template t;
    enum place place; /* of the next part */
};

static const char *fault_about(const struct compiler *c, struct span name, const char *fault)
{
    struct strbuf text = STRBUF_INIT;
    strbuf_addf(&text, "has {%.*s}%s", (int)name.n, name.p, fault);
    return strbuf_keep(&text, c->arena);
}

static const char *unknown_fault(const struct compiler *c, struct span name)
{
    struct strbuf text = STRBUF_INIT;
    if (name.n == 0)
        return "has \"{\" without a variable's name after it";
    if (name.n > SHOWN_NAME_MAX || !span_is_printable_ascii(name))
        return "has an unknown variable between \"{\" and \"}\"";
    struct span meant = variable_nearest(name, c->allowed, c->tokens);
    strbuf_addf(&text, "has the unknown variable {%.*s} (", (int)name.n, name.p);
    if (meant.p != NULL) {
        strbuf_addf(&text, "did you mean {%.*s}?)", (int)meant.n, meant.p);
    } else {
        strbuf_add_str(&text, "expected ");
        variable_add_names(c->allowed, c->tokens, &text);
        strbuf_add_char(&text, ')');
    }
    return strbuf_keep(&text, c->arena);
}

/* Returns the place after a literal text that begins at `place`. Only literal text and {archive}
 * can have a "?" or "#". */
static enum place place_after(struct span text, enum place place)
{
    for (size_t i = 0; i < text.n; i++) {
        char c = text.p[i];
        if (c == '?' || c == '#' || place == PLACE_QUERY)
            return PLACE_QUERY;
        if (place == PLACE_SCHEME && c == ':') {
            bool has_host = span_eq(span_sub(text, i, 3), span_cstr("://"));
            place = has_host ? PLACE_HOST : PLACE_PATH;
            i += has_host ? 2 : 0;
        } else if (c == '/' && place != PLACE_MAILTO) {
            place = PLACE_PATH;
        }
    }
    return place;
}

static void add_literal(struct compiler *c, struct span text)
{
    c->parts[c->t.count++] =
        (struct template_part){.text = text.p, .length = (uint32_t)text.n, .variable = VAR_COUNT};
    c->place = place_after(text, c->place);
}

/* Compiles the text between braces. */
static const char *compile_variable(struct compiler *c, struct span inside)
{
    struct span name = span_sub(inside, 0, span_find(inside, ':'));
    uint64_t width = 0;
    enum variable v = variable_find(name, c->tokens);
    if (v == VAR_COUNT)
        return unknown_fault(c, name);
    if (name.n < inside.n)
        (void)number_parse(span_sub(inside, name.n + 1, inside.n), WIDTH_MAX, &width);
    if (name.n < inside.n && width == 0)
        return fault_about(c, name,
                           " with a width that is not a number from 1 to " NUMBER_TEXT(WIDTH_MAX));
    if ((c->allowed & VAR_BIT(v)) == 0)
        return fault_about(c, name, ", which may not be used here");
    if (v == VAR_ARCHIVE && width > 0)
        return "has {archive} with a width, which would cut the URL of the archive";
    if (v == VAR_ARCHIVE && c->t.count > 0)
        return "has {archive} elsewhere than at its start";

    if (v == VAR_LF) { /* no value, but text that cannot be written otherwise */
        add_literal(c, span_of("\n", 1));
        return NULL;
    }
    c->parts[c->t.count++] = (struct template_part){
        .variable = (uint8_t)v, .width = (uint8_t)width, .place = (uint8_t)c->place};
    c->t.needs |= VAR_BIT(v);
    if (v == VAR_ADDRESS_DOMAIN && c->place == PLACE_HOST)
        c->t.has_domain_in_host = c->t.is_uri;
    if (v == VAR_ARCHIVE)
        c->place = PLACE_PATH;
    return NULL;
}

/* template = *( text / variable ) */
static const char *compile_parts(struct compiler *c, struct span text)
{
    while (text.n > 0) {
        struct span literal = span_sub(text, 0, span_find_any(text, "{}"));
        if (literal.n > 0) {
            add_literal(c, literal);
            text = span_sub(text, literal.n, text.n);
            continue;
        }
        struct span rest = span_sub(text, 1, text.n);
        struct span inside = span_sub(rest, 0, span_find_any(rest, "{}"));
        if (text.p[0] == '}')
            return "has \"}\" without \"{\" before it";
        if (rest.n > 0 && rest.p[0] == '{')
            return "has \"{{\"; a brace cannot be escaped";
        if (inside.n == rest.n || rest.p[inside.n] == '{')
            return "has \"{\" without \"}\" after it";
        const char *fault = compile_variable(c, inside);
        if (fault != NULL)
            return fault;
        text = span_sub(rest, inside.n + 1, rest.n);
    }
    return NULL;
}

const char *template_compile(struct span text, enum template_kind kind, uint64_t allowed,
                             const struct token_names *tokens, struct arena *arena,
                             struct template *out)
{
    bool is_mailto = span_starts_nocase(text, span_cstr("mailto:"));
    size_t count = 0; /* each part begins at the start, with a "{" or after a "}" */
    for (size_t i = 0; i < text.n; i++)
        count += i == 0 || text.p[i] == '{' || text.p[i - 1] == '}' ? 1 : 0;
    struct compiler c = {.allowed = allowed,
                         .tokens = tokens,
                         .arena = arena,
                         .parts = arena_calloc(arena, count, sizeof *c.parts),
                         .t.is_uri = kind == TEMPLATE_URI,
                         .place = is_mailto ? PLACE_MAILTO : PLACE_SCHEME};
    const char *fault = compile_parts(&c, arena_dup(arena, text));
    c.t.parts = c.parts;
    if (fault == NULL)
        *out = c.t;
    return fault;
}

/* ---- expanding ---- */

struct writer {
    const struct template *t;
    const struct variable_values *values;
    struct strbuf *out;
    size_t archive_end;     /* in out, after the "/": no further one may follow (RULINGS 42) */
    bool archive_has_query; /* or a fragment */
    size_t segment;         /* the begin of this segment of the path in out */
    enum variable value;    /* of the message in this segment; VAR_COUNT: none */
    enum variable unusable; /* the first one; VAR_COUNT: none */
};

/* True if a segment is empty, or has "." or ".." between escaped slashes and backslashes. Many
 * servers decode these. */
static bool leads_elsewhere(struct span segment)
{
    size_t begin = 0;
    for (size_t i = 0; i <= segment.n; i++) {
        struct span escape = span_sub(segment, i, 3);
        if (i < segment.n && !span_eq(escape, span_cstr("%2F")) &&
            !span_eq(escape, span_cstr("%5C")))
            continue;
        struct span piece = span_sub(segment, begin, i - begin);
        if (span_eq(piece, span_cstr(".")) || span_eq(piece, span_cstr("..")))
            return true;
        begin = i + escape.n;
    }
    return segment.n == 0;
}

static void end_segment(struct writer *w)
{
    struct span segment = span_sub(strbuf_span(w->out), w->segment, w->out->len);
    if (w->value != VAR_COUNT && w->unusable == VAR_COUNT && leads_elsewhere(segment))
        w->unusable = w->value;
    w->value = VAR_COUNT;
}

static void write_literal(struct writer *w, struct span text)
{
    while (w->out->len == w->archive_end && text.n > 0 && text.p[0] == '/')
        text = span_sub(text, 1, text.n);
    for (size_t n; (n = span_find_any(text, "/?#")) < text.n;
         text = span_sub(text, n + 1, text.n)) {
        strbuf_add_span(w->out, span_sub(text, 0, n));
        end_segment(w);
        strbuf_add_char(w->out, text.p[n]);
        w->segment = w->out->len;
    }
    strbuf_add_span(w->out, text);
}

static void write_archive(struct writer *w, struct span uri)
{
    while (uri.n > 0 && uri.p[uri.n - 1] == '/')
        uri.n--;
    strbuf_add_span(w->out, uri);
    strbuf_add_char(w->out, '/');
    w->archive_has_query = span_find_any(uri, "?#") < uri.n;
    w->archive_end = w->segment = w->out->len;
}

/* Writes the value of a variable (RULINGS 44, 45, 85). */
static void write_value(struct writer *w, const struct template_part *part)
{
    enum variable v = (enum variable)part->variable;
    enum place place = w->archive_has_query ? PLACE_QUERY : (enum place)part->place;
    struct span value = w->values->text[v];
    if (v == VAR_ARCHIVE) {
        write_archive(w, value);
        return;
    }
    if (v == VAR_ADDRESS_DOMAIN && w->t->has_domain_in_host && w->values->ascii_domain.n > 0)
        value = w->values->ascii_domain;
    if (variable_is_number(v)) {
        for (size_t n = value.n; n < part->width; n++)
            strbuf_add_char(w->out, '0');
    } else if (part->width > 0) {
        value = span_sub(value, 0, part->width);
    }
    if (!w->t->is_uri) {
        strbuf_add_span(w->out, value);
        return;
    }
    enum uri_part escaping = place == PLACE_QUERY    ? URI_QUERY
                             : place == PLACE_MAILTO ? URI_MAILTO
                                                     : URI_PATH;
    uri_escape(w->out, value, escaping);
    if (escaping == URI_PATH && v > VAR_ARCHIVE)
        w->value = v;
}

static void write_name(struct strbuf *out, const struct template_part *part,
                       const struct token_names *tokens)
{
    struct span name = variable_text((enum variable)part->variable, tokens);
    strbuf_addf(out, "{%.*s", (int)name.n, name.p);
    if (part->width > 0)
        strbuf_addf(out, ":%u", part->width);
    strbuf_add_char(out, '}');
}

/* Writes all parts. Returns the first variable without a value, or the first one without a usable
 * value, or VAR_COUNT. */
static enum variable write_parts(const struct template *t, const struct variable_values *values,
                                 const struct token_names *tokens, struct strbuf *out)
{
    struct writer w = {.t = t,
                       .values = values,
                       .out = out,
                       .archive_end = SIZE_MAX,
                       .segment = out->len,
                       .value = VAR_COUNT,
                       .unusable = VAR_COUNT};
    enum variable missing = VAR_COUNT;
    for (size_t i = 0; i < t->count; i++) {
        const struct template_part *part = &t->parts[i];
        enum variable v = (enum variable)part->variable;
        if (v == VAR_COUNT) {
            write_literal(&w, template_literal(part));
        } else if ((values->set & VAR_BIT(v)) == 0) {
            write_name(out, part, tokens);
            missing = missing == VAR_COUNT ? v : missing;
        } else {
            write_value(&w, part);
        }
    }
    end_segment(&w);
    return missing != VAR_COUNT ? missing : w.unusable;
}

enum variable template_expand(const struct template *t, const struct variable_values *values,
                              struct strbuf *out)
{
    size_t begin = out->len;
    enum variable lacking = write_parts(t, values, NULL, out);
    if (lacking != VAR_COUNT)
        strbuf_truncate(out, begin);
    return lacking;
}

void template_show(const struct template *t, const struct variable_values *values,
                   const struct token_names *tokens, struct strbuf *out)
{
    (void)write_parts(t, values, tokens, out);
}

/* ---- trying ---- */

/* Texts as long as the values often are: the field with the URI has to fit into a line. NULL: one
 * character. */
static const char *const samples[VAR_COUNT] = {
    [VAR_ARCHIVE] = "https://example.org/",
    [VAR_MESSAGE_ID] = "a@b.example",
    [VAR_MESSAGE_ID_HASH] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
    [VAR_LIST_ID_HASH] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
    [VAR_MONTH_NAME] = "September",
    [VAR_MONTH_ABBR] = "Sep",
    [VAR_SEQUENCE] = NUMBER_TEXT(POST_NUMBER_MAX),
    [VAR_RECIPIENT] = "user@b.example",
    [VAR_RECIPIENT_TOKEN] = "ABCDEFGHIJKLMNOPQRSTUVWXYZABCDEFGHIJKLMNOPQ",
};

const char *template_try(const struct template *uri, const struct variable_values *values,
                         const char *sample, struct strbuf *out)
{
    struct variable_values all = *values;
    size_t begin = out->len;
    for (int v = 0; v < VAR_COUNT; v++) {
        if ((uri->needs & ~values->set & VAR_BIT(v)) == 0)
            continue;
        const char *usual = samples[v] != NULL ? samples[v] : "1";
        all.text[v] = span_cstr(sample != NULL && v != VAR_ARCHIVE ? sample : usual);
    }
    all.set |= uri->needs;
    (void)write_parts(uri, &all, NULL, out);
    for (size_t i = 0; i < uri->count; i++) /* or the poster could choose the server */
        if (uri->parts[i].place == PLACE_HOST && uri->parts[i].variable != VAR_COUNT &&
            (VAR_BIT(uri->parts[i].variable) & VARS_LIST) == 0)
            return "has a value of the message or the recipient in the host name (expected it "
                   "after a \"/\")";
    return uri_fault(span_sub(strbuf_span(out), begin, out->len));
}

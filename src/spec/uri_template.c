/* uri_template - see uri_template.h */
#include "spec/uri_template.h"

#include "text/number.h"

#include <string.h>

#define WIDTH_MAX      64
#define SHOWN_NAME_MAX 64 /* bytes of an unknown name that an error message repeats */

/* ---- compiling ---- */

struct compiler {
    uint64_t allowed;
    const struct token_names *tokens;
    struct arena *arena;
    struct template_part *parts;
    struct template t;
    enum { IN_SCHEME, IN_HOST, AFTER_HOST } place; /* of the next part in a URI */
};

static const char *variable_fault(const struct compiler *c, struct span name, const char *fault)
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
    strbuf_addf(&text, "has the unknown variable {%.*s} (", (int)name.n, name.p);
    variable_add_meant(&text, name, c->allowed, c->tokens);
    strbuf_add_char(&text, ')');
    return strbuf_keep(&text, c->arena);
}

static void add_literal(struct compiler *c, struct span text)
{
    c->parts[c->t.count++] =
        (struct template_part){.text = text.p, .length = (uint32_t)text.n, .variable = VAR_COUNT};
    size_t end = c->place == IN_SCHEME ? span_find_any(text, ":/?#") : text.n;
    if (end < text.n && span_eq(span_sub(text, end, 3), span_cstr("://"))) {
        c->place = IN_HOST;
        text = span_sub(text, end + 3, text.n);
    } else if (end < text.n) {
        c->place = AFTER_HOST;
    }
    if (c->place == IN_HOST && span_find_any(text, "/?#") < text.n)
        c->place = AFTER_HOST;
}

/* Compiles the text between braces. */
static const char *add_variable(struct compiler *c, struct span inside)
{
    struct span name = span_sub(inside, 0, span_find(inside, ':'));
    uint64_t width = 0;
    enum variable v = variable_find(name, c->tokens);
    if (v == VAR_COUNT)
        return unknown_fault(c, name);
    if (name.n < inside.n)
        (void)number_parse(span_sub(inside, name.n + 1, inside.n), WIDTH_MAX, &width);
    if (name.n < inside.n && width == 0)
        return variable_fault(
            c, name, " with a width that is not a number from 1 to " NUMBER_TEXT(WIDTH_MAX));
    if ((c->allowed & VAR_BIT(v)) == 0)
        return variable_fault(c, name, ", which may not be used here");
    if (v == VAR_ARCHIVE && width > 0)
        return "has {archive} with a width, which would cut the URL of the archive";
    if (v == VAR_ARCHIVE && c->t.count > 0)
        return "has {archive} elsewhere than at its start";
    if (v == VAR_LF) { /* no value, but text that cannot be written otherwise */
        add_literal(c, span_of("\n", 1));
        return NULL;
    }
    c->parts[c->t.count++] =
        (struct template_part){.variable = (uint8_t)v,
                               .width = (uint8_t)width,
                               .is_before_path = v != VAR_ARCHIVE && c->place != AFTER_HOST};
    c->t.needs |= VAR_BIT(v);
    if (v == VAR_ADDRESS_DOMAIN && c->place == IN_HOST)
        c->t.has_domain_in_host = c->t.is_uri;
    if (v == VAR_ARCHIVE)
        c->place = AFTER_HOST;
    return NULL;
}

/* template = *( text / variable ); variable = "{" *( any but "{" and "}" ) "}" */
static const char *add_parts(struct compiler *c, struct span text)
{
    const char *fault = NULL;
    while (text.n > 0 && fault == NULL) {
        size_t n = span_find_any(text, "{}");
        if (n > 0) {
            add_literal(c, span_sub(text, 0, n));
            text = span_sub(text, n, text.n);
            continue;
        }
        n = 1 + span_find_any(span_sub(text, 1, text.n), "{}");
        if (text.p[0] == '}')
            fault = "has \"}\" without \"{\" before it";
        else if (n < text.n && n == 1 && text.p[n] == '{')
            fault = "has \"{{\"; a brace cannot be escaped";
        else if (n >= text.n || text.p[n] == '{')
            fault = "has \"{\" without \"}\" after it";
        else
            fault = add_variable(c, span_sub(text, 1, n - 1));
        text = span_sub(text, n + 1, text.n);
    }
    return fault;
}

const char *template_compile(struct span text, enum template_kind kind, uint64_t allowed,
                             const struct token_names *tokens, struct arena *arena,
                             struct template *out)
{
    size_t count = 0; /* an upper bound: a part begins at the start, at "{" or after "}" */
    for (size_t i = 0; i < text.n; i++)
        count += i == 0 || text.p[i] == '{' || text.p[i - 1] == '}';
    struct compiler c = {.allowed = allowed,
                         .tokens = tokens,
                         .arena = arena,
                         .parts = arena_calloc(arena, count, sizeof *c.parts),
                         .t.is_uri = kind == TEMPLATE_URI};
    const char *fault = add_parts(&c, arena_dup(arena, text));
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
    enum uri_part part;       /* that the next value is put into */
    size_t archive_end;       /* end of {archive} in out; a "/" after it is dropped (RULINGS 42) */
    size_t segment;           /* the start of the last segment of the path in out */
    enum variable in_segment; /* a variable of the message in it; VAR_COUNT: none */
    enum variable missing;    /* the first variable without a usable value; VAR_COUNT: none */
};

/* True if a segment is empty, or has "." or ".." between escaped slashes and backslashes, which
 * many servers decode. */
static bool leads_elsewhere(struct span segment)
{
    size_t begin = 0;
    for (size_t i = 0; i <= segment.n; i++) {
        struct span escape = span_sub(segment, i, 3);
        if (i < segment.n && !span_eq_nocase(escape, span_cstr("%2F")) &&
            !span_eq_nocase(escape, span_cstr("%5C")))
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
    if (w->in_segment != VAR_COUNT && w->missing == VAR_COUNT && leads_elsewhere(segment))
        w->missing = w->in_segment;
    w->in_segment = VAR_COUNT;
}

static void write_literal(struct writer *w, struct span text)
{
    while (w->out->len == w->archive_end && text.n > 0 && text.p[0] == '/')
        text = span_sub(text, 1, text.n);
    size_t end = span_find_any(text, "/?#");
    strbuf_add_span(w->out, span_sub(text, 0, end));
    if (end == text.n)
        return;
    end_segment(w);
    strbuf_add_span(w->out, span_sub(text, end, text.n));
    for (w->segment = w->out->len; strchr("/?#", w->out->data[w->segment - 1]) == NULL;)
        w->segment--;
    if (span_find_any(text, "?#") < text.n)
        w->part = URI_QUERY;
}

static void write_archive(struct writer *w, struct span uri)
{
    while (uri.n > 0 && uri.p[uri.n - 1] == '/')
        uri.n--;
    strbuf_add_span(w->out, uri);
    strbuf_add_char(w->out, '/');
    w->part = span_find_any(uri, "?#") < uri.n ? URI_QUERY : URI_PATH;
    w->archive_end = w->segment = w->out->len;
}

/* Writes the value of a variable (RULINGS 44, 45, 85). */
static void write_value(struct writer *w, const struct template_part *part)
{
    enum variable v = (enum variable)part->variable;
    struct span value = w->values->text[v];
    if (v == VAR_ADDRESS_DOMAIN && w->t->has_domain_in_host && w->values->ascii_domain.n > 0)
        value = w->values->ascii_domain;
    if (part->width > 0 && !variable_is_number(v))
        value = span_sub(value, 0, part->width);
    for (size_t n = value.n; n < part->width && variable_is_number(v); n++)
        strbuf_add_char(w->out, '0');
    if (v == VAR_ARCHIVE)
        write_archive(w, value);
    else if (w->t->is_uri)
        uri_escape(w->out, value, w->part);
    else
        strbuf_add_span(w->out, value);
    if (w->t->is_uri && w->part == URI_PATH && v > VAR_ARCHIVE)
        w->in_segment = v;
}

/* Writes a variable as it is in the template. */
static void write_name(struct strbuf *out, const struct template_part *part,
                       const struct token_names *tokens)
{
    struct span name = variable_text((enum variable)part->variable, tokens);
    strbuf_addf(out, "{%.*s", (int)name.n, name.p);
    if (part->width > 0)
        strbuf_addf(out, ":%u", part->width);
    strbuf_add_char(out, '}');
}

/* Writes all parts; a variable without a value as it is in the template. Returns the first variable
 * without a usable value, or VAR_COUNT. */
static enum variable write_parts(const struct template *t, const struct variable_values *values,
                                 const struct token_names *tokens, struct strbuf *out)
{
    struct writer w = {.t = t,
                       .values = values,
                       .out = out,
                       .archive_end = SIZE_MAX,
                       .segment = out->len,
                       .in_segment = VAR_COUNT,
                       .missing = VAR_COUNT};
    if (span_starts_nocase(template_begin(t), span_cstr("mailto:")))
        w.part = URI_MAILTO;
    for (size_t i = 0; i < t->count; i++) {
        const struct template_part *part = &t->parts[i];
        enum variable v = (enum variable)part->variable;
        if (v == VAR_COUNT) {
            write_literal(&w, template_literal(part));
        } else if ((values->set & VAR_BIT(v)) != 0) {
            write_value(&w, part);
        } else {
            write_name(out, part, tokens);
            w.missing = w.missing == VAR_COUNT ? v : w.missing;
        }
    }
    end_segment(&w);
    return w.missing;
}

enum variable template_expand(const struct template *t, const struct variable_values *values,
                              struct strbuf *out)
{
    size_t begin = out->len;
    enum variable missing = write_parts(t, values, NULL, out);
    if (missing != VAR_COUNT)
        strbuf_truncate(out, begin);
    return missing;
}

void template_show(const struct template *t, const struct variable_values *values,
                   const struct token_names *tokens, struct strbuf *out)
{
    (void)write_parts(t, values, tokens, out);
}

const char *template_try(const struct template *uri, const struct variable_values *values,
                         const char *sample, struct strbuf *out)
{
    struct variable_values all = *values;
    size_t begin = out->len;
    for (size_t i = 0; i < uri->count; i++) {
        enum variable v = (enum variable)uri->parts[i].variable;
        if (v == VAR_COUNT || (values->set & VAR_BIT(v)) != 0)
            continue;
        all.text[v] = span_cstr(sample != NULL && v != VAR_ARCHIVE ? sample : variable_sample(v));
    }
    all.set |= uri->needs;
    (void)write_parts(uri, &all, NULL, out);
    struct span sampled = span_sub(strbuf_span(out), begin, out->len);
    for (size_t i = 0; i < uri->count; i++) /* a poster must not choose the server */
        if (uri->parts[i].is_before_path && (VAR_BIT(uri->parts[i].variable) & VARS_LIST) == 0 &&
            uri_scheme(sampled).n > 0)
            return "has a value of the message or the recipient in the scheme or host name "
                   "(expected it after a \"/\")";
    return uri_fault(sampled);
}

/* uri_template - see uri_template.h */
#include "spec/uri_template.h"

#include "text/ascii.h"
#include "text/cursor.h"

#include <stdarg.h>

#define WIDTH_MAX      64
#define SHOWN_NAME_MAX 64 /* octets of an unknown name that an error message repeats */

/* ---- compiling ---- */

struct compiler {
    struct arena *arena;
    struct cursor cursor;
    uint64_t allowed;
    const struct token_names *tokens;
    struct template_part *parts;
    size_t count;
    uint64_t needs;
    const char *fault;
};

/* Says what is wrong with the template. 1, or -1: out of memory. */
static int __attribute__((format(printf, 2, 3))) wrong(struct compiler *c, const char *format, ...)
{
    struct strbuf text = STRBUF_INIT;
    va_list ap;
    va_start(ap, format);
    strbuf_addv(&text, format, ap);
    va_end(ap);
    c->fault = strbuf_keep(&text, c->arena);
    return c->fault == NULL ? -1 : 1;
}

/* 1, or -1: out of memory. */
static int wrong_unknown(struct compiler *c, struct span name)
{
    struct strbuf known = STRBUF_INIT;
    int result = -1;
    variable_add_names(c->allowed, c->tokens, &known);
    if (!strbuf_failed(&known))
        result = wrong(c, "has the unknown variable {%.*s} (expected %s)", (int)name.n, name.p,
                       strbuf_str(&known));
    strbuf_free(&known);
    return result;
}

static int unknown_variable(struct compiler *c, struct span name)
{
    struct span meant;
    if (name.n == 0)
        return wrong(c, "has \"{\" without a variable's name after it");
    if (name.n > SHOWN_NAME_MAX || !span_is_printable_ascii(name))
        return wrong(c, "has an unknown variable between \"{\" and \"}\"");
    meant = variable_nearest(name, c->allowed, c->tokens);
    if (meant.p != NULL)
        return wrong(c, "has the unknown variable {%.*s} (did you mean {%.*s}?)", (int)name.n,
                     name.p, (int)meant.n, meant.p);
    return wrong_unknown(c, name);
}

/* width = 1 to 64; 0 when it is anything else. */
static unsigned read_width(struct span text)
{
    unsigned width = 0;
    if (text.n == 0)
        return 0;
    for (size_t i = 0; i < text.n; i++) {
        if (!ascii_is_digit(text.p[i]))
            return 0;
        width = width * 10 + (unsigned)(text.p[i] - '0');
        if (width > WIDTH_MAX)
            return 0;
    }
    return width;
}

/* variable = "{" name [ ":" width ] "}"; the cursor stands behind the "{". 0, 1 or -1. */
static int compile_variable(struct compiler *c)
{
    struct span rest = cursor_rest(&c->cursor);
    size_t close = span_find(rest, '}');
    size_t open = span_find(rest, '{');
    if (cursor_peek(&c->cursor) == '{')
        return wrong(c, "has \"{{\"; a brace cannot be escaped");
    if (close == rest.n || open < close)
        return wrong(c, "has \"{\" without \"}\" after it");

    struct span inside = span_sub(rest, 0, close);
    struct span name = span_sub(inside, 0, span_find(inside, ':'));
    unsigned width = 0;
    enum variable v = variable_find(name, c->tokens);
    if (v == VAR_COUNT)
        return unknown_variable(c, name);
    if (name.n < inside.n) {
        width = read_width(span_sub(inside, name.n + 1, inside.n));
        if (width == 0)
            return wrong(c, "has {%.*s} with a width that is not a number from 1 to %d",
                         (int)name.n, name.p, WIDTH_MAX);
    }
    if ((c->allowed & VAR_BIT(v)) == 0)
        return wrong(c, "has {%.*s}, which may not be used here", (int)name.n, name.p);
    if (v == VAR_ARCHIVE && width > 0)
        return wrong(c, "has {archive} with a width, which would cut the URL of the archive");
    if (v == VAR_ARCHIVE && c->count > 0)
        return wrong(c, "has {archive} elsewhere than at its start");

    c->cursor.p += close + 1;
    if (v == VAR_LF) { /* not a value, but text that cannot be written otherwise */
        c->parts[c->count++] =
            (struct template_part){.literal = span_of("\n", 1), .variable = VAR_COUNT};
        return 0;
    }
    c->parts[c->count++] = (struct template_part){.variable = (uint8_t)v, .width = (uint8_t)width};
    c->needs |= VAR_BIT(v);
    return 0;
}

/* template = *( text / variable ). 0, 1 or -1. */
static int compile_parts(struct compiler *c)
{
    while (!cursor_at_end(&c->cursor)) {
        if (cursor_take(&c->cursor, '{')) {
            int result = compile_variable(c);
            if (result != 0)
                return result;
            continue;
        }
        const char *start = c->cursor.p;
        while (!cursor_at_end(&c->cursor) && *c->cursor.p != '{' && *c->cursor.p != '}')
            c->cursor.p++;
        if (cursor_peek(&c->cursor) == '}')
            return wrong(c, "has \"}\" without \"{\" before it");
        struct span literal = span_of(start, (size_t)(c->cursor.p - start));
        c->parts[c->count++] = (struct template_part){.literal = literal, .variable = VAR_COUNT};
    }
    return 0;
}

int template_compile(struct span text, uint64_t allowed, const struct token_names *tokens,
                     struct arena *arena, struct template *out, const char **fault)
{
    struct compiler c = {.arena = arena, .allowed = allowed, .tokens = tokens};
    struct span copy = arena_dup(arena, text);
    size_t most_parts = 1;
    for (size_t i = 0; i < text.n; i++) {
        if (text.p[i] == '{')
            most_parts += 2; /* the variable and the text behind it */
    }
    c.parts = arena_calloc(arena, most_parts, sizeof(*c.parts));
    if (copy.p == NULL || c.parts == NULL)
        return -1;
    c.cursor = cursor_of(copy);
    int result = compile_parts(&c);
    if (result == 1)
        *fault = c.fault;
    if (result == 0)
        *out = (struct template){.parts = c.parts, .count = c.count, .needs = c.needs};
    return result;
}

/* ---- putting values in ---- */

struct writer {
    struct strbuf *out;
    enum template_kind kind;
    enum uri_part part;                /* which stands at the end of what is written */
    bool after_archive;                /* and its "/": no further one may follow (RULINGS 42) */
    const struct template_part *value; /* of the message, in the path's segment that is written */
};

static void write_as_is(struct writer *w, struct span text)
{
    if (w->after_archive) {
        while (text.n > 0 && text.p[0] == '/')
            text = span_sub(text, 1, text.n);
    }
    if (text.n > 0)
        w->after_archive = false;
    strbuf_add_span(w->out, text);
}

static bool has_query(struct span text)
{
    return span_find(text, '?') < text.n || span_find(text, '#') < text.n;
}

/* Which part of a URI the template begins in, as far as its values can matter. */
static enum uri_part first_part(const struct template *t)
{
    bool is_mailto = t->count > 0 && t->parts[0].variable == VAR_COUNT &&
                     span_starts_nocase(t->parts[0].literal, span_cstr("mailto:"));
    return is_mailto ? URI_MAILTO : URI_PATH;
}

/* Where a value stands: what binding finds now, or has found; {archive} may have got its value
 * since.
 */
static enum uri_part part_of(const struct writer *w, const struct template_part *part)
{
    return part->part > w->part ? (enum uri_part)part->part : w->part;
}

static void write_archive(struct writer *w, struct span uri)
{
    while (uri.n > 0 && uri.p[uri.n - 1] == '/')
        uri.n--;
    strbuf_add_span(w->out, uri);
    strbuf_add_char(w->out, '/');
    if (has_query(uri))
        w->part = URI_QUERY;
    w->after_archive = true;
}

/* RULINGS 44, 45 and 85 */
static void write_variable(struct writer *w, const struct template_part *part, struct span value)
{
    enum variable v = (enum variable)part->variable;
    if (variable_is_number(v)) {
        for (size_t n = value.n; n < part->width; n++)
            write_as_is(w, span_of("0", 1));
    } else if (part->width > 0) {
        value = span_sub(value, 0, part->width);
    }
    if (v == VAR_ARCHIVE) {
        write_archive(w, value);
        return;
    }
    if (value.n > 0)
        w->after_archive = false; /* a slash at the begin of a value is a part of it */
    if (w->kind == TEMPLATE_TEXT)
        strbuf_add_span(w->out, value);
    else
        uri_escape(w->out, value, part_of(w, part));
}

static bool is_set(const struct variable_values *values, const struct template_part *part)
{
    return (values->set & VAR_BIT(part->variable)) != 0;
}

/* The most parts that are left when the values are put in: texts and values beside each other
 * become one. */
static size_t parts_left(const struct template *in, const struct variable_values *values)
{
    size_t count = 0;
    bool after_literal = false;
    for (size_t i = 0; i < in->count; i++) {
        bool is_literal = in->parts[i].variable == VAR_COUNT || is_set(values, &in->parts[i]);
        if (!is_literal || !after_literal)
            count++;
        after_literal = is_literal;
    }
    return count;
}

/* Writes the text of all literal parts to w->out, one behind the other, and the parts, of which the
 * literal ones have a length but no place yet. */
static void bind_parts(const struct template *in, const struct variable_values *values,
                       struct writer *w, struct template_part *parts, struct template *out)
{
    struct template_part *literal = NULL;
    for (size_t i = 0; i < in->count; i++) {
        struct template_part part = in->parts[i];
        if (part.variable != VAR_COUNT && !is_set(values, &part)) {
            part.part = (uint8_t)w->part;
            parts[out->count++] = part;
            out->needs |= VAR_BIT(part.variable);
            w->after_archive = false;
            literal = NULL;
            continue;
        }
        size_t start = strbuf_span(w->out).n;
        if (part.variable == VAR_COUNT)
            write_as_is(w, part.literal);
        else
            write_variable(w, &part, values->text[part.variable]);
        struct span added = span_sub(strbuf_span(w->out), start, SIZE_MAX);
        if (added.n == 0)
            continue;
        if (has_query(added))
            w->part = URI_QUERY;
        if (literal == NULL) {
            literal = &parts[out->count++];
            *literal = (struct template_part){.variable = VAR_COUNT};
        }
        literal->literal.n += added.n;
    }
}

int template_bind(const struct template *in, enum template_kind kind,
                  const struct variable_values *values, struct arena *arena, struct template *out)
{
    struct strbuf text = STRBUF_INIT;
    struct writer w = {.out = &text, .kind = kind, .part = first_part(in)};
    struct template bound = {NULL, 0, 0};
    struct template_part *parts = arena_calloc(arena, parts_left(in, values), sizeof(*parts));
    if (parts == NULL)
        return -1;
    bind_parts(in, values, &w, parts, &bound);
    struct span literals = {NULL, 0};
    if (!strbuf_failed(&text))
        literals = arena_dup(arena, strbuf_span(&text));
    strbuf_free(&text);
    if (literals.p == NULL)
        return -1;
    for (size_t i = 0; i < bound.count; i++) {
        if (parts[i].variable == VAR_COUNT) {
            parts[i].literal.p = literals.p;
            literals.p += parts[i].literal.n;
        }
    }
    bound.parts = parts;
    *out = bound;
    return 0;
}

static int lacks(const struct template_part *part, enum variable *lacking, int result)
{
    if (lacking != NULL)
        *lacking = (enum variable)part->variable;
    return result;
}

/* Where the first segment ends that stands, or goes on, in a literal text. */
static size_t segment_end(struct span literal)
{
    size_t n = 0;
    while (n < literal.n && literal.p[n] != '/' && literal.p[n] != '?' && literal.p[n] != '#')
        n++;
    return n;
}

/* What is written from start on ends a segment. 0; 2: it leads elsewhere, and is taken back. */
static int end_segment(struct writer *w, size_t start, enum variable *lacking)
{
    const struct template_part *value = w->value;
    w->value = NULL;
    if (value == NULL || strbuf_failed(w->out) ||
        !uri_ends_elsewhere(span_sub(strbuf_span(w->out), start, SIZE_MAX)))
        return 0;
    strbuf_truncate(w->out, start);
    return lacks(value, lacking, 2);
}

int template_expand(const struct template *t, enum template_kind kind,
                    const struct variable_values *values, struct strbuf *out,
                    enum variable *lacking)
{
    struct writer w = {.out = out, .kind = kind, .part = URI_PATH};
    size_t start = strbuf_span(out).n;
    for (size_t i = 0; i < t->count; i++) {
        const struct template_part *part = &t->parts[i];
        if (part->variable != VAR_COUNT && !is_set(values, part))
            return lacks(part, lacking, 1);
    }
    for (size_t i = 0; i < t->count; i++) {
        const struct template_part *part = &t->parts[i];
        if (part->variable != VAR_COUNT) {
            write_variable(&w, part, values->text[part->variable]);
            if (kind == TEMPLATE_URI && part->variable > VAR_ARCHIVE &&
                part_of(&w, part) == URI_PATH)
                w.value = part;
            continue;
        }
        size_t end = segment_end(part->literal);
        write_as_is(&w, span_sub(part->literal, 0, end));
        if (end < part->literal.n && end_segment(&w, start, lacking) != 0)
            return 2;
        write_as_is(&w, span_sub(part->literal, end, part->literal.n));
    }
    return end_segment(&w, start, lacking);
}

struct span template_literal(const struct template *t)
{
    if (t->count == 1 && t->parts[0].variable == VAR_COUNT)
        return t->parts[0].literal;
    return span_of("", 0);
}

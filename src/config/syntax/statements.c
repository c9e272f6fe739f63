/* statements - reads lexemes, counts braces, and refuses what libConfuse would read unexpectedly.
 */
#include "config/syntax/statements.h"

#include "config/report/say.h"
#include "config/syntax/form_faults.h"
#include "config/syntax/raw_section.h"
#include "text/array.h"
#include "text/ascii.h"
#include "text/utf8.h"

#include <stdlib.h>
#include <string.h>

enum lexeme {
    LEXEME_END,
    LEXEME_WORD,
    LEXEME_STRING,
    LEXEME_OPEN,
    LEXEME_CLOSE,
    LEXEME_EQUALS,
    LEXEME_COMMA
};

struct cutter {
    struct statements *out;
    struct diagnostics *diagnostics;
    char *p, *end;      /* what comes behind the lexeme looked at */
    int line;           /* of that lexeme */
    enum lexeme lexeme; /* LEXEME_END, too, after `refused` */
    struct span text;   /* of it: with its quotes and escapes */
    struct span about;  /* the key before it, for messages: a word before "=", or a statement's */
    int about_line;     /* where the statement before has ended; 0: we are in one */
    bool refused;
};

/* Nothing after this can be trusted. Always LEXEME_END. */
static enum lexeme refuse(struct cutter *c, const char *fault)
{
    struct shown shown;
    bool is_about = c->about.n > 0 && (c->about_line == 0 || c->about_line == c->line);
    if (!c->refused)
        say(c->diagnostics, SEVERITY_ERROR,
            place_of(c->out->file, c->line, is_about ? shown_text(c->about, &shown) : NULL),
            NO_VALUE, "%s", fault);
    c->refused = true;
    return LEXEME_END;
}

/* ---- octets ---- */

static const char *control_fault(const char *p, const char *end)
{
    if (*p == '\0')
        return "a NUL byte is here (expected text)";
    if (*p == '\t' || *p == '\n' || (*p == '\r' && p + 1 < end && p[1] == '\n'))
        return NULL;
    return "a control character is here (expected text)";
}

/* Is every octet one that may stand in a file? NULL, or what is wrong, with *line. */
static const char *text_fault(struct span text, int *line)
{
    const char *end = text.p + text.n;
    *line = 1;
    for (const char *p = text.p; p < end;) {
        if (*p >= ' ' && *p < 0x7f) {
            p++;
        } else if (ascii_is_control(*p)) {
            const char *fault = control_fault(p, end);
            if (fault != NULL)
                return fault;
            if (*p == '\n')
                ++*line;
            p++;
        } else {
            size_t n = utf8_length(span_of(p, (size_t)(end - p)));
            if (n == 0)
                return "this line is not valid UTF-8 (expected a file in UTF-8)";
            p += n;
        }
    }
    return NULL;
}

/* Is the escape, whose backslash is before p, a NUL? libConfuse would end the value there. */
static bool is_nul(const char *p, const char *end)
{
    size_t zeros = 0;
    if (*p == 'x')
        return end - p >= 2 && p[1] == '0' && (end - p < 3 || p[2] == '0' || !ascii_is_hex(p[2]));
    while (zeros < 3 && p + zeros < end && p[zeros] == '0')
        zeros++;
    bool more = zeros < 3 && p + zeros < end && ascii_is_digit(p[zeros]);
    return zeros > 0 && !more;
}

/* ---- blanks and comments ---- */

/* Overwrites text with blanks; its line ends stay, so that lines keep their numbers. */
static void blank(char *p, char *end)
{
    while (p < end) {
        char *line_end = memchr(p, '\n', (size_t)(end - p));
        if (line_end == NULL)
            line_end = end;
        memset(p, ' ', (size_t)(line_end - p));
        p = line_end < end ? line_end + 1 : end;
    }
}

static bool sees(const struct cutter *c, const char *text)
{
    size_t n = strlen(text);
    return (size_t)(c->end - c->p) >= n && memcmp(c->p, text, n) == 0;
}

/* Behind the "*" "/" of the comment; NULL: it is not closed. */
static char *comment_end(const struct cutter *c)
{
    for (char *p = c->p + 2; c->end - p >= 2; p++)
        if (p[0] == '*' && p[1] == '/')
            return p + 2;
    return NULL;
}

/* libConfuse counts a line too many for each C comment, and takes none between values. */
static void skip_comment(struct cutter *c)
{
    bool to_line_end = *c->p != '/' || c->p[1] == '/';
    char *end = c->p;
    if (to_line_end)
        while (end < c->end && *end != '\n')
            end++;
    else
        end = comment_end(c);
    if (end == NULL) {
        refuse(c, "the comment that begins here with \"/*\" is not closed (expected \"*/\"; a "
                  "pattern must stand in quotes)");
        return;
    }
    for (const char *at = c->p; at < end; at++)
        c->line += *at == '\n';
    blank(c->p, end);
    c->p = end;
}

static void skip_space(struct cutter *c)
{
    while (c->p < c->end && !c->refused) {
        if (*c->p == '#' || sees(c, "//") || sees(c, "/*"))
            skip_comment(c);
        else if (*c->p != '\n' && *c->p != '\r' && !ascii_is_blank(*c->p))
            return;
        else
            c->line += *c->p++ == '\n';
    }
}

/* ---- texts in quotes ---- */

#define HAS_ENVIRONMENT                                                                            \
    "\"${\" is not allowed: environment variables are not expanded here (write \"\\${\" for a "    \
    "dollar sign before a variable of mlmilter)"

/* libConfuse 3.3 reads a text in quotes in time that grows with the square of its length: 1 MiB
 * took 0.8 s, and a delegate may have 64 of them. No field has a line of more than 998 octets. */
#define TEXT_MAX 16384

static enum lexeme take(struct cutter *c, enum lexeme lexeme, const char *end)
{
    c->text = span_of(c->p, (size_t)(end - c->p));
    c->p += c->text.n;
    return lexeme;
}

/* Nearly every text means the same in both kinds of quotes; libConfuse reads it twice as fast in
 * single ones. Its closing quote; NULL when this one does not, or is not closed. */
static char *plain_end(const struct cutter *c)
{
    static const char special[] = {'\n', '\\', '\'', '$'};
    char *p = c->p + 1;
    char *close = memchr(p, *c->p, (size_t)(c->end - p));
    for (size_t i = 0; close != NULL && i < sizeof special; i++)
        if (memchr(p, special[i], (size_t)(close - p)) != NULL)
            return NULL;
    return close;
}

/* The closing quote of any other text; NULL: refused. */
static char *find_quote(struct cutter *c)
{
    const char quote = *c->p;
    char *p = c->p + 1;
    while (p < c->end && *p != quote && *p != '\n') {
        bool escape = *p == '\\' && p + 1 < c->end && p[1] != '\n';
        if (quote == '"' && escape && is_nul(p + 1, c->end))
            return refuse(c, "a NUL character (\"\\0\") cannot stand in a value"), NULL;
        if (quote == '"' && *p == '$' && p + 1 < c->end && p[1] == '{')
            return refuse(c, HAS_ENVIRONMENT), NULL;
        p += escape ? 2 : 1;
    }
    if (p < c->end && *p == quote)
        return p;
    return refuse(c, "a quote is opened on this line and not closed (expected the closing quote on "
                     "the same line)"),
           NULL;
}

static enum lexeme string_lexeme(struct cutter *c)
{
    char *close = plain_end(c);
    if (close != NULL)
        *c->p = *close = '\'';
    else
        close = find_quote(c);
    if (close != NULL && close - c->p >= TEXT_MAX)
        return refuse(c, "a text is too long (expected at most 16,382 bytes in quotes)");
    return close == NULL ? LEXEME_END : take(c, LEXEME_STRING, close + 1);
}

/* ---- words ---- */

static bool is_word_octet(char c)
{
    return c > ' ' && c < 0x7f && strchr("#\"'={}()+,*", c) == NULL;
}

/* What is wrong with the word, which ends before p; NULL: nothing. */
static const char *word_fault(const struct cutter *c, struct span word, const char *p)
{
    char after = p < c->end ? *p : '\0';
    if (word.n > 0 && word.p[0] == ';')
        return "there is a \";\" here, and none is needed (expected nothing between keys, \",\" "
               "between "
               "values, \"#\" before a comment)";
    if (word.n > 0 && word.p[0] == '[' && (word.n == 1 || after == '"' || after == '\''))
        return "there is a \"[\" here (expected \"{\" and \"}\" around a list of values)";
    if (after == '(' && span_eq_nocase(word, span_cstr("include")))
        return "there is no \"include\" (expected lists = {\"PATTERN\"} in the main file)";
    if (after == '{' && word.n > 0 && p[-1] == '$')
        return HAS_ENVIRONMENT;
    if (word.n == 0 && after == '+')
        return "\"+\" is not understood: a value always replaces that of the defaults (expected "
               "\"=\")";
    if (word.n == 0 || (p < c->end && strchr("\"'()+*", after) != NULL))
        return form_octet_fault(p, c->end);
    if (p[-1] == ';')
        return "a \";\" follows the word, and none is needed (expected quotes around a text "
               "that ends in one)";
    return NULL;
}

static enum lexeme word_lexeme(struct cutter *c)
{
    const char *p = c->p;
    while (p < c->end && is_word_octet(*p))
        p++;
    const char *fault = word_fault(c, span_of(c->p, (size_t)(p - c->p)), p);
    return fault != NULL ? refuse(c, fault) : take(c, LEXEME_WORD, p);
}

static void next(struct cutter *c)
{
    static const char signs[] = "{}=,";
    static const enum lexeme lexemes[] = {LEXEME_OPEN, LEXEME_CLOSE, LEXEME_EQUALS, LEXEME_COMMA};
    enum lexeme before = c->lexeme;
    skip_space(c);
    c->lexeme = LEXEME_END;
    if (c->refused || c->p == c->end)
        return;
    if (before == LEXEME_WORD && (*c->p == '=' || *c->p == '+'))
        c->about = c->text;
    const char *sign = strchr(signs, *c->p);
    if (*c->p == '=' && before == LEXEME_STRING)
        refuse(c, "something else is where a key belongs (expected a key without quotes)");
    else if (sign != NULL)
        c->lexeme = take(c, lexemes[sign - signs], c->p + 1);
    else
        c->lexeme = *c->p == '"' || *c->p == '\'' ? string_lexeme(c) : word_lexeme(c);
}

/* ---- statements ---- */

/* "{" is looked at; goes to its "}". Braces behind "=" that hold nothing become a value. */
static void skip_braces(struct cutter *c, bool is_list)
{
    for (int depth = 1; depth > 0 && c->lexeme != LEXEME_END;) {
        char *sign = c->p - 1;
        enum lexeme lexeme = c->lexeme;
        next(c);
        if (lexeme == LEXEME_OPEN && is_list && c->lexeme == LEXEME_CLOSE) {
            *sign = EMPTY_LIST;
            c->p[-1] = ' ';
        }
        is_list = lexeme == LEXEME_EQUALS;
        depth += c->lexeme == LEXEME_OPEN ? 1 : c->lexeme == LEXEME_CLOSE ? -1 : 0;
    }
}

static void add(struct cutter *c, struct statement statement)
{
    struct statements *out = c->out;
    out->items = array_grow(out->items, out->count, &out->capacity, sizeof statement);
    out->items[out->count++] = statement;
}

/* A lexeme is looked at that begins a statement. It ends behind its value, behind its "}" or, if it
 * has neither, where a word begins a line. */
static void cut_statement(struct cutter *c)
{
    struct statement statement = {.begin = (uint32_t)(c->text.p - c->out->text), .line = c->line};
    enum lexeme before = LEXEME_END;
    bool has_ended = false;
    const struct span name = c->lexeme == LEXEME_WORD ? c->text : NO_VALUE;
    statement.name_length = (uint32_t)name.n;
    c->about = name.n > 0 ? name : c->about;
    c->about_line = 0;
    do {
        bool is_value = before == LEXEME_EQUALS && c->lexeme != LEXEME_EQUALS;
        if (before == LEXEME_WORD && c->lexeme == LEXEME_EQUALS && statement.form == FORM_NONE)
            statement.form = FORM_ASSIGNMENT;
        if (c->lexeme == LEXEME_OPEN && statement.form == FORM_NONE)
            statement.form = FORM_SECTION;
        if (c->lexeme == LEXEME_OPEN)
            skip_braces(c, is_value);
        statement.is_open = c->lexeme == LEXEME_END;
        statement.end = (uint32_t)(c->p - c->out->text);
        statement.end_line = c->line;
        has_ended = is_value || c->lexeme == LEXEME_CLOSE;
        if (has_ended)
            c->about_line = c->line;
        if (has_ended && statement.form == FORM_SECTION)
            c->about = name;
        before = c->lexeme;
        next(c);
    } while (
        !has_ended && c->lexeme != LEXEME_END &&
        (c->lexeme != LEXEME_WORD || c->line == statement.end_line || before == LEXEME_EQUALS));
    add(c, statement);
}

bool statements_cut(struct statements *statements, const char *file, char *text, size_t length,
                    struct diagnostics *diagnostics)
{
    static const char byte_order_mark[] = "\xEF\xBB\xBF";
    *statements = (struct statements){.file = file, .text = text};
    struct cutter c = {
        .out = statements, .diagnostics = diagnostics, .p = text, .end = text + length};
    const char *fault = text_fault(span_of(text, length), &c.line);
    if (fault != NULL) {
        refuse(&c, fault);
        return false;
    }
    c.line = 1;
    if (length >= 3 && memcmp(text, byte_order_mark, 3) == 0)
        blank(text, text + 3);
    next(&c);
    while (c.lexeme != LEXEME_END)
        cut_statement(&c);
    return !c.refused;
}

struct span statement_name(const struct statements *statements, size_t i)
{
    const struct statement *statement = &statements->items[i];
    return span_of(statements->text + statement->begin, statement->name_length);
}

void statements_free(struct statements *statements)
{
    free(statements->items);
    *statements = (struct statements){.items = NULL};
}

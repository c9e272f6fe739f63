/* statements - reads tokens, counts braces, and refuses what libConfuse would read unexpectedly. */
#include "config/syntax/statements.h"

#include "config/report/say.h"
#include "config/syntax/form_faults.h"
#include "config/syntax/octets.h"
#include "config/syntax/raw_section.h"
#include "text/ascii.h"

#include <stdlib.h>
#include <string.h>

enum token {
    TOKEN_END,
    TOKEN_WORD,
    TOKEN_STRING,
    TOKEN_OPEN,
    TOKEN_CLOSE,
    TOKEN_EQUALS,
    TOKEN_COMMA
};

struct cutter {
    struct statements *out;
    struct diagnostics *diagnostics;
    char *p, *end;     /* what comes behind the token looked at */
    char *behind;      /* the token before that */
    int line;          /* of the token looked at */
    enum token token;  /* the one looked at; TOKEN_END, too, after `refused` */
    struct span text;  /* of it: with its quotes and escapes */
    struct span about; /* the key before it, for messages: a word before "=", or a statement's */
    int word_line;     /* of the value of the statement before, a word; else 0 */
    bool is_between;   /* a statement has ended before the one looked at */
    bool refused;
    bool no_memory;
};

/* ---- messages ---- */

static void wrong(const struct cutter *c, int line, struct span about, const char *fault)
{
    struct shown shown;
    const char *key = about.n > 0 ? shown_text(about, &shown) : NULL;
    say(c->diagnostics, SEVERITY_ERROR, place_of(c->out->file, line, key), NO_VALUE, "%s", fault);
}

#define NO_SEMICOLON                                                                               \
    "a \";\" stands here, and none is needed (expected nothing between keys, \",\" between "       \
    "values, \"#\" before a comment)"

/* Nothing after this can be trusted. Always TOKEN_END. */
static enum token refuse(struct cutter *c, const char *fault)
{
    bool is_about = !c->is_between || strcmp(fault, NO_SEMICOLON) == 0;
    if (!c->refused)
        wrong(c, c->line, is_about ? c->about : NO_VALUE, fault);
    c->refused = true;
    return TOKEN_END;
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

static enum token take(struct cutter *c, enum token token, const char *end)
{
    c->text = span_of(c->p, (size_t)(end - c->p));
    c->p += c->text.n;
    return token;
}

/* Nearly every text means the same in both kinds of quotes, and libConfuse reads it twice as fast
 * in single ones. Its closing quote; NULL when this one does not, or is not closed. */
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
        const char *fault = NULL;
        if (quote == '"' && *p == '\\' && p + 1 < c->end)
            fault = octets_escape_fault(p + 1, c->end);
        else if (quote == '"' && *p == '$' && p + 1 < c->end && p[1] == '{')
            fault = HAS_ENVIRONMENT;
        if (fault != NULL) {
            refuse(c, fault);
            return NULL;
        }
        p += *p == '\\' && p + 1 < c->end && p[1] != '\n' ? 2 : 1;
    }
    if (p < c->end && *p == quote)
        return p;
    refuse(c, "a quote is opened on this line and not closed (expected the closing quote on the "
              "same line)");
    return NULL;
}

static enum token string_token(struct cutter *c)
{
    char *close = plain_end(c);
    if (close != NULL)
        *c->p = *close = '\'';
    else
        close = find_quote(c);
    if (close != NULL && close - c->p >= TEXT_MAX)
        return refuse(c, "a text is too long (expected at most 16,382 octets in quotes)");
    return close == NULL ? TOKEN_END : take(c, TOKEN_STRING, close + 1);
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
        return NO_SEMICOLON;
    if (word.n > 0 && word.p[0] == '[' && (word.n == 1 || after == '"' || after == '\''))
        return "a \"[\" stands here (expected \"{\" and \"}\" around a list of values)";
    if (after == '(' && span_eq_nocase(word, span_cstr("include")))
        return "there is no \"include\" (expected lists = {\"PATTERN\"} in the main file)";
    if (after == '{' && word.n > 0 && p[-1] == '$')
        return HAS_ENVIRONMENT;
    if (word.n == 0 && after == '+')
        return "\"+\" is not understood: a value always replaces that of the defaults (expected "
               "\"=\")";
    if (word.n == 0 || (p < c->end && strchr("\"'()+*", after) != NULL))
        return octets_outside_fault(p, c->end);
    if (p[-1] == ';')
        return "a \";\" stands behind the word, and none is needed (expected quotes around a text "
               "that ends in one)";
    return NULL;
}

static enum token word_token(struct cutter *c)
{
    const char *p = c->p;
    while (p < c->end && is_word_octet(*p))
        p++;
    const char *fault = word_fault(c, span_of(c->p, (size_t)(p - c->p)), p);
    return fault != NULL ? refuse(c, fault) : take(c, TOKEN_WORD, p);
}

static void next(struct cutter *c)
{
    static const char signs[] = "{}=,";
    static const enum token tokens[] = {TOKEN_OPEN, TOKEN_CLOSE, TOKEN_EQUALS, TOKEN_COMMA};
    struct span before = c->text;
    enum token token = c->token;
    skip_space(c);
    c->text = span_of(c->p, 0);
    c->token = TOKEN_END;
    if (c->refused || c->p == c->end)
        return;
    const char *sign = strchr(signs, *c->p);
    if (sign != NULL)
        c->token = take(c, tokens[sign - signs], c->p + 1);
    else
        c->token = *c->p == '"' || *c->p == '\'' ? string_token(c) : word_token(c);
    if (c->token == TOKEN_EQUALS && token == TOKEN_STRING)
        c->token = refuse(c, "something else stands where a key must stand (expected a key "
                             "without quotes)");
    else if (c->token == TOKEN_EQUALS && token == TOKEN_WORD)
        c->about = before;
}

/* ---- statements ---- */

static bool is_value(const struct cutter *c)
{
    return c->token == TOKEN_WORD || c->token == TOKEN_STRING;
}

/* "{" is looked at; goes to its "}". Braces behind "=" that hold nothing become a value. */
static void skip_braces(struct cutter *c, bool is_list)
{
    for (int depth = 1; depth > 0 && c->token != TOKEN_END;) {
        char *sign = c->p - 1;
        enum token token = c->token;
        next(c);
        if (token == TOKEN_OPEN && is_list && c->token == TOKEN_CLOSE) {
            *sign = EMPTY_LIST;
            c->p[-1] = ' ';
        }
        is_list = token == TOKEN_EQUALS;
        depth += c->token == TOKEN_OPEN ? 1 : c->token == TOKEN_CLOSE ? -1 : 0;
    }
}

/* The last token of the statement is looked at. */
static void add(struct cutter *c, struct statement statement)
{
    struct statements *out = c->out;
    statement.is_open = c->token == TOKEN_END;
    statement.end = (size_t)(c->p - out->text);
    c->is_between = true;
    next(c);
    c->is_between = false;
    if (out->count == out->capacity) {
        size_t capacity = out->capacity == 0 ? 16 : out->capacity * 2;
        struct statement *items = realloc(out->items, capacity * sizeof *items);
        c->no_memory = items == NULL;
        if (items == NULL)
            return;
        out->items = items;
        out->capacity = capacity;
    }
    out->items[out->count++] = statement;
}

/* Leaves a statement out that has no form; the next one is looked for from the next line on. */
static void leave_out(struct cutter *c, int line, struct span about, const char *fault)
{
    if (!c->refused)
        wrong(c, line, about, fault);
    c->out->lacks_some = true;
    while (c->token != TOKEN_END && c->line <= line)
        next(c);
}

/* "=" is looked at. */
static void cut_assignment(struct cutter *c, struct statement statement)
{
    next(c);
    struct cutter value = *c;
    bool word = c->token == TOKEN_WORD;
    if (c->token == TOKEN_OPEN)
        skip_braces(c, true);
    else if (!is_value(c))
        return leave_out(c, statement.line, statement.name, FORM_NO_VALUE);
    add(c, statement);
    c->word_line = word ? value.line : 0;
    if (!word || c->token != TOKEN_EQUALS)
        return;
    *c = value; /* the word is the next key */
    c->out->count--;
    leave_out(c, statement.line, statement.name, FORM_NO_VALUE);
}

/* What is behind the name is looked at. */
static void cut_section(struct cutter *c, struct statement statement, struct span before)
{
    struct cutter title = *c;
    struct span name = statement.name;
    if (is_value(c))
        next(c);
    if (c->token == TOKEN_OPEN) {
        skip_braces(c, false);
        c->about = c->token == TOKEN_END ? c->about : name;
        c->word_line = 0;
        return add(c, statement);
    }
    if (!c->refused)
        *c = title; /* it may be the name of the next statement */
    while (name.n > 0 && name.p[name.n - 1] == ':')
        name.n--;
    if (c->word_line == statement.line)
        leave_out(c, statement.line, before, FORM_SECOND_WORD);
    else if (name.n < statement.name.n)
        leave_out(c, statement.line, name, FORM_COLON);
    else
        leave_out(c, statement.line, name,
                  "is followed neither by \"=\" nor by \"{\" (expected KEY = VALUE or a section "
                  "{ ... })");
}

static void cut_statement(struct cutter *c)
{
    struct statement statement = {
        .name = c->text, .begin = (size_t)(c->text.p - c->out->text), .line = c->line};
    if (c->token == TOKEN_CLOSE)
        return leave_out(c, c->line, NO_VALUE, "a \"}\" stands here, but no section is open");
    if (c->token == TOKEN_COMMA)
        return leave_out(c, c->line, c->about, FORM_COMMA);
    if (c->token == TOKEN_STRING && c->word_line == c->line)
        return leave_out(c, c->line, c->about, FORM_SECOND_WORD);
    if (c->token != TOKEN_WORD)
        return leave_out(c, c->line, NO_VALUE,
                         "something else stands where a key must stand (expected a key or a "
                         "section)");
    struct span before = c->about;
    c->about = statement.name;
    next(c);
    statement.is_assignment = c->token == TOKEN_EQUALS;
    if (statement.is_assignment)
        cut_assignment(c, statement);
    else
        cut_section(c, statement, before);
}

enum outcome statements_cut(struct statements *statements, const char *file, char *text,
                            size_t length, struct diagnostics *diagnostics)
{
    static const char byte_order_mark[] = "\xEF\xBB\xBF";
    *statements = (struct statements){.file = file, .text = text};
    struct cutter c = {
        .out = statements, .diagnostics = diagnostics, .p = text, .end = text + length, .line = 1};
    const char *fault = octets_fault(span_of(text, length), &c.line);
    if (fault != NULL) {
        refuse(&c, fault);
        return REFUSED;
    }
    c.line = 1;
    if (length >= 3 && memcmp(text, byte_order_mark, 3) == 0)
        blank(text, text + 3);
    next(&c);
    while (c.token != TOKEN_END && !c.no_memory)
        cut_statement(&c);
    return c.no_memory ? NO_MEMORY : c.refused ? REFUSED : DONE;
}

void statements_free(struct statements *statements)
{
    free(statements->items);
    *statements = (struct statements){.items = NULL};
}

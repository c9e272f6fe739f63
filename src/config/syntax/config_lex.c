/* config_lex - reads tokens, and refuses what libConfuse would read in an unexpected way. */
#include "config/syntax/config_lex.h"

#include "text/ascii.h"
#include "text/utf8.h"

#include <stdbool.h>
#include <string.h>

#define HAS_ENVIRONMENT                                                                            \
    "\"${\" is not allowed: environment variables are not expanded here (write \"\\${\" for a "    \
    "dollar sign before a variable of mlmilter)"

void config_blank(char *p, char *end)
{
    while (p < end) {
        char *line_end = memchr(p, '\n', (size_t)(end - p));
        if (line_end == NULL)
            line_end = end;
        memset(p, ' ', (size_t)(line_end - p));
        p = line_end < end ? line_end + 1 : end;
    }
}

static const char *control_fault(const char *p, const char *end)
{
    if (*p == '\0')
        return "a NUL octet stands here (expected text)";
    if (*p == '\t' || *p == '\n' || (*p == '\r' && p + 1 < end && p[1] == '\n'))
        return NULL;
    return "a control character stands here (expected text)";
}

const char *config_text_fault(struct span text, int *line)
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

void config_lex_init(struct config_lexer *lexer, char *p, char *end)
{
    static const char byte_order_mark[] = "\xEF\xBB\xBF";
    *lexer = (struct config_lexer){p, end, 1, NULL};
    if (end - p >= 3 && memcmp(p, byte_order_mark, 3) == 0)
        config_blank(p, p + 3);
}

static bool sees(const struct config_lexer *lexer, const char *text)
{
    size_t n = strlen(text);
    return (size_t)(lexer->end - lexer->p) >= n && memcmp(lexer->p, text, n) == 0;
}

static void blank_line_comment(struct config_lexer *lexer)
{
    char *end = memchr(lexer->p, '\n', (size_t)(lexer->end - lexer->p));
    if (end == NULL)
        end = lexer->end;
    config_blank(lexer->p, end);
    lexer->p = end;
}

/* false, and the cursor stays, when the comment does not end. */
static bool blank_c_comment(struct config_lexer *lexer)
{
    char *p = lexer->p + 2;
    int lines = 0;
    while (lexer->end - p >= 2 && !(p[0] == '*' && p[1] == '/'))
        if (*p++ == '\n')
            lines++;
    if (lexer->end - p < 2)
        return false;
    config_blank(lexer->p, p + 2);
    lexer->line += lines;
    lexer->p = p + 2;
    return true;
}

/* Blanks, line ends and comments. */
static bool skip_space(struct config_lexer *lexer)
{
    while (lexer->p < lexer->end) {
        char c = *lexer->p;
        if (c == '\n')
            lexer->line++;
        if (c == '\n' || c == '\r' || ascii_is_blank(c))
            lexer->p++;
        else if (c == '#' || sees(lexer, "//"))
            blank_line_comment(lexer);
        else if (!sees(lexer, "/*"))
            break;
        else if (!blank_c_comment(lexer)) {
            lexer->fault = "the comment that begins here with \"/*\" is not closed (expected "
                           "\"*/\"; a pattern must stand in quotes)";
            return false;
        }
    }
    return true;
}

/* The digits behind a backslash: libConfuse takes one to three octal ones, up to 377. */
static const char *octal_fault(const char *p, const char *end)
{
    unsigned value = 0;
    int digits = 0;
    for (; p < end && ascii_is_digit(*p); p++, digits++) {
        if (*p > '7' || digits == 3)
            return "a backslash with digits behind it is no character (expected one to three "
                   "octal digits)";
        value = value * 8 + (unsigned)(*p - '0');
    }
    if (value > 0xff)
        return "a backslash with digits over 377 is no character (expected octal digits)";
    return value == 0 ? "a NUL character (\"\\0\") cannot stand in a value" : NULL;
}

/* The escape whose backslash is before p. libConfuse would end the value at a NUL. */
static const char *escape_fault(const char *p, const char *end)
{
    if (ascii_is_digit(*p))
        return octal_fault(p, end);
    if (*p != 'x' || p + 1 >= end || p[1] != '0')
        return NULL;
    bool second = p + 2 < end && ascii_is_hex(p[2]);
    if (!second || p[2] == '0')
        return "a NUL character (\"\\x00\") cannot stand in a value";
    return NULL;
}

static struct config_token fault_token(struct config_lexer *lexer, const char *fault)
{
    lexer->fault = fault;
    return (struct config_token){TOKEN_FAULT, span_of(lexer->p, 0), lexer->line};
}

/* libConfuse 3.3 reads a text in quotes in time that grows with the square of its length: 1 MiB
 * took 0.8 s, and a delegate may have 64 of them. No field has a line of more than 998 octets. */
#define TEXT_MAX 16384

/* The text that ends at the quote at p. */
static struct config_token string_token(struct config_lexer *lexer, const char *p)
{
    struct span text = span_of(lexer->p, (size_t)(p + 1 - lexer->p));
    if (text.n > TEXT_MAX)
        return fault_token(lexer, "a text is too long (expected at most 16,382 octets in quotes)");
    lexer->p += text.n;
    return (struct config_token){TOKEN_STRING, text, lexer->line};
}

/* The quote that closes a text which means the same in both kinds of quotes, as nearly all do; NULL
 * when this one does not, or is not closed. */
static char *plain_end(const struct config_lexer *lexer, char quote)
{
    static const char special[] = {'\n', '\\', '\'', '$'};
    char *p = lexer->p + 1;
    char *close = memchr(p, quote, (size_t)(lexer->end - p));
    for (size_t i = 0; close != NULL && i < sizeof special; i++)
        if (memchr(p, special[i], (size_t)(close - p)) != NULL)
            return NULL;
    return close;
}

static struct config_token lex_string(struct config_lexer *lexer)
{
    const char quote = *lexer->p;
    char *p = plain_end(lexer, quote);
    if (p != NULL) {
        *lexer->p = '\'';
        *p = '\'';
        return string_token(lexer, p);
    }
    p = lexer->p + 1;
    while (p < lexer->end && *p != quote && *p != '\n') {
        if (*p == '\\' && p + 1 < lexer->end && p[1] != '\n') {
            const char *fault = quote == '"' ? escape_fault(p + 1, lexer->end) : NULL;
            if (fault != NULL)
                return fault_token(lexer, fault);
            p += 2;
        } else if (quote == '"' && *p == '$' && p + 1 < lexer->end && p[1] == '{') {
            return fault_token(lexer, HAS_ENVIRONMENT);
        } else {
            p++;
        }
    }
    if (p == lexer->end || *p != quote)
        return fault_token(lexer, "a quote is opened on this line and not closed (expected the "
                                  "closing quote on the same line)");
    return string_token(lexer, p);
}

static bool is_word_octet(char c)
{
    switch (c) {
    case '#':
    case '"':
    case '\'':
    case '=':
    case '{':
    case '}':
    case '(':
    case ')':
    case '+':
    case ',':
    case '*':
        return false;
    default:
        return c > ' ' && c < 0x7f;
    }
}

/* Why this octet cannot stand outside of quotes. */
static const char *octet_fault(const struct config_lexer *lexer, const char *p)
{
    if (lexer->end - p >= 3 && memcmp(p, "\xE2\x80", 2) == 0 &&
        strchr("\x98\x99\x9A\x9C\x9D\x9E", p[2]))
        return "a typographic quote stands here (expected \" or ' around a text)";
    switch (*p) {
    case '(':
    case ')':
        return "a parenthesis stands outside of quotes (expected \"...\" around the whole text)";
    case '*':
        return "a \"*\" stands outside of quotes (expected \"...\" around the whole text)";
    case '+':
        return "a \"+\" stands outside of quotes (expected \"...\" around the whole text)";
    case '"':
    case '\'':
        return "a quote stands in the middle of a text (expected it before the whole text)";
    default:
        return "a character stands here that must be in quotes (expected text in quotes, a word, "
               "\"=\", \"{\", \"}\" or \",\")";
    }
}

static struct config_token lex_word(struct config_lexer *lexer)
{
    char *p = lexer->p;
    while (p < lexer->end && is_word_octet(*p))
        p++;
    struct span text = span_of(lexer->p, (size_t)(p - lexer->p));
    if (text.n == 0)
        return fault_token(lexer, octet_fault(lexer, p));
    if (text.p[0] == '[' && (text.n == 1 || (p < lexer->end && strchr("\"'", *p) != NULL)))
        return fault_token(lexer, "a \"[\" stands here (expected \"{\" and \"}\" around a list of "
                                  "values)");
    if (p < lexer->end && *p == '(' && span_eq_nocase(text, span_cstr("include")))
        return fault_token(lexer, "there is no \"include\" (expected lists = {\"PATTERN\"} in the "
                                  "main file)");
    if (p < lexer->end && *p == '{' && p[-1] == '$')
        return fault_token(lexer, HAS_ENVIRONMENT);
    if (p < lexer->end && strchr("\"'()+*", *p) != NULL)
        return fault_token(lexer, octet_fault(lexer, p));
    if (p[-1] == ';')
        return fault_token(lexer, "a \";\" stands behind the word, and none is needed (expected "
                                  "quotes around a text that ends in one)");
    lexer->p = p;
    return (struct config_token){TOKEN_WORD, text, lexer->line};
}

struct config_token config_lex(struct config_lexer *lexer)
{
    if (!skip_space(lexer))
        return (struct config_token){TOKEN_FAULT, span_of(lexer->p, 0), lexer->line};
    struct config_token token = {TOKEN_END, span_of(lexer->p, 0), lexer->line};
    if (lexer->p == lexer->end)
        return token;
    switch (*lexer->p) {
    case '"':
    case '\'':
        return lex_string(lexer);
    case '{':
        token.kind = TOKEN_OPEN;
        break;
    case '}':
        token.kind = TOKEN_CLOSE;
        break;
    case '=':
        token.kind = TOKEN_EQUALS;
        break;
    case ',':
        token.kind = TOKEN_COMMA;
        break;
    case ';':
        token.kind = TOKEN_SEMICOLON;
        break;
    case '+':
        return fault_token(lexer, "\"+\" is not understood: a value always replaces that of the "
                                  "defaults (expected \"=\")");
    default:
        return lex_word(lexer);
    }
    token.text.n = 1;
    lexer->p++;
    return token;
}

/* scan - reads tokens, counts lines and braces, makes comments blank. */
#include "config/syntax/scan.h"

#include "text/ascii.h"
#include "text/memory.h"
#include "text/number.h"
#include "text/utf8.h"

#include <stdlib.h>
#include <string.h>

#define ENVIRONMENT                                                                                \
    "\"${\" is not allowed: environment variables are not expanded here (write \"\\${\" for a "    \
    "dollar sign before a variable of mlmilter)"

#define QUOTED_KEY                                                                                 \
    "a text in quotes is where a key belongs (expected KEY = VALUE; a text of several words must " \
    "be in quotes)"

struct scanner {
    struct scan *out;
    size_t capacity, open; /* of the statements; the one with open braces */
    char *p, *end;
    int line, depth;
    struct span key;  /* the last word that is no value */
    int key_line;     /* where it is */
    int value_line;   /* where its value ended; 0: it has not ended */
    bool in_list;     /* between the braces of a value */
    char *empty;      /* the last token, if it opens such braces */
    bool is_assigned; /* the last token is "=" */
};

/* Ends the scan. The message names the key if it is on the same line, or has no value yet. */
static void refuse(struct scanner *s, const char *fault)
{
    s->out->fault = fault;
    s->out->fault_line = s->line;
    if (s->value_line == 0 || s->value_line == s->line)
        s->out->fault_key = s->key;
    s->end = s->p;
}

/* Returns the reason why a byte cannot stand outside of quotes. */
static const char *byte_fault(const struct scanner *s)
{
    static const char *const quotes[] = {"\xE2\x80\x98", "\xE2\x80\x99", "\xE2\x80\x9A",
                                         "\xE2\x80\x9C", "\xE2\x80\x9D", "\xE2\x80\x9E"};
    for (size_t i = 0; i < sizeof quotes / sizeof quotes[0]; i++)
        if (s->end - s->p >= 3 && memcmp(s->p, quotes[i], 3) == 0)
            return "this is a typographic quote (expected \" or ' around a text)";
    switch (*s->p) {
    case '(':
    case ')':
        return "a parenthesis is outside quotes (expected \"...\" around the whole text)";
    case '*':
        return "a \"*\" is outside quotes (expected \"...\" around the whole text; a comment "
               "begins with \"#\")";
    case '+':
        return "a \"+\" is outside quotes (expected \"...\" around the whole text)";
    case ';':
        return "a \";\" is outside quotes, and none is needed (expected nothing between keys, "
               "\",\" between values, \"#\" before a comment)";
    default:
        return "this character must be in quotes (expected text in quotes, a word, "
               "\"=\", \"{\", \"}\" or \",\")";
    }
}

static bool is_word_byte(char c)
{
    return c > ' ' && c < 0x7f && strchr("#\"'={}()+,*", c) == NULL;
}

static void add_statement(struct scanner *s, struct span name)
{
    struct scan *out = s->out;
    out->statements =
        array_grow(out->statements, out->count, &s->capacity, sizeof *out->statements);
    out->statements[out->count++] = (struct statement){name, s->line};
}

/* Takes a word or a text in quotes: the name of a statement or a key, a title, or a value. */
static void take_text(struct scanner *s, struct span text, bool is_word)
{
    bool is_title = s->value_line == 0 && s->key_line == s->line;
    if (s->in_list || s->is_assigned || is_title) {
        s->value_line = s->in_list ? 0 : s->line;
    } else if (!is_word && (s->depth == 0 || text.n == 2)) {
        refuse(s, QUOTED_KEY); /* libConfuse stops without an error at an empty name */
    } else {
        if (s->depth == 0)
            add_statement(s, text);
        s->key = is_word ? text : span_of(NULL, 0);
        s->key_line = s->line;
        s->value_line = 0;
    }
    s->is_assigned = false;
    s->empty = NULL;
}

static void scan_word(struct scanner *s)
{
    char *begin = s->p;
    while (is_word_byte(*s->p))
        s->p++;
    char last = s->p > begin ? s->p[-1] : '\0';
    char after = *s->p;
    if (last == '$' && after == '{') {
        refuse(s, ENVIRONMENT);
    } else if (last == '[' && (s->p - begin == 1 || after == '"' || after == '\'')) {
        refuse(s, "there is a \"[\" here (expected \"{\" and \"}\" around a list of values)");
    } else if (last == '\0' || *begin == ';' || last == ';') {
        s->p = last == '\0' || *begin == ';' ? begin : s->p - 1;
        refuse(s, byte_fault(s));
    } else if (after == '"' || after == '\'') {
        refuse(s, "a quote is in the middle of a text (expected it before the whole text)");
    } else if (after != '\0' && strchr("()+*", after) != NULL) {
        refuse(s, byte_fault(s));
    } else {
        take_text(s, span_of(begin, (size_t)(s->p - begin)), true);
    }
}

/* Scans a text in quotes, up to the closing quote on its line. */
static void scan_quoted(struct scanner *s)
{
    char *begin = s->p++;
    while (s->p < s->end && *s->p != *begin && *s->p != '\n') {
        if (*begin == '"' && *s->p == '$' && s->p[1] == '{') {
            refuse(s, ENVIRONMENT);
            return;
        }
        s->p += *s->p == '\\' && s->p + 1 < s->end && s->p[1] != '\n' ? 2 : 1;
    }
    if (s->p == s->end || *s->p == '\n') {
        refuse(s, "a quote is opened on this line and not closed (expected the closing quote on "
                  "the same line)");
        return;
    }
    s->p++;
    take_text(s, span_of(begin, (size_t)(s->p - begin)), false);
}

static void scan_brace(struct scanner *s)
{
    char *brace = s->p++;
    if (*brace == '{') {
        s->in_list = s->is_assigned;
        if (s->depth++ == 0)
            s->open = s->out->count;
    } else {
        if (s->empty != NULL) {
            *s->empty = NO_VALUES;
            *brace = ' ';
        }
        s->in_list = false;
        s->depth -= s->depth > 0 ? 1 : 0;
        if (s->depth == 0 && s->out->count > 0)
            s->key = s->out->statements[s->out->count - 1].name;
    }
    s->value_line = s->in_list ? 0 : s->line;
    s->empty = s->in_list ? brace : NULL;
    s->is_assigned = false;
}

/* True if every byte of the line is text and it is not too long. */
static bool check_line(struct scanner *s)
{
    char *line_end = memchr(s->p, '\n', (size_t)(s->end - s->p));
    char *end = line_end != NULL ? line_end : s->end;
    if (end - s->p > LINE_BYTES_MAX) {
        refuse(s, "this line is too long (expected at most " NUMBER_TEXT(LINE_BYTES_MAX) " bytes)");
        return false;
    }
    if (line_end != NULL && end > s->p && end[-1] == '\r')
        end--;
    for (const char *p = s->p; p < end;) {
        size_t n = *p >= ' ' || *p == '\t' ? 1 : utf8_length(span_of(p, (size_t)(end - p)));
        if (n == 0) {
            s->key = span_of(NULL, 0);
            refuse(s, "this line is not valid UTF-8 (expected a file in UTF-8)");
            return false;
        }
        if (ascii_is_control(*p) && *p != '\t') {
            s->key = span_of(NULL, 0);
            refuse(s, *p == '\0' ? "a NUL byte is here (expected text)"
                                 : "a control character is here (expected text)");
            return false;
        }
        p += n;
    }
    return true;
}

static void scan_token(struct scanner *s)
{
    switch (*s->p) {
    case ' ':
    case '\t':
    case '\r':
        s->p++;
        break;
    case '\n':
        s->p++;
        s->line++;
        if (s->p < s->end)
            check_line(s);
        break;
    case '"':
    case '\'':
        scan_quoted(s);
        break;
    case '{':
    case '}':
        scan_brace(s);
        break;
    case '=':
    case ',':
        if (s->key.n == 0 && s->value_line == 0) {
            refuse(s, QUOTED_KEY);
            break;
        }
        s->is_assigned = *s->p++ == '=';
        s->empty = NULL;
        break;
    default:
        if (*s->p == '#' || (*s->p == '/' && s->p[1] == '/'))
            while (s->p < s->end && *s->p != '\n')
                *s->p++ = ' ';
        else
            scan_word(s);
    }
}

struct scan scan_text(char *text, size_t length)
{
    struct scan out = {.statements = NULL};
    struct scanner s = {.out = &out, .p = text, .end = text + length, .line = 1, .value_line = -1};
    if (length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) /* a byte order mark */
        memset(text, ' ', 3);
    if (length > 0 && check_line(&s))
        while (s.p < s.end)
            scan_token(&s);
    if (s.depth > 0 && s.open > 0)
        out.open = &out.statements[s.open - 1];
    return out;
}

void scan_free(struct scan *scan)
{
    free(scan->statements);
    *scan = (struct scan){.statements = NULL};
}

/* scan - see scan.h */
#include "config/read/scan.h"

#include "config/read/report.h"
#include "text/ascii.h"
#include "text/memory.h"
#include "text/utf8.h"

#include <stdbool.h>
#include <string.h>

struct scanner {
    struct scan *out;
    char *p, *end;
    int line, depth, key_line;
    struct span key;  /* the last word where a key is expected */
    bool expects_key; /* after a value or a section, and at the begin */
    bool is_assigned; /* after "=" */
    bool in_list;     /* inside the braces of a value */
    char *brace;      /* the last token, if it opens such braces */
};

/* Ends the scan. The message names the key whose value is being read. */
static void refuse(struct scanner *s, struct span value, enum remark fault)
{
    s->out->fault = fault;
    s->out->fault_value = value;
    s->out->fault_line = s->line;
    if (s->in_list || s->is_assigned || s->key_line == s->line)
        s->out->fault_key = s->key;
    s->end = s->p;
}

static enum remark line_fault(struct span line)
{
    if (line.n > LINE_BYTES_MAX)
        return ERROR_LONG_LINE;
    if (span_is_printable_ascii(line))
        return REMARK_NONE;
    if (line.n > 0 && line.p[line.n - 1] == '\r')
        line.n--;
    for (size_t i = 0; i < line.n; i++) {
        if (line.p[i] == '\0')
            return ERROR_NUL;
        if (ascii_is_control(line.p[i]) && line.p[i] != '\t')
            return ERROR_CONTROL;
    }
    return utf8_is_valid(line) ? REMARK_NONE : ERROR_LINE_UTF8;
}

static void check_lines(struct scan *out, struct span text)
{
    for (int line = out->lines + 1; text.n > 0 && out->fault == REMARK_NONE; line++) {
        size_t n = span_find(text, '\n');
        out->fault = line_fault(span_sub(text, 0, n));
        out->fault_line = line;
        text = span_sub(text, n + 1, text.n);
    }
}

static bool is_word_byte(char c)
{
    return c > ' ' && c < 0x7f && strchr("#\"'={}()+,*;", c) == NULL;
}

/* Takes a word or a text in quotes: a key or the name of a section, a title, or a value. */
static void take_text(struct scanner *s, struct span text, bool is_quoted)
{
    struct scan *out = s->out;
    bool is_key = s->expects_key && !s->is_assigned && !s->in_list;
    if (is_key && is_quoted) {
        refuse(s, text, ERROR_QUOTED_KEY);
        return;
    }
    if (is_key) {
        s->key = text;
        s->key_line = s->line;
    }
    if (is_key && s->depth == 0) {
        out->statements =
            array_grow(out->statements, out->count, &out->capacity, sizeof *out->statements);
        out->statements[out->count++] = (struct statement){text, s->line, out->texts};
    }
    s->expects_key = s->is_assigned || (s->expects_key && !is_key);
    s->is_assigned = false;
    s->brace = NULL;
}

static void scan_word(struct scanner *s)
{
    char *begin = s->p;
    while (is_word_byte(*s->p))
        s->p++;
    struct span word = span_of(begin, (size_t)(s->p - begin));
    if (word.n == 0 || (*s->p != '\0' && strchr("()+*;", *s->p) != NULL))
        refuse(s, span_of(s->p, utf8_length(span_of(s->p, (size_t)(s->end - s->p)))),
               ERROR_OUTSIDE_QUOTES);
    else if (s->p[-1] == '$' && *s->p == '{')
        refuse(s, NO_TEXT, ERROR_ENVIRONMENT);
    else if (*s->p == '"' || *s->p == '\'')
        refuse(s, NO_TEXT, ERROR_QUOTE_INSIDE);
    else
        take_text(s, word, false);
}

/* Scans a text in quotes, which ends on its line. */
static void scan_quoted(struct scanner *s)
{
    char *begin = s->p++;
    while (s->p < s->end && *s->p != *begin && *s->p != '\n') {
        if (*begin == '"' && *s->p == '$' && s->p[1] == '{') {
            refuse(s, NO_TEXT, ERROR_ENVIRONMENT);
            return;
        }
        s->p += *s->p == '\\' && s->p + 1 < s->end && s->p[1] != '\n' ? 2 : 1;
    }
    if (s->p == s->end || *s->p == '\n') {
        refuse(s, NO_TEXT, ERROR_OPEN_QUOTE);
        return;
    }
    s->p++;
    take_text(s, span_of(begin + 1, (size_t)(s->p - begin) - 2), true);
}

static void scan_brace(struct scanner *s)
{
    char *brace = s->p++;
    if (*brace == '{') {
        s->in_list = s->is_assigned;
        s->brace = s->in_list ? brace : NULL;
        if (s->depth++ == 0)
            s->out->open = s->out->count;
    } else {
        if (s->brace != NULL) {
            *s->brace = NO_VALUES;
            *brace = ' ';
        }
        s->brace = NULL;
        s->in_list = false;
        s->depth -= s->depth > 0 ? 1 : 0;
        s->out->open = s->depth > 0 ? s->out->open : 0;
    }
    s->expects_key = true;
    s->is_assigned = false;
}

static void scan_token(struct scanner *s)
{
    char c = *s->p;
    if (c == '"' || c == '\'') {
        scan_quoted(s);
    } else if (c == '{' || c == '}') {
        scan_brace(s);
    } else if (c == '=') {
        s->is_assigned = true;
        s->p++;
    } else if (c == '#' || (c == '/' && s->p[1] == '/')) {
        while (s->p < s->end && *s->p != '\n')
            *s->p++ = ' ';
    } else if (ascii_is_space(c) || c == ',') {
        s->line += c == '\n' ? 1 : 0;
        s->brace = c == ',' ? NULL : s->brace;
        s->p++;
    } else {
        scan_word(s);
    }
}

void scan_text(struct scan *scan, char *text, size_t length)
{
    struct scanner s = {
        .out = scan, .p = text, .end = text + length, .line = scan->lines + 1, .expects_key = true};
    if (length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) /* a byte order mark */
        memset(text, ' ', 3);
    check_lines(scan, span_of(text, length));
    while (scan->fault == REMARK_NONE && s.p < s.end)
        scan_token(&s);
    scan->ends_early |= s.depth > 0 || s.is_assigned || !s.expects_key;
    scan->lines = s.line;
    scan->texts++;
}

/* scan - see scan.h */
#include "config/read/scan.h"

#include "config/read/faults.h"
#include "config/read/report.h"
#include "text/ascii.h"
#include "text/memory.h"
#include "text/utf8.h"

#include <string.h>

/* The states of the grammar. */
enum expected {
    A_NAME,      /* or the "}" of a section, or the end */
    AFTER_NAME,  /* "=", "{" or a title */
    AFTER_TITLE, /* "{" */
    A_VALUE,     /* a text or "{" */
    A_TEXT,      /* in the braces of a value: a text or "}" */
    AFTER_TEXT   /* "," or "}" */
};

struct scanner {
    struct scan *out;
    char *p, *end;
    int line;
    enum expected expected;
    struct span key; /* the last name; empty after a section */
    int key_line;
    struct span title;
    int title_line;
    struct span value; /* the last text of that key; p is NULL: none yet */
    bool value_is_word;
    int value_line;
    struct span words_key; /* see struct scan_fault; of the key before */
    const char *words;     /* or NULL */
    char *brace;           /* that opens the braces of a value */
    int brace_line, section_line;
    struct scan_fault judged; /* what the judge has found */
};

/* ---- characters ---- */

static bool is_in(char c, const char *set)
{
    return c != '\0' && strchr(set, c) != NULL;
}

static bool is_word_byte(char c)
{
    return (unsigned char)c > ' ' && c != 0x7f && !is_in(c, "#\"'={}()+,*;");
}

/* True if all bytes may be in the name of a key. */
static bool is_name(struct span text)
{
    for (size_t i = 0; i < text.n; i++)
        if (!ascii_is_alpha(text.p[i]) && !ascii_is_digit(text.p[i]) && text.p[i] != '_')
            return false;
    return text.n > 0;
}

/* Returns the name of a blank or invisible character that is not ASCII, or NULL. */
static const char *blank_name(struct span character)
{
    static const struct {
        const char *bytes, *name;
    } rows[] = {{"\xC2\xA0", "no-break space (U+00A0)"},
                {"\xE2\x80\xAF", "narrow no-break space (U+202F)"},
                {"\xE3\x80\x80", "ideographic space (U+3000)"},
                {"\xE2\x80\x8B", "zero width space (U+200B)"},
                {"\xE2\x80\x89", "thin space (U+2009)"},
                {"\xEF\xBB\xBF", "byte order mark (U+FEFF), which is for the begin of a file,"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (span_eq(character, span_cstr(rows[i].bytes)))
            return rows[i].name;
    return NULL;
}

static bool is_foreign_quote(struct span character)
{
    char text[5] = "";
    memcpy(text, character.p, character.n);
    return strstr("“”„‟‘’‚‛«»‹›´＂", text) != NULL;
}

/* Returns the byte after blanks on this line, or after line ends, too; at the end, a NUL. */
static char next_byte(const struct scanner *s, const char *p, bool with_lines)
{
    while (p < s->end && (ascii_is_blank(*p) || (with_lines && ascii_is_space(*p))))
        p++;
    return p < s->end ? *p : '\0';
}

/* Returns the words of a value that has no quotes, with the signs in it. */
static struct span unquoted(const struct scanner *s, const char *begin, bool with_blanks)
{
    const char *p = begin, *ends = with_blanks ? "\n\r;\"#" : "\n\r;\", \t";
    for (int open = 0; p < s->end && !is_in(*p, ends); p++) {
        open += *p == '{' ? 1 : *p == '}' ? -1 : 0;
        if (open < 0)
            break;
    }
    return span_trim(span_of(begin, (size_t)(p - begin)));
}

/* Returns the text after a colon that stands in the place of "=". */
static struct span text_after_colon(const struct scanner *s, const char *p)
{
    while (p < s->end && is_in(*p, ":= \t"))
        p++;
    if (p == s->end || !is_in(*p, "\"'"))
        return unquoted(s, p, true);
    struct span rest = span_of(p + 1, (size_t)(s->end - p - 1));
    return span_sub(rest, 0, span_find(rest, *p));
}

/* Returns the text after a comma or "(", if it belongs to the same key. */
static struct span next_text(const struct scanner *s)
{
    const char *p = s->p;
    bool is_same_line = true;
    for (; p < s->end && (ascii_is_space(*p) || is_in(*p, ",(")); p++)
        is_same_line = is_same_line && *p != '\n';
    bool is_quoted = p < s->end && is_in(*p, "\"'");
    const char *begin = is_quoted ? p + 1 : p, *end = begin;
    while (end < s->end && (is_quoted ? *end != *p : is_word_byte(*end)))
        end++;
    char next = next_byte(s, is_quoted ? end + 1 : end, false);
    bool is_word = end > p && end[-1] != ':' &&
                   (is_in(next, "\n\r,)}") || (is_same_line && !is_in(next, "=:{\"'")));
    bool is_text = is_quoted ? !is_in(next, "=:") : is_word;
    return is_text ? span_of(begin, (size_t)(end - begin)) : NO_TEXT;
}

/* Ends the scan with a fault at a line. */
static void fail_at(struct scanner *s, int line, enum remark remark, struct span text,
                    struct span sign)
{
    struct span statement = s->words != NULL ? s->words_key : s->key;
    bool is_item = remark == ERROR_NEEDS_QUOTES && s->expected == A_TEXT;
    s->out->fault =
        (struct scan_fault){.remark = is_item ? ERROR_ITEM_NEEDS_QUOTES : remark,
                            .line = line,
                            .key = s->key,
                            .text = text,
                            .sign = sign,
                            .words_key = s->words_key,
                            .words = s->words != NULL ? unquoted(s, s->words, true) : NO_TEXT,
                            .begin = statement.n > 0 ? statement.p : s->p,
                            .open = s->out->open,
                            .first_line = s->section_line};
}

/* Ends the scan with a fault about the text or sign at hand. */
static void fail(struct scanner *s, enum remark remark, struct span text, struct span sign)
{
    fail_at(s, s->line, remark, text, sign);
}

/* Ends the scan where a name has no value, or a text but neither "=" nor "{". */
static void fail_after_name(struct scanner *s)
{
    bool has_text = s->expected == AFTER_TITLE;
    fail_at(s, s->key_line, has_text ? ERROR_NO_EQUALS : ERROR_NO_VALUE,
            has_text ? s->title : NO_TEXT, NO_TEXT);
}

/* ---- texts ---- */

/* True if the word follows the closing quote of a value at once: 'The team's'. */
static bool is_glued(const struct scanner *s, struct span word)
{
    return s->value.n > 0 && !s->value_is_word && s->value.p + s->value.n + 1 == word.p;
}

/* Takes a text where a name is expected. */
static void take_name(struct scanner *s, struct span text, bool is_word)
{
    struct scan *out = s->out;
    size_t colon = span_find(text, ':');
    char next = next_byte(s, s->p, false);
    bool is_behind_word = s->value.p != NULL && s->value_is_word && s->value_line == s->line;
    s->words = is_behind_word || is_glued(s, text) ? s->value.p : NULL;
    s->words_key = s->key;
    if (!is_word && s->value.n > 0 && !is_in(next, "=:{")) {
        fail(s, ERROR_SEVERAL_TEXTS, s->value, text);
    } else if (!is_word) {
        s->key = NO_TEXT;
        fail(s, next == '{' ? ERROR_NO_NAME_OF_KEY : ERROR_QUOTED_KEY, text, text);
    } else if (span_eq(text, span_cstr("--")) || (text.n == 1 && is_in(text.p[0], "%!"))) {
        fail(s, ERROR_COMMENT, NO_TEXT, text);
    } else if (text.p[0] == '[') {
        size_t dot = span_find(text, '.');
        s->key = NO_TEXT;
        fail(s, ERROR_INI, dot < text.n ? span_sub(text, 1, span_find(text, ']') - 1) : NO_TEXT,
             NO_TEXT);
    } else if (s->value.p != NULL && text.n == 1 && !is_name(text)) {
        fail(s, ERROR_SEPARATOR, NO_TEXT, text);
    } else if (!is_name(span_sub(text, 0, 1)) && (unsigned char)text.p[0] < 0x80) {
        s->key = NO_TEXT;
        fail(s, ERROR_NO_NAME_OF_KEY, NO_TEXT, text);
    } else {
        s->key = span_sub(text, 0, colon);
        s->key_line = s->line;
        s->expected = AFTER_NAME;
        s->value = NO_TEXT;
        if (out->open == 0) {
            out->statements =
                array_grow(out->statements, out->count, &out->capacity, sizeof *out->statements);
            out->statements[out->count++] = (struct statement){s->key, s->line, out->texts};
        }
        if (colon < text.n)
            fail(s, ERROR_COLON, text_after_colon(s, text.p + colon), NO_TEXT);
    }
}

/* Calls the judge for the statement at hand. */
static void judge(struct scanner *s, enum use_shape shape, struct span text)
{
    const struct use use = {shape, s->key, text};
    enum remark remark = s->out->judge != NULL ? s->out->judge(s->out, &use) : REMARK_NONE;
    if (remark == REMARK_NONE)
        return;
    fail_at(s, s->key_line, remark, text, shape == USE_TEXTS ? next_text(s) : NO_TEXT);
    if (shape == USE_TEXTS && text.p == s->brace + 1 && *s->p == '}')
        s->out->fault.whole = unquoted(s, s->brace, false);
    s->judged = s->out->fault;
    s->out->fault.remark = REMARK_NONE;
    s->out->judge = NULL;
}

static void take_value(struct scanner *s, struct span text, bool is_word)
{
    bool is_first = s->value.p == NULL;
    s->value = text;
    s->value_is_word = is_word;
    s->value_line = s->line;
    if (s->expected == A_VALUE)
        judge(s, USE_TEXT, text);
    else if (is_first)
        judge(s, USE_TEXTS, text);
    s->expected = s->expected == A_VALUE ? A_NAME : AFTER_TEXT;
}

/* Takes a word, or what is between quotes. */
static void take_text(struct scanner *s, struct span text, bool is_word)
{
    char next = next_byte(s, s->p, true);
    switch (s->expected) {
    case A_NAME:
        take_name(s, text, is_word);
        return;
    case AFTER_NAME:
        s->title = text;
        s->title_line = s->line;
        s->expected = AFTER_TITLE;
        if (is_word && text.p[0] == ':')
            fail(s, ERROR_COLON, text_after_colon(s, text.p), NO_TEXT);
        return;
    case AFTER_TITLE:
        if (is_word && span_eq(text, span_cstr(":")))
            fail(s, ERROR_SIGN_BEFORE_BRACE, s->title, text);
        else if (next == '{')
            fail_at(s, s->key_line, ERROR_TWO_TITLES, s->title, text);
        else
            fail_after_name(s);
        return;
    case AFTER_TEXT:
        if (is_word && is_name(text) && s->line > s->brace_line && is_in(next, "={"))
            fail_at(s, s->brace_line, ERROR_OPEN_TEXTS, s->value, NO_TEXT);
        else if (is_word && text.n == 1 && !is_name(text))
            fail(s, ERROR_SIGN_IN_BRACES, NO_TEXT, text);
        else if (is_word && is_glued(s, text))
            fail(s, ERROR_QUOTE_INSIDE, NO_TEXT, NO_TEXT);
        else
            fail(s, ERROR_NO_COMMA, text, NO_TEXT);
        return;
    default:
        take_value(s, text, is_word);
    }
}

/* Refuses a word that cannot be taken as it stands, with the byte after it. */
static bool refuse_word(struct scanner *s, struct span word)
{
    bool is_value = s->expected == A_VALUE || s->expected == A_TEXT;
    bool is_ascii = span_is_printable_ascii(word), is_bracket = span_eq(word, span_cstr("["));
    char next = *s->p;
    for (size_t i = 0; !is_ascii && i < word.n && s->out->fault.remark == REMARK_NONE;) {
        struct span rest = span_sub(word, i, word.n),
                    character = span_sub(rest, 0, utf8_length(rest));
        const char *name = blank_name(character);
        if (name != NULL && s->expected == A_NAME && s->value_line != s->line)
            s->key = NO_TEXT;
        if (name != NULL)
            fail(s, ERROR_ODD_BLANK, NO_TEXT, span_cstr(name));
        else if (is_foreign_quote(character))
            fail(s, ERROR_FOREIGN_QUOTE, NO_TEXT, character);
        i += character.n;
    }
    if (s->out->fault.remark != REMARK_NONE)
        return true;
    if (s->p[-1] == '$' && next == '{')
        fail(s, ERROR_ENVIRONMENT, unquoted(s, s->p + 1, false), NO_TEXT);
    else if (is_value && (is_bracket || (span_eq(word, span_cstr("<")) && is_in(next, "\"'"))))
        fail(s, ERROR_BRACKETS, span_cstr(is_bracket ? "]" : ">"), word);
    else if (is_in(next, "\"'"))
        fail(s, is_value || s->expected == A_NAME ? ERROR_QUOTE_INSIDE : ERROR_NO_EQUALS, NO_TEXT,
             NO_TEXT);
    else if (is_value && (!is_ascii || is_in(next, "()+*{") || (next == '=' && !is_name(word))))
        fail(s, ERROR_NEEDS_QUOTES, unquoted(s, word.p, false),
             is_ascii ? span_of(s->p, 1) : span_cstr("a letter that is not ASCII"));
    return s->out->fault.remark != REMARK_NONE;
}

static void scan_word(struct scanner *s)
{
    char *begin = s->p;
    while (s->p < s->end && is_word_byte(*s->p))
        s->p++;
    struct span word = span_of(begin, (size_t)(s->p - begin));
    if (!refuse_word(s, word))
        take_text(s, word, true);
}

/* Scans a text in quotes, which ends on its line. */
static void scan_quoted(struct scanner *s)
{
    char *begin = s->p++;
    while (s->p < s->end && *s->p != *begin && *s->p != '\n') {
        if (*begin == '"' && *s->p == '$' && s->p[1] == '{') {
            fail(s, ERROR_ENVIRONMENT, unquoted(s, s->p + 2, false), NO_TEXT);
            return;
        }
        s->p += *s->p == '\\' && s->p + 1 < s->end && s->p[1] != '\n' ? 2 : 1;
    }
    if (s->p == s->end || *s->p == '\n') {
        fail(s, ERROR_OPEN_QUOTE, NO_TEXT, NO_TEXT);
        return;
    }
    s->p++;
    take_text(s, span_of(begin + 1, (size_t)(s->p - begin) - 2), false);
}

/* ---- signs ---- */

static void scan_equals(struct scanner *s, struct span sign)
{
    switch (s->expected) {
    case A_NAME:
        if (s->value.p != NULL && s->value_is_word)
            fail_at(s, s->key_line, ERROR_NO_VALUE, NO_TEXT, NO_TEXT);
        else
            fail(s, s->value.p != NULL ? ERROR_TWO_EQUALS : ERROR_NO_NAME_OF_KEY, NO_TEXT, sign);
        return;
    case AFTER_NAME:
        if (is_in(s->p[1], "=>"))
            fail(s, ERROR_TWO_EQUALS, NO_TEXT, sign);
        s->p++;
        s->expected = A_VALUE;
        return;
    case AFTER_TITLE:
        if (next_byte(s, s->p + 1, true) == '{' && s->title_line == s->key_line)
            fail(s, ERROR_SIGN_BEFORE_BRACE, s->title, sign);
        else
            fail_at(s, s->key_line, ERROR_NO_VALUE, NO_TEXT, NO_TEXT);
        return;
    case AFTER_TEXT:
        if (s->value_is_word && s->value_line > s->brace_line)
            fail_at(s, s->brace_line, ERROR_OPEN_TEXTS, s->value, NO_TEXT);
        else
            fail(s, ERROR_SIGN_IN_BRACES, NO_TEXT, sign);
        return;
    default:
        fail(s, s->expected == A_VALUE ? ERROR_TWO_EQUALS : ERROR_SIGN_IN_BRACES, NO_TEXT, sign);
    }
}

static void scan_opening(struct scanner *s, struct span sign)
{
    switch (s->expected) {
    case AFTER_NAME:
    case AFTER_TITLE:
        if (s->out->open > 0) {
            fail(s, ERROR_SECTION_INSIDE, NO_TEXT, NO_TEXT);
            return;
        }
        judge(s, USE_SECTION, s->expected == AFTER_TITLE ? s->title : NO_TEXT);
        s->out->open = s->out->count;
        s->section_line = s->key_line;
        s->key = NO_TEXT;
        s->expected = A_NAME;
        break;
    case A_VALUE:
        s->brace = s->p;
        s->brace_line = s->line;
        s->expected = A_TEXT;
        break;
    default:
        fail(s, s->expected == A_NAME ? ERROR_NO_NAME_OF_KEY : ERROR_BRACES_INSIDE, s->value, sign);
    }
    s->p++;
}

/* True if the "}" at hand ends a bare word in braces, and more of the text follows at once. */
static bool is_template(const struct scanner *s)
{
    bool is_comment = s->p[1] == '/' && is_in(s->p[2], "/*");
    return s->value.p == s->brace + 1 && s->value.p + s->value.n == s->p && !is_comment &&
           is_in(s->p[1], "/@-+._{(=?&:%*");
}

static void scan_closing(struct scanner *s)
{
    switch (s->expected) {
    case A_NAME:
        if (s->out->open == 0) {
            s->key = NO_TEXT;
            fail(s, ERROR_EXTRA_BRACE, NO_TEXT, NO_TEXT);
            return;
        }
        s->out->open = 0;
        s->section_line = 0;
        s->key = s->out->statements[s->out->count - 1].name;
        s->value = NO_TEXT;
        break;
    case A_TEXT:
    case AFTER_TEXT:
        if (s->value.p == NULL) {
            judge(s, USE_TEXTS, s->value);
            *s->brace = NO_VALUES;
            *s->p = ' ';
        } else if (is_template(s)) {
            fail(s, ERROR_NEEDS_QUOTES, unquoted(s, s->brace, false), span_of(s->brace, 1));
        }
        s->value = span_of(s->p, 0);
        s->value_is_word = false;
        s->brace_line = 0;
        s->expected = A_NAME;
        break;
    default:
        fail_after_name(s);
    }
    s->p++;
}

/* Ends the scan at a comma between two texts that are in no braces. */
static void fail_at_comma(struct scanner *s)
{
    struct span whole = unquoted(s, s->value.p, true), second = next_text(s);
    fail(s, ERROR_SEVERAL_TEXTS, s->value, second);
    if (s->value_is_word && second.p < whole.p + whole.n)
        s->out->fault.whole = whole;
}

/* Scans a "," or another sign that no word contains. */
static void scan_sign(struct scanner *s, struct span sign)
{
    bool is_comma = *s->p == ',', is_semicolon = *s->p == ';';
    bool is_quoted = s->p + 1 < s->end && is_in(s->p[1], "\"'");
    bool is_behind_value = s->value.p != NULL && s->value_line == s->line;
    char next = next_byte(s, s->p + 1, false);
    switch (s->expected) {
    case A_NAME:
        if (is_comma && s->value_is_word && s->value.n > 0 && s->value.p[0] == '[')
            fail(s, ERROR_BRACKETS, span_cstr("]"), span_cstr("["));
        else if (is_comma && s->value.n > 0 && next_text(s).p != NULL)
            fail_at_comma(s);
        else if (!is_comma && !is_semicolon && is_behind_value && s->value_is_word)
            fail(s, ERROR_NEEDS_QUOTES, unquoted(s, s->value.p, true), sign);
        else if (is_semicolon && !is_behind_value && next != '\0' && !is_in(next, "\n\r}"))
            fail(s, ERROR_COMMENT, NO_TEXT, sign);
        else
            fail(s, s->key.n > 0 ? ERROR_SEPARATOR : ERROR_NO_NAME_OF_KEY, NO_TEXT, sign);
        return;
    case AFTER_NAME:
    case AFTER_TITLE:
        if (*s->p == '+' && s->p[1] == '=')
            fail(s, ERROR_PLUS_EQUALS, NO_TEXT, NO_TEXT);
        else if (*s->p == '(' && s->expected == AFTER_NAME && next_text(s).p != NULL)
            fail(s, ERROR_SIGN_BEFORE_BRACE, next_text(s), sign);
        else if (next_byte(s, s->p + 1, true) == '{')
            fail(s, ERROR_SIGN_BEFORE_BRACE, s->title, sign);
        else
            fail_after_name(s);
        return;
    case A_VALUE:
        if (*s->p == '(' && is_quoted)
            fail(s, ERROR_BRACKETS, span_cstr(")"), sign);
        else if (is_comma || is_semicolon)
            fail_after_name(s);
        else
            fail(s, ERROR_NEEDS_QUOTES, unquoted(s, s->p, true), sign);
        return;
    case A_TEXT:
        if (is_comma)
            fail(s, ERROR_LONE_COMMA, NO_TEXT, NO_TEXT);
        else if (*s->p == '(' && is_quoted)
            fail(s, ERROR_BRACKETS, span_cstr(")"), sign);
        else
            fail(s, ERROR_NEEDS_QUOTES, unquoted(s, s->p, false), sign);
        return;
    case AFTER_TEXT:
        if (!is_comma)
            fail(s, *s->p == '(' ? ERROR_COMMENT_OUTSIDE : ERROR_SIGN_IN_BRACES, NO_TEXT, sign);
        s->p += is_comma ? 1 : 0;
        s->expected = A_TEXT;
    }
}

static void scan_token(struct scanner *s)
{
    char c = *s->p;
    struct span sign = span_of(s->p, 1);
    if (c == '"' || c == '\'') {
        scan_quoted(s);
    } else if (c == '{') {
        scan_opening(s, sign);
    } else if (c == '}') {
        scan_closing(s);
    } else if (c == '=') {
        scan_equals(s, sign);
    } else if (c == '#' || (c == '/' && s->p[1] == '/')) {
        bool is_at_word =
            s->value.n > 0 && s->value_is_word && s->value.p + s->value.n == s->p && c == '#';
        if (is_at_word && s->out->cut.remark == REMARK_NONE) {
            bool is_item = s->expected == AFTER_TEXT;
            fail(s, is_item ? ERROR_ITEM_NEEDS_QUOTES : HINT_CUT, is_item ? NO_TEXT : s->value,
                 span_cstr("#"));
            s->out->cut = s->out->fault;
            s->out->fault.remark = REMARK_NONE;
        }
        while (s->p < s->end && *s->p != '\n')
            *s->p++ = ' ';
    } else if (c == '/' && s->p[1] == '*') {
        fail(s, ERROR_COMMENT, NO_TEXT, span_of(s->p, 2));
    } else if (ascii_is_space(c)) {
        s->line += c == '\n' ? 1 : 0;
        s->p++;
    } else if (is_word_byte(c)) {
        scan_word(s);
    } else {
        scan_sign(s, sign);
    }
}

/* Checks that the text ends after a statement. */
static void check_end(struct scanner *s)
{
    if (s->expected == AFTER_NAME || s->expected == AFTER_TITLE || s->expected == A_VALUE)
        fail_after_name(s);
    else if (s->expected != A_NAME)
        fail_at(s, s->brace_line, ERROR_OPEN_TEXTS, s->value, NO_TEXT);
    else if (s->out->open > 0) {
        s->key = s->out->statements[s->out->count - 1].name;
        fail_at(s, s->section_line, ERROR_OPEN_BRACE, NO_TEXT, NO_TEXT);
        if (s->out->cut.remark == ERROR_ITEM_NEEDS_QUOTES)
            s->out->fault = s->out->cut;
    }
}

void scan_text(struct scan *scan, char *text, size_t length)
{
    struct scanner s = {.out = scan, .p = text, .end = text + length, .line = scan->lines + 1};
    if (length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) /* a byte order mark */
        memset(text, ' ', 3);
    if (scan->fault.remark == REMARK_NONE) {
        scan->fault.remark = lines_fault(span_of(text, length), &scan->fault.line);
        scan->fault.line += scan->lines;
    }
    while (scan->fault.remark == REMARK_NONE && s.p < s.end)
        scan_token(&s);
    if (scan->fault.remark == REMARK_NONE)
        check_end(&s);
    scan->is_whole = scan->fault.remark == REMARK_NONE;
    if (s.judged.remark != REMARK_NONE)
        scan->fault = s.judged;
    scan->lines = s.line;
    scan->texts++;
}

/* scan - see scan.h */
#include "config/read/scan.h"

#include "config/read/faults.h"
#include "config/read/report.h"
#include "text/ascii.h"
#include "text/utf8.h"

#include <string.h>

/* The places of the grammar. */
enum position {
    AT_NAME,     /* or at the "}" of a section, or at the end */
    AFTER_NAME,  /* "=", "{" or a title */
    AFTER_TITLE, /* "{" */
    AT_VALUE,    /* a text or "{" */
    AT_TEXT,     /* in the braces of a value: a text or "}" */
    AFTER_TEXT   /* "," or "}" */
};

#define WORD   'w'
#define QUOTED '"'

struct token {
    char kind;        /* WORD, QUOTED, or the sign; NUL: the end */
    struct span text; /* without quotes */
    int line;
};

struct scanner {
    struct scan *out;
    const char *p, *end;      /* p is after the last token */
    int line;                 /* of it */
    enum position place;      /* where the next one is */
    struct token section;     /* the name of the one that is open, or no text */
    struct token key;         /* the last name; that of a section after its end */
    struct token title;       /* after the key, or no text */
    struct token value;       /* the last text of that key; text.p is NULL: none yet */
    struct token brace;       /* that opens the braces of a value */
    struct span words_key;    /* see struct scan_fault; of the key before */
    const char *words;        /* or NULL */
    struct scan_fault judged; /* of an item */
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

static char byte_at(const struct scanner *s, const char *p)
{
    return p < s->end ? *p : '\0';
}

/* Returns the byte after blanks on this line, or after line ends, too; at the end, a NUL. */
static char next_byte(const struct scanner *s, bool with_lines)
{
    const char *p = s->p;
    while (p < s->end && (ascii_is_blank(*p) || (with_lines && ascii_is_space(*p))))
        p++;
    return byte_at(s, p);
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

/* Returns the text after a colon that stands in the place of "=", unless it is in brackets. */
static struct span text_after_colon(const struct scanner *s, const char *p)
{
    while (is_in(byte_at(s, p), ":= \t"))
        p++;
    if (is_in(byte_at(s, p), "{[("))
        return NO_TEXT;
    if (!is_in(byte_at(s, p), "\"'"))
        return unquoted(s, p, true);
    struct span rest = span_of(p + 1, (size_t)(s->end - p - 1));
    return span_sub(rest, 0, span_find(rest, *p));
}

/* ---- errors ---- */

/* Ends the scan with a fault at a line. */
static void fail_at(struct scanner *s, int line, enum remark remark, struct span text,
                    struct span sign)
{
    bool is_item = remark == ERROR_NEEDS_QUOTES && s->place == AT_TEXT;
    s->out->fault =
        (struct scan_fault){.remark = is_item ? ERROR_ITEM_NEEDS_QUOTES : remark,
                            .line = line,
                            .section = s->section.text,
                            .key = s->key.text,
                            .text = text,
                            .sign = sign,
                            .words_key = s->words_key,
                            .words = s->words != NULL ? unquoted(s, s->words, true) : NO_TEXT,
                            .first_line = s->section.line};
}

/* Ends the scan with a fault of the token at hand. */
static void fail(struct scanner *s, enum remark remark, struct span text, struct span sign)
{
    fail_at(s, s->line, remark, text, sign);
}

/* Ends the scan where a name has no value, or a text but neither "=" nor "{". */
static void fail_after_name(struct scanner *s)
{
    fail_at(s, s->key.line, s->place == AFTER_TITLE ? ERROR_NO_EQUALS : ERROR_NO_VALUE,
            s->title.text, NO_TEXT);
}

/* ---- tokens ---- */

/* Refuses a word that cannot be taken as it stands, with the byte after it. */
static void refuse_word(struct scanner *s, struct span word)
{
    bool is_value = s->place == AT_VALUE || s->place == AT_TEXT;
    bool is_ascii = span_is_printable_ascii(word), is_bracket = span_eq(word, span_cstr("["));
    char next = byte_at(s, s->p);
    for (size_t i = 0; !is_ascii && i < word.n;) {
        struct span rest = span_sub(word, i, word.n);
        struct span character = span_sub(rest, 0, utf8_length(rest));
        const char *name = blank_name(character);
        if (name != NULL && s->place == AT_NAME && s->value.line != s->line)
            s->key.text = NO_TEXT;
        if (name != NULL || is_foreign_quote(character)) {
            fail(s, name != NULL ? ERROR_ODD_BLANK : ERROR_FOREIGN_QUOTE, NO_TEXT,
                 name != NULL ? span_cstr(name) : character);
            return;
        }
        i += character.n;
    }
    if (s->p[-1] == '$' && next == '{')
        fail(s, ERROR_ENVIRONMENT, unquoted(s, s->p + 1, false), NO_TEXT);
    else if (is_value && (is_bracket || (span_eq(word, span_cstr("<")) && is_in(next, "\"'"))))
        fail(s, ERROR_BRACKETS, span_cstr(is_bracket ? "]" : ">"), word);
    else if (is_in(next, "\"'"))
        fail(s, is_value || s->place == AT_NAME ? ERROR_QUOTE_INSIDE : ERROR_NO_EQUALS, NO_TEXT,
             NO_TEXT);
    else if (is_value && (!is_ascii || is_in(next, "()+*{") || (next == '=' && !is_name(word))))
        fail(s, ERROR_NEEDS_QUOTES, unquoted(s, word.p, false),
             is_ascii ? span_of(s->p, 1) : span_cstr("a letter that is not ASCII"));
}

/* Scans a text in quotes, which ends on its line. */
static struct token scan_quoted(struct scanner *s)
{
    const char *begin = s->p++;
    while (byte_at(s, s->p) != *begin) {
        char next = byte_at(s, s->p + 1);
        if (s->p == s->end || *s->p == '\n') {
            fail(s, ERROR_OPEN_QUOTE, NO_TEXT, NO_TEXT);
            return (struct token){QUOTED, NO_TEXT, s->line};
        }
        if (*begin == '"' && *s->p == '$' && next == '{') {
            fail(s, ERROR_ENVIRONMENT, unquoted(s, s->p + 2, false), NO_TEXT);
            return (struct token){QUOTED, NO_TEXT, s->line};
        }
        s->p += *s->p == '\\' && next != '\0' && next != '\n' ? 2 : 1;
    }
    s->p++;
    return (struct token){QUOTED, span_of(begin + 1, (size_t)(s->p - begin) - 2), s->line};
}

/* Skips a comment, and remembers one right after a word: its "#" may be meant. */
static void skip_comment(struct scanner *s)
{
    bool is_item = s->place == AFTER_TEXT, is_word = s->value.kind == WORD && s->value.text.n > 0;
    if (is_word && s->value.text.p + s->value.text.n == s->p && *s->p == '#' &&
        s->out->cut.remark == REMARK_NONE) {
        fail(s, is_item ? ERROR_ITEM_NEEDS_QUOTES : HINT_CUT, is_item ? NO_TEXT : s->value.text,
             span_cstr("#"));
        s->out->cut = s->out->fault;
        s->out->fault.remark = REMARK_NONE;
    }
    while (s->p < s->end && *s->p != '\n')
        s->p++;
}

/* Skips what is between tokens. */
static void skip_blanks(struct scanner *s)
{
    for (; s->p < s->end; s->p++) {
        char next = byte_at(s, s->p + 1);
        if (*s->p == '#' || (*s->p == '/' && next == '/'))
            skip_comment(s);
        else if (*s->p == '/' && next == '*')
            fail(s, ERROR_COMMENT, NO_TEXT, span_of(s->p, 2));
        if (s->p == s->end || !ascii_is_space(*s->p))
            return;
        s->line += *s->p == '\n' ? 1 : 0;
    }
}

static struct token next_token(struct scanner *s)
{
    skip_blanks(s);
    const char *begin = s->p;
    if (begin == s->end || s->out->fault.remark != REMARK_NONE)
        return (struct token){'\0', span_of(begin, 0), s->line};
    if (is_in(*begin, "\"'"))
        return scan_quoted(s);
    if (!is_word_byte(*begin))
        return (struct token){*begin, span_of(s->p++, 1), s->line};
    while (s->p < s->end && is_word_byte(*s->p))
        s->p++;
    struct span word = span_of(begin, (size_t)(s->p - begin));
    refuse_word(s, word);
    return (struct token){WORD, word, s->line};
}

/* Returns the text that comes next, if it belongs to the same key. */
static struct span next_text(const struct scanner *s)
{
    struct scan unheard = {.take = NULL};
    struct scanner look = *s;
    struct token token;
    look.out = &unheard;
    do
        token = next_token(&look);
    while (token.kind == ',' || token.kind == '(');
    char next = next_byte(&look, false), last = token.text.n > 0 ? look.p[-1] : ':';
    if (token.kind == QUOTED)
        return is_in(next, "=:") ? NO_TEXT : token.text;
    bool is_text = token.kind == WORD && last != ':' &&
                   (is_in(next, "\n\r,)}") || (look.line == s->line && !is_in(next, "=:{\"'")));
    return is_text ? token.text : NO_TEXT;
}

/* ---- items ---- */

/* Gives an item to the caller. */
static void take(struct scanner *s, enum scan_kind kind, struct token token, int line)
{
    bool is_quoted = token.kind == QUOTED && token.text.p != NULL;
    bool is_first = kind == SCAN_FIRST_TEXT || kind == SCAN_NO_TEXT;
    struct span text = is_quoted ? span_of(token.text.p - 1, token.text.n + 2) : token.text;
    const struct scan_item item = {kind, s->section.text, s->key.text, text, s->key.line, line};
    enum remark remark = s->out->take(&item, s->out->of_caller);
    if (remark == REMARK_NONE || s->judged.remark != REMARK_NONE)
        return;
    fail_at(s, remark == ERROR_KEY_TWICE ? line : s->key.line, remark, token.text,
            is_first ? next_text(s) : NO_TEXT);
    bool is_in_brace = s->brace.text.p != NULL && token.text.p == s->brace.text.p + 1;
    if (is_first && is_in_brace && byte_at(s, s->p) == '}')
        s->out->fault.whole = unquoted(s, s->brace.text.p, false);
    s->judged = s->out->fault;
    s->out->fault.remark = REMARK_NONE;
}

static void take_value(struct scanner *s, struct token token)
{
    enum scan_kind kind = s->place == AT_VALUE      ? SCAN_TEXT
                          : s->value.text.p == NULL ? SCAN_FIRST_TEXT
                                                    : SCAN_NEXT_TEXT;
    s->value = token;
    take(s, kind, token, s->line);
    s->place = s->place == AT_VALUE ? AT_NAME : AFTER_TEXT;
}

static void begin_section(struct scanner *s)
{
    if (s->section.text.n > 0) {
        fail(s, ERROR_SECTION_INSIDE, NO_TEXT, NO_TEXT);
        return;
    }
    take(s, SCAN_SECTION, s->title, s->key.line);
    s->section = s->key;
    s->key.text = NO_TEXT;
    s->place = AT_NAME;
}

static void end_section(struct scanner *s)
{
    s->key = s->section;
    if (s->section.text.n == 0) {
        fail(s, ERROR_EXTRA_BRACE, NO_TEXT, NO_TEXT);
        return;
    }
    s->value.text = NO_TEXT;
    take(s, SCAN_END, s->value, s->line);
    s->section = (struct token){WORD, NO_TEXT, 0};
}

/* ---- what is at each place ---- */

/* True if the word follows the closing quote of a value at once: 'The team's'. */
static bool is_glued(const struct scanner *s, struct token token)
{
    return token.kind == WORD && s->value.kind == QUOTED && s->value.text.n > 0 &&
           s->value.text.p + s->value.text.n + 1 == token.text.p;
}

/* Takes a word where a name is expected. */
static void take_name(struct scanner *s, struct token word)
{
    struct span text = word.text;
    size_t colon = span_find(text, ':');
    bool has_value = s->value.text.p != NULL;
    bool is_behind = has_value && s->value.kind == WORD && s->value.line == s->line;
    s->words = is_behind || is_glued(s, word) ? s->value.text.p : NULL;
    s->words_key = s->key.text;
    if (span_eq(text, span_cstr("--")) || (text.n == 1 && is_in(text.p[0], "%!"))) {
        fail(s, ERROR_COMMENT, NO_TEXT, text);
    } else if (text.p[0] == '[') {
        size_t dot = span_find(text, '.');
        s->key.text = NO_TEXT;
        fail(s, ERROR_INI, dot < text.n ? span_sub(text, 1, span_find(text, ']') - 1) : NO_TEXT,
             NO_TEXT);
    } else if (has_value && text.n == 1 && !is_name(text)) {
        fail(s, ERROR_SEPARATOR, NO_TEXT, text);
    } else if (!is_name(span_sub(text, 0, 1)) && (unsigned char)text.p[0] < 0x80) {
        s->key.text = NO_TEXT;
        fail(s, ERROR_NO_NAME_OF_KEY, NO_TEXT, text);
    } else {
        s->key = (struct token){WORD, span_sub(text, 0, colon), s->line};
        s->place = AFTER_NAME;
        s->value.text = s->title.text = NO_TEXT;
        s->p = text.p + colon; /* what is after the name is the next token */
    }
}

/* Refuses a sign where a name is expected. */
static void fail_at_sign(struct scanner *s, struct token sign)
{
    struct span value = s->value.text, second = next_text(s);
    bool is_separator = is_in(sign.kind, ",;"), is_word = value.n > 0 && s->value.kind == WORD;
    bool is_behind_value = value.p != NULL && s->value.line == s->line;
    char next = next_byte(s, false);
    if (sign.kind == ',' && is_word && value.p[0] == '[') {
        fail(s, ERROR_BRACKETS, span_cstr("]"), span_cstr("["));
    } else if (sign.kind == ',' && value.n > 0 && second.p != NULL) {
        struct span whole = unquoted(s, value.p, true);
        fail(s, ERROR_SEVERAL_TEXTS, value, second);
        if (is_word && second.p < whole.p + whole.n)
            s->out->fault.whole = whole;
    } else if (!is_separator && is_behind_value && is_word) {
        fail(s, ERROR_NEEDS_QUOTES, unquoted(s, value.p, true), sign.text);
    } else if (sign.kind == ';' && !is_behind_value && next != '\0' && !is_in(next, "\n\r}")) {
        fail(s, ERROR_COMMENT, NO_TEXT, sign.text);
    } else {
        fail(s, s->key.text.n > 0 ? ERROR_SEPARATOR : ERROR_NO_NAME_OF_KEY, NO_TEXT, sign.text);
    }
}

static void at_name(struct scanner *s, struct token token)
{
    struct span value = s->value.text;
    char next = next_byte(s, false);
    if (token.kind == WORD) {
        take_name(s, token);
    } else if (token.kind == QUOTED && value.n > 0 && !is_in(next, "=:{")) {
        fail(s, ERROR_SEVERAL_TEXTS, value, token.text);
    } else if (token.kind == QUOTED) {
        s->key.text = NO_TEXT;
        fail(s, next == '{' ? ERROR_NO_NAME_OF_KEY : ERROR_QUOTED_KEY, token.text, token.text);
    } else if (token.kind == '}') {
        end_section(s);
    } else if (token.kind == '=' && value.p != NULL && s->value.kind == WORD) {
        fail_at(s, s->key.line, ERROR_NO_VALUE, NO_TEXT, NO_TEXT);
    } else if (token.kind == '=' && value.p != NULL) {
        fail(s, ERROR_TWO_EQUALS, NO_TEXT, token.text);
    } else if (is_in(token.kind, "={")) {
        fail(s, ERROR_NO_NAME_OF_KEY, value, token.text);
    } else if (token.kind != '\0') {
        fail_at_sign(s, token);
    } else if (s->section.text.n > 0) {
        s->key = s->section;
        s->section.text = NO_TEXT;
        fail_at(s, s->section.line, ERROR_OPEN_BRACE, NO_TEXT, NO_TEXT);
        if (s->out->cut.remark == ERROR_ITEM_NEEDS_QUOTES)
            s->out->fault = s->out->cut;
    }
}

static void after_name(struct scanner *s, struct token token)
{
    bool has_title = s->place == AFTER_TITLE, is_word = token.kind == WORD;
    bool is_text = is_word || token.kind == QUOTED, is_before_brace = next_byte(s, true) == '{';
    struct span first = token.kind == '(' && !has_title ? next_text(s) : NO_TEXT;
    if (token.kind == '{') {
        begin_section(s);
    } else if (token.kind == '=' && !has_title) {
        s->place = AT_VALUE;
        if (is_in(byte_at(s, s->p), "=>"))
            fail(s, ERROR_TWO_EQUALS, NO_TEXT, token.text);
    } else if (token.kind == '=' && !(is_before_brace && s->title.line == s->key.line)) {
        fail_at(s, s->key.line, ERROR_NO_VALUE, NO_TEXT, NO_TEXT);
    } else if (token.kind == '+' && byte_at(s, s->p) == '=') {
        fail(s, ERROR_PLUS_EQUALS, NO_TEXT, NO_TEXT);
    } else if (first.p != NULL) {
        fail(s, ERROR_PARENTHESES, first, token.text);
    } else if (is_word && !has_title && token.text.p[0] == ':') {
        fail(s, ERROR_COLON, text_after_colon(s, token.text.p), NO_TEXT);
    } else if (is_text && !has_title) {
        s->title = token;
        s->place = AFTER_TITLE;
    } else if (is_text && is_before_brace && !span_eq(token.text, span_cstr(":"))) {
        fail_at(s, s->key.line, ERROR_TWO_TITLES, s->title.text, token.text);
    } else if (token.kind != '}' && (is_before_brace || span_eq(token.text, span_cstr(":")))) {
        fail(s, ERROR_SIGN_BEFORE_BRACE, s->title.text, token.text);
    } else {
        fail_after_name(s);
    }
}

static void at_value(struct scanner *s, struct token token)
{
    bool is_in_braces = s->place == AT_TEXT, is_quoted = is_in(byte_at(s, s->p), "\"'");
    const char *sign = token.text.p;
    if (token.kind == WORD || token.kind == QUOTED) {
        take_value(s, token);
    } else if (token.kind == '{' && !is_in_braces) {
        s->brace = token;
        s->place = AT_TEXT;
    } else if (is_in(token.kind, "{=")) {
        fail(s,
             is_in_braces ? token.kind == '{' ? ERROR_BRACES_INSIDE : ERROR_SIGN_IN_BRACES
                          : ERROR_TWO_EQUALS,
             s->value.text, token.text);
    } else if (token.kind == '(' && is_quoted) {
        fail(s, ERROR_BRACKETS, span_cstr(")"), token.text);
    } else if (token.kind == ',' && is_in_braces) {
        fail(s, ERROR_LONE_COMMA, NO_TEXT, NO_TEXT);
    } else if (!is_in_braces && (token.kind == '\0' || is_in(token.kind, ",;}"))) {
        fail_after_name(s);
    } else {
        fail(s, ERROR_NEEDS_QUOTES, unquoted(s, sign, !is_in_braces), token.text);
    }
}

/* True if the "}" before p ends a bare word in braces, and more of the text follows at once. */
static bool is_template(const struct scanner *s)
{
    char next = byte_at(s, s->p);
    bool is_comment = next == '/' && is_in(byte_at(s, s->p + 1), "/*");
    return s->value.text.p == s->brace.text.p + 1 &&
           s->value.text.p + s->value.text.n == s->p - 1 && !is_comment &&
           is_in(next, "/@-+._{(=?&:%*");
}

static void end_texts(struct scanner *s)
{
    if (s->value.text.p == NULL)
        take(s, SCAN_NO_TEXT, s->value, s->brace.line);
    else if (is_template(s))
        fail(s, ERROR_NEEDS_QUOTES, unquoted(s, s->brace.text.p, false), s->brace.text);
    s->value = (struct token){QUOTED, span_of(s->p, 0), s->value.line};
    s->place = AT_NAME;
}

static void in_braces(struct scanner *s, struct token token)
{
    bool is_after = s->place == AFTER_TEXT, is_word = token.kind == WORD;
    bool is_sign = token.text.n == 1 && !is_name(token.text);
    bool is_next_key = token.kind == '='
                           ? s->value.kind == WORD && s->value.line > s->brace.line
                           : is_word && is_name(token.text) && s->line > s->brace.line &&
                                 is_in(next_byte(s, true), "={");
    if (token.kind == '}')
        end_texts(s);
    else if (token.kind == '\0' || (is_after && is_next_key))
        fail_at(s, s->brace.line, ERROR_OPEN_TEXTS, s->value.text, NO_TEXT);
    else if (!is_after)
        at_value(s, token);
    else if (token.kind == ',')
        s->place = AT_TEXT;
    else if (token.kind == '{')
        fail(s, ERROR_BRACES_INSIDE, s->value.text, token.text);
    else if (token.kind == QUOTED || (is_word && !is_sign))
        fail(s, is_glued(s, token) ? ERROR_QUOTE_INSIDE : ERROR_NO_COMMA, token.text, NO_TEXT);
    else
        fail(s, token.kind == '(' ? ERROR_COMMENT_OUTSIDE : ERROR_SIGN_IN_BRACES, NO_TEXT,
             token.text);
}

void scan_text(struct scan *scan, struct span text)
{
    const char *begin = text.n > 0 ? text.p : "";
    struct scanner s = {.out = scan, .p = begin, .end = begin + text.n, .line = 1};
    struct token token = {.kind = '{'};
    if (span_starts_nocase(text, span_cstr("\xEF\xBB\xBF"))) /* a byte order mark */
        s.p += 3;
    scan->fault.remark = lines_fault(text, &scan->fault.line);
    while (scan->fault.remark == REMARK_NONE && token.kind != '\0') {
        token = next_token(&s);
        if (scan->fault.remark != REMARK_NONE)
            break;
        else if (s.place == AT_NAME)
            at_name(&s, token);
        else if (s.place == AFTER_NAME || s.place == AFTER_TITLE)
            after_name(&s, token);
        else if (s.place == AT_VALUE)
            at_value(&s, token);
        else
            in_braces(&s, token);
    }
    scan->is_whole = scan->fault.remark == REMARK_NONE;
    if (s.judged.remark != REMARK_NONE)
        scan->fault = s.judged;
}

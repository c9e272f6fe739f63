/* alias_file - see alias_file.h */
#include "ctl/import/alias_file.h"

#include "config/files/read_file.h"
#include "text/array.h"
#include "text/ascii.h"
#include "text/cursor.h"
#include "text/strbuf.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>

#define TEXT_OF(number)  #number
#define MIB_TEXT(number) TEXT_OF(number) " MiB"

struct alias_reader {
    const struct alias_visitor *visitor;
    struct strbuf line;  /* an alias, without its line ends and comment lines */
    struct strbuf words; /* the name and the targets, one after the other */
    struct alias_target *targets;
    size_t capacity;
    size_t count;
};

/* ---- words ---- */

/* Steps over a comment; c stands behind its parenthesis. */
static void skip_comment(struct cursor *c)
{
    for (int depth = 1; depth > 0 && !cursor_at_end(c); c->p++) {
        if (*c->p == '\\' && c->p + 1 < c->end)
            c->p++;
        else if (*c->p == '(')
            depth++;
        else if (*c->p == ')')
            depth--;
    }
}

static void cut_blanks(struct strbuf *out, size_t from)
{
    while (out->len > from && ascii_is_blank(out->data[out->len - 1]))
        strbuf_truncate(out, out->len - 1);
}

/* "(" and "<" mean something in an address only. */
static bool begins_address(const struct cursor *c)
{
    struct span rest = cursor_rest(c);
    if (rest.n > 0 && rest.p[0] == '"')
        rest = span_sub(rest, 1, rest.n);
    return rest.n > 0 && rest.p[0] != '|' && rest.p[0] != '/' && rest.p[0] != ':';
}

/* Appends what stands before the next `stop` outside of quotes, with quotes undone, and steps over
 * it. false: there is no `stop`, all is taken. */
static bool take_word(struct cursor *c, char stop, struct strbuf *out)
{
    size_t from = out->len;
    bool quoted = false;
    while (!cursor_at_end(c) && ascii_is_blank(*c->p))
        c->p++;
    bool is_address = begins_address(c);
    while (!cursor_at_end(c)) {
        char octet = *c->p++;
        if (octet == '\\' && !cursor_at_end(c)) {
            strbuf_add_char(out, *c->p++);
        } else if (octet == '"') {
            quoted = !quoted;
        } else if (quoted) {
            strbuf_add_char(out, octet);
        } else if (octet == stop) {
            cut_blanks(out, from);
            return true;
        } else if (octet == '(' && is_address) {
            skip_comment(c);
        } else if (octet == '<' && is_address) {
            strbuf_truncate(out, from);
        } else if (octet != '>' || !is_address) {
            strbuf_add_char(out, octet);
        }
    }
    cut_blanks(out, from);
    return false;
}

static struct alias_target target_of(struct span word)
{
    static const char include[] = ":include:";
    size_t prefix = 0;
    enum alias_target_kind kind = ALIAS_ADDRESS;
    if (word.p[0] == '|') {
        kind = ALIAS_COMMAND;
        prefix = 1;
    } else if (word.p[0] == '/') {
        kind = ALIAS_MAILBOX_FILE;
    } else if (span_starts_nocase(word, span_cstr(include))) {
        kind = ALIAS_INCLUDE;
        prefix = sizeof include - 1;
    }
    return (struct alias_target){kind, span_trim(span_sub(word, prefix, word.n))};
}

/* ---- aliases ---- */

/* Adds a target whose text ends where r->words does; end_alias sets its address. */
static void add_target(struct alias_reader *r)
{
    r->targets = array_grow(r->targets, r->count, &r->capacity, sizeof *r->targets);
    r->targets[r->count++] = (struct alias_target){ALIAS_ADDRESS, span_of(NULL, r->words.len)};
}

/* Cuts r->line into r->words. Returns the end of the name, or 0 if the line is no alias. */
static size_t cut_alias(struct alias_reader *r)
{
    struct cursor c = cursor_of(strbuf_span(&r->line));
    strbuf_reset(&r->words);
    r->count = 0;
    bool has_colon = take_word(&c, ':', &r->words);
    size_t name_end = has_colon ? r->words.len : 0;
    while (has_colon && !cursor_at_end(&c)) {
        size_t before = r->words.len;
        take_word(&c, ',', &r->words);
        if (r->words.len > before)
            add_target(r);
    }
    return name_end;
}

/* Hands on the alias that r->line holds, if it holds one. */
static void end_alias(struct alias_reader *r, const char *file, int line)
{
    if (r->line.len == 0)
        return;
    size_t at = cut_alias(r);
    strbuf_reset(&r->line);
    if (at == 0) {
        r->visitor->fault(r->visitor->context, file, line, "is no alias (expected NAME: TARGET)");
        return;
    }
    struct span words = strbuf_span(&r->words);
    struct alias alias = {span_sub(words, 0, at), r->targets, r->count, file, line};
    for (size_t i = 0; i < r->count; i++) {
        size_t end = r->targets[i].text.n;
        r->targets[i] = target_of(span_sub(words, at, end - at));
        at = end;
    }
    r->visitor->alias(r->visitor->context, &alias);
}

static void read_lines(struct alias_reader *r, const char *file, struct span text)
{
    int begin = 0;
    for (int line = 1; text.n > 0; line++) {
        struct span one = span_sub(text, 0, span_find(text, '\n'));
        struct span trimmed = span_trim(one);
        text = span_sub(text, one.n + 1, text.n);
        if (trimmed.n == 0 || trimmed.p[0] == '#')
            continue;
        bool goes_on = ascii_is_blank(one.p[0]);
        if (goes_on && r->line.len == 0) {
            r->visitor->fault(r->visitor->context, file, line,
                              "goes on with an alias, but there is none");
            continue;
        }
        if (!goes_on) {
            end_alias(r, file, begin);
            begin = line;
        }
        strbuf_add_char(&r->line, ' ');
        strbuf_add_span(&r->line, trimmed);
    }
    end_alias(r, file, begin);
}

void alias_text_each(const char *file, struct span text, const struct alias_visitor *visitor)
{
    struct alias_reader r = {.visitor = visitor};
    read_lines(&r, file, text);
    strbuf_free(&r.line);
    strbuf_free(&r.words);
    free(r.targets);
}

void alias_file_each(const char *path, const struct alias_visitor *visitor)
{
    static const struct file_rules rules = {
        .octets_max = (size_t)ALIAS_FILE_MIB_MAX * 1024 * 1024,
        .too_large = "is too large (expected at most " MIB_TEXT(ALIAS_FILE_MIB_MAX) ")",
    };
    struct file_text file;
    if (!read_file(AT_FDCWD, path, &rules, &file)) {
        visitor->fault(visitor->context, path, 0, file.fault);
        return;
    }
    alias_text_each(path, span_of(file.text, file.length), visitor);
    free(file.text);
}

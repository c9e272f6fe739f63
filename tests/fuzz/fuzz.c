/* fuzz - see fuzz.h */
#include "fuzz.h"

#include "text/ascii.h"
#include "text/utf8.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* CPU seconds for inputs of more than SMALL bytes: a target reads each input several times, under
 * sanitizers. */
#define SMALL            4096
#define SECONDS          0.5
#define SECONDS_PER_BYTE 1e-6

#define DEEP 60 /* rules in one another; below them, the first alternative ends it */

struct block {
    struct block *next;
    char text[];
};

static struct block *blocks;
static struct span input;

/* ---- the grammar ---- */

const char *fuzz_any_rule(struct generator *g)
{
    size_t count = 0;
    while (fuzz_grammar[count] != NULL)
        count++;
    return fuzz_grammar[generated_number(g, count)];
}

static const char *rule_of(char name)
{
    for (size_t i = 0; fuzz_grammar[i] != NULL; i++)
        if (fuzz_grammar[i][0] == name)
            return fuzz_grammar[i];
    fuzz_require_text(false, "a rule of the grammar", span_of(&name, 1));
    return NULL;
}

/* Returns the end of the alternative that begins at text. */
static const char *end_of(const char *text)
{
    while (*text != '\0' && *text != '|')
        text += text[0] == '%' && text[1] != '\0' ? 2 : 1;
    return text;
}

static void expand(struct generator *g, const char *rule, int depth, struct strbuf *out)
{
    const char *text = rule + 2, *end = end_of(text);
    size_t count = 1;
    for (const char *at = end; *at == '|'; at = end_of(at + 1))
        count++;
    for (size_t n = depth > DEEP ? 0 : generated_number(g, count); n > 0; n--) {
        text = end + 1;
        end = end_of(text);
    }
    for (; text < end; text++) {
        if (*text != '%') {
            strbuf_add_char(out, *text);
        } else if (*++text == '%' || *text == '|') {
            strbuf_add_char(out, *text);
        } else if (*text == '*') {
            strbuf_add_char(out, (char)(unsigned char)generated_number(g, 256));
        } else if (*text == '+') {
            text++;
            for (size_t n = 10 + generated_number(g, 3) * generated_number(g, 1500); n > 0; n--)
                strbuf_add_char(out, *text);
        } else {
            expand(g, rule_of(*text), depth + 1, out);
        }
    }
}

void fuzz_make(struct generator *g, const char *rule, struct strbuf *out)
{
    expand(g, rule, 0, out);
}

/* ---- what is required ---- */

static void show(struct span text)
{
    for (size_t i = 0; i < text.n && i < 20000; i++) {
        if (text.p[i] >= 0x20 && text.p[i] < 0x7f && text.p[i] != '\\')
            fputc(text.p[i], stderr);
        else
            fprintf(stderr, "\\x%02X", (unsigned char)text.p[i]);
    }
    fputc('\n', stderr);
}

void fuzz_require_text(bool holds, const char *what, struct span text)
{
    if (holds)
        return;
    fprintf(stderr, "required: %s: ", what);
    show(text);
    fputs("input: ", stderr);
    show(input);
    abort();
}

void fuzz_require(bool holds, const char *what)
{
    fuzz_require_text(holds, what, span_of("", 0));
}

static char *block_of(size_t n)
{
    struct block *block = malloc(sizeof *block + n);
    fuzz_require(block != NULL, "memory for a copy of the input");
    block->next = blocks;
    blocks = block;
    return block->text;
}

struct span fuzz_own(struct span text)
{
    char *copy = block_of(text.n);
    if (text.n > 0)
        memcpy(copy, text.p, text.n);
    return span_of(copy, text.n);
}

const char *fuzz_own_cstr(struct span text)
{
    size_t n = span_find(text, '\0');
    char *copy = block_of(n + 1);
    if (n > 0)
        memcpy(copy, text.p, n);
    copy[n] = '\0';
    return copy;
}

static double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    double begin = cpu_seconds();
    input = span_of((const char *)data, size);
    fuzz_input(input);
    fuzz_require(size <= SMALL || cpu_seconds() - begin < SECONDS + SECONDS_PER_BYTE * (double)size,
                 "time in proportion to the input");
    while (blocks != NULL) {
        struct block *next = blocks->next;
        free(blocks);
        blocks = next;
    }
    return 0;
}

/* ---- parts of inputs ---- */

struct span fuzz_part(struct span *rest, char end)
{
    struct span part = span_sub(*rest, 0, span_find(*rest, end));
    *rest = span_sub(*rest, part.n + 1, rest->n);
    return part;
}

struct span fuzz_line(struct span *rest)
{
    return fuzz_part(rest, '\n');
}

struct span fuzz_word(struct span *text)
{
    size_t n = 0;
    while (n < text->n && text->p[n] == ' ')
        n++;
    *text = span_sub(*text, n, text->n);
    struct span word = span_sub(*text, 0, span_find(*text, ' '));
    *text = span_sub(*text, word.n, text->n);
    return word;
}

bool fuzz_value_of(struct span word, const char *key, struct span *value)
{
    size_t n = strlen(key);
    if (word.n <= n || memcmp(word.p, key, n) != 0 || word.p[n] != '=')
        return false;
    *value = span_sub(word, n + 1, word.n);
    return true;
}

struct span fuzz_value(struct span words, const char *key)
{
    struct span value = span_of("", 0), word;
    while ((word = fuzz_word(&words)).n > 0)
        (void)fuzz_value_of(word, key, &value);
    return value;
}

bool fuzz_has_word(struct span words, const char *word)
{
    struct span next;
    while ((next = fuzz_word(&words)).n > 0 && !span_eq(next, span_cstr(word))) {
    }
    return next.n > 0;
}

unsigned fuzz_number(struct span text)
{
    unsigned number = 0;
    for (size_t i = 0; i < text.n && i < 9 && ascii_is_digit(text.p[i]); i++)
        number = number * 10 + (unsigned)(text.p[i] - '0');
    return number;
}

void fuzz_require_bare(struct span text)
{
    for (size_t i = 0; i < text.n; i++)
        fuzz_require_text(span_trim(span_of(text.p + i, 1)).n == 1 && text.p[i] != '>',
                          "no white space, no bracket", text);
}

bool fuzz_is_text(struct span text)
{
    for (size_t i = 0; i < text.n; i++)
        if (ascii_is_control(text.p[i]))
            return false;
    return utf8_is_valid(text);
}

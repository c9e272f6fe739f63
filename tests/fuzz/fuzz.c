/* fuzz - see fuzz.h */
#include "fuzz.h"

#include "text/ascii.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* CPU seconds for inputs of more than SMALL bytes: a target reads each input several times, under
 * sanitizers. */
#define SMALL            4096
#define SECONDS          0.5
#define SECONDS_PER_BYTE 1e-6

struct block {
    struct block *next;
    char text[];
};

static struct block *blocks;

static void show(struct span text)
{
    for (size_t i = 0; i < text.n && i < 2000; i++) {
        if (text.p[i] >= 0x20 && text.p[i] < 0x7f)
            fputc(text.p[i], stderr);
        else
            fprintf(stderr, "\\x%02X", (unsigned char)text.p[i]);
    }
}

void fuzz_require_text(bool holds, const char *what, struct span text)
{
    if (holds)
        return;
    fprintf(stderr, "required: %s: ", what);
    show(text);
    fputc('\n', stderr);
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

static void forget(void)
{
    while (blocks != NULL) {
        struct block *next = blocks->next;
        free(blocks);
        blocks = next;
    }
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
    fuzz_input(data, size);
    fuzz_require(size <= SMALL || cpu_seconds() - begin < SECONDS + SECONDS_PER_BYTE * (double)size,
                 "time in proportion to the input");
    forget();
    return 0;
}

struct span fuzz_line(struct span *rest)
{
    struct span line = span_sub(*rest, 0, span_find(*rest, '\n'));
    *rest = span_sub(*rest, line.n + 1, rest->n);
    return line;
}

unsigned fuzz_number(struct span text)
{
    unsigned number = 0;
    for (size_t i = 0; i < text.n && i < 9 && ascii_is_digit(text.p[i]); i++)
        number = number * 10 + (unsigned)(text.p[i] - '0');
    return number;
}

bool fuzz_value_of(struct span word, const char *key, struct span *value)
{
    size_t n = strlen(key);
    if (word.n <= n || memcmp(word.p, key, n) != 0 || word.p[n] != '=')
        return false;
    *value = span_sub(word, n + 1, word.n);
    return true;
}

struct span fuzz_word(struct span *text)
{
    struct span word;
    size_t n = 0;
    while (n < text->n && text->p[n] == ' ')
        n++;
    *text = span_sub(*text, n, text->n);
    word = span_sub(*text, 0, span_find(*text, ' '));
    *text = span_sub(*text, word.n, text->n);
    return word;
}

static char octet_at(struct span s, size_t i)
{
    return i < s.n ? s.p[i] : '\0';
}

void fuzz_unfold(struct span value, struct strbuf *out)
{
    struct strbuf text = STRBUF_INIT;
    for (size_t i = 0; i < value.n; i++) {
        size_t end = i;
        while (octet_at(value, end) == '\r')
            end++;
        bool is_fold = octet_at(value, end) == '\n' && ascii_is_blank(octet_at(value, end + 1));
        i = is_fold ? end : i;
        for (; i < end; i++)
            strbuf_add_char(&text, '\r');
        if (i < value.n && !is_fold)
            strbuf_add_char(&text, value.p[i]);
    }
    strbuf_add_span(out, span_trim(strbuf_span(&text)));
    strbuf_free(&text);
}

static bool line_may_be_sent(struct span line)
{
    for (size_t i = 0; i < line.n; i++) {
        if ((line.p[i] < 0x20 || line.p[i] > 0x7e) && line.p[i] != '\t')
            return false;
    }
    return true;
}

bool fuzz_may_be_sent(struct span name, struct span value)
{
    struct span rest = value;
    size_t before = name.n + 2;
    for (;;) {
        struct span line = span_sub(rest, 0, span_find(rest, '\n'));
        if (!line_may_be_sent(line) || before + line.n > 998)
            return false;
        if (before == 0 && (span_trim(line).n == 0 || !ascii_is_blank(line.p[0])))
            return false;
        if (line.n == rest.n)
            return line_may_be_sent(name) && name.n + value.n <= 65000;
        rest = span_sub(rest, line.n + 1, rest.n);
        before = 0;
    }
}

void fuzz_base32(const unsigned char octets[20], char out[33])
{
    for (size_t i = 0; i < 32; i++) {
        unsigned five = 0;
        for (size_t bit = 5 * i; bit < 5 * i + 5; bit++)
            five = five << 1 | (octets[bit / 8] >> (7 - bit % 8) & 1);
        out[i] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"[five];
    }
    out[32] = '\0';
}

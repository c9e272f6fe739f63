/*
 * replay - runs a fuzz target once with each input that is kept, and says so in TAP
 *
 *   fuzz_NAME [FILE]...          without files: the inputs in tests/fuzz/corpus/NAME
 *
 * For compilers without libFuzzer.  After each input its variants are run, which are the same each
 * time.  A target ends the program when something is wrong, so what is about to be run is said
 * before.  tests/lib/sections.py says how a corpus is written.
 */
#include "fuzz.h"

#include "../unit/generated.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VARIANTS 200
#define GROWTH   64 /* at most so many octets more than the input */

static size_t done;

static int fail(const char *what, const char *name)
{
    printf("Bail out! %s: %s\n", name, what);
    return 99;
}

/* Reads a file whole, into a block of exactly its size. */
static bool read_file(const char *path, uint8_t **data, size_t *size)
{
    FILE *file = fopen(path, "rb");
    long end;
    bool read = false;
    *data = NULL;
    if (file == NULL)
        return false;
    if (fseek(file, 0, SEEK_END) == 0 && (end = ftell(file)) >= 0 &&
        fseek(file, 0, SEEK_SET) == 0) {
        *size = (size_t)end;
        *data = malloc(*size > 0 ? *size : 1);
        read = *data != NULL && fread(*data, 1, *size, file) == *size;
    }
    fclose(file);
    return read;
}

/* Replaces an octet, doubles a piece or removes one; room has GROWTH octets more than *size. */
static void vary(struct generator *g, uint8_t *data, size_t *size)
{
    size_t at = generated_number(g, *size), n = 1 + generated_number(g, GROWTH / 4);
    n = n < *size - at ? n : *size - at;
    switch (generated_number(g, 3)) {
    case 0:
        data[at] = generated_number(g, 2) == 0 ? data[generated_number(g, *size)]
                                               : (uint8_t)generated_number(g, 256);
        break;
    case 1:
        memmove(data + at + n, data + at, *size - at);
        *size += n;
        break;
    default:
        memmove(data + at, data + at + n, *size - at - n);
        *size -= n;
    }
}

static void run_variants(const uint8_t *data, size_t size)
{
    struct generator g = {4711};
    for (int i = 0; i < VARIANTS; i++) {
        uint8_t *variant = malloc(size + GROWTH), *exact;
        size_t n = size;
        if (variant == NULL)
            abort();
        memcpy(variant, data, size);
        for (size_t steps = 1 + generated_number(&g, 4); steps > 0 && n > 0; steps--)
            vary(&g, variant, &n);
        exact = realloc(variant, n > 0 ? n : 1);
        LLVMFuzzerTestOneInput(exact, n);
        free(exact);
    }
}

static void run(const uint8_t *data, size_t size, struct span name)
{
    printf("# %.*s, %zu octets\n", (int)name.n, name.p, size);
    fflush(stdout);
    LLVMFuzzerTestOneInput(data, size);
    run_variants(data, size);
    printf("ok %zu - %.*s\n", ++done, (int)name.n, name.p);
}

static int replay_file(const char *path)
{
    const char *slash = strrchr(path, '/');
    uint8_t *data;
    size_t size;
    if (!read_file(path, &data, &size)) {
        free(data);
        return fail("cannot be read", path);
    }
    run(data, size, span_cstr(slash != NULL ? slash + 1 : path));
    free(data);
    return 0;
}

/* Takes what stands behind a backslash off *rest, and appends the octet that is meant. */
static bool unescape(struct span *rest, uint8_t *out, size_t *n)
{
    char code = rest->n > 0 ? rest->p[0] : '\0';
    char digits[3] = "";
    *rest = span_sub(*rest, 1, rest->n);
    if (code == 'x' && rest->n >= 2) {
        memcpy(digits, rest->p, 2);
        *rest = span_sub(*rest, 2, rest->n);
        out[(*n)++] = (uint8_t)strtoul(digits, NULL, 16);
        return strspn(digits, "0123456789abcdef") == 2;
    }
    if (code == 'r' || code == '\\')
        out[(*n)++] = code == 'r' ? '\r' : '\\';
    return code == 'r' || code == '\\' || code == '\n';
}

static bool run_section(struct span name, struct span text, bool escaped)
{
    uint8_t *octets = malloc(text.n + 1);
    uint8_t *exact;
    size_t n = 0;
    while (octets != NULL && text.n > 0) {
        char c = text.p[0];
        text = span_sub(text, 1, text.n);
        if (!escaped || c != '\\') {
            octets[n++] = (uint8_t)c;
        } else if (!unescape(&text, octets, &n)) {
            free(octets);
            return false;
        }
    }
    /* A sanitizer is to see what is read behind the input. */
    exact = realloc(octets, n > 0 ? n : 1);
    if (exact == NULL)
        return false;
    run(exact, n, name);
    free(exact);
    return true;
}

static int replay_corpus(const char *path)
{
    const struct span mark = span_cstr(", escaped");
    uint8_t *data;
    size_t size;
    struct span rest;
    int result = 0;
    if (!read_file(path, &data, &size) || size == 0) {
        free(data);
        return fail("no inputs", path);
    }
    rest = span_of((const char *)data, size);
    while (result == 0 && rest.n > 0) {
        struct span head = fuzz_line(&rest);
        struct span text = rest;
        bool escaped = span_ends_nocase(head, mark);
        while (rest.n > 0 && !span_starts_nocase(rest, span_cstr("==")))
            fuzz_line(&rest);
        text.n -= rest.n;
        if (!span_starts_nocase(head, span_cstr("== ")) ||
            !run_section(span_sub(head, 3, head.n - 3 - (escaped ? mark.n : 0)), text, escaped))
            result = fail("no section that can be read", path);
    }
    free(data);
    return result;
}

int main(int argc, char **argv)
{
    const char *slash = strrchr(argv[0], '/');
    const char *name = slash != NULL ? slash + 1 : argv[0];
    const char *top = getenv("TOP_SRCDIR");
    char path[4096];
    int result = 0;
    if (argc == 1) {
        if (top == NULL || strncmp(name, "fuzz_", 5) != 0)
            return fail("no files are named, and TOP_SRCDIR is not set", name);
        snprintf(path, sizeof path, "%s/tests/fuzz/corpus/%s", top, name + 5);
        result = replay_corpus(path);
    }
    for (int i = 1; i < argc && result == 0; i++)
        result = replay_file(argv[i]);
    if (result == 0)
        printf("1..%zu\n", done);
    return result;
}

/*
 * main - gives a fuzz target inputs of its grammar, and says so in TAP
 *
 *   fuzz_NAME [FILE]...          without files: ROUNDS inputs, the same each time, unless SEED is
 * set
 *
 * For compilers without libFuzzer. An input is read as it was made, and in variants of it. A target
 * ends the program if something is wrong; before, it prints the input.
 */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS   1500
#define VARIANTS 3
#define STEP     250 /* rounds of a line */

/* Replaces a byte, doubles a piece or removes one, or puts one of a rule at a place. */
static void vary(struct generator *g, struct strbuf *text)
{
    struct strbuf old = *text;
    size_t at = generated_number(g, old.len + 1), n = 1 + generated_number(g, 16);
    struct span before = span_sub(strbuf_span(&old), 0, at);
    struct span after = span_sub(strbuf_span(&old), at, old.len), piece = span_sub(after, 0, n);
    *text = (struct strbuf)STRBUF_INIT;
    strbuf_add_span(text, before);
    switch (generated_number(g, 4)) {
    case 0:
        strbuf_add_char(text, (char)(unsigned char)generated_number(g, 256));
        after = span_sub(after, 1, after.n);
        break;
    case 1:
        strbuf_add_span(text, piece);
        break;
    case 2:
        after = span_sub(after, piece.n, after.n);
        break;
    default:
        fuzz_make(g, fuzz_any_rule(g), text);
    }
    strbuf_add_span(text, after);
    strbuf_free(&old);
}

/* The input lies in a block of its size, so that a sanitizer sees what is read after it. */
static void run(struct span text)
{
    uint8_t *exact = malloc(text.n > 0 ? text.n : 1);
    if (exact == NULL)
        abort();
    if (text.n > 0)
        memcpy(exact, text.p, text.n);
    LLVMFuzzerTestOneInput(exact, text.n);
    free(exact);
}

static void run_rounds(uint64_t seed)
{
    struct generator g = {seed};
    (void)generated_number(&g, 2);
    for (int round = 0; round < ROUNDS; round++) {
        struct strbuf text = STRBUF_INIT;
        fuzz_make(&g, fuzz_grammar[0], &text);
        run(strbuf_span(&text));
        for (int i = 0; i < VARIANTS; i++) {
            vary(&g, &text);
            run(strbuf_span(&text));
        }
        strbuf_free(&text);
        if (round % STEP == STEP - 1) {
            printf("ok %d - seed %llu, up to round %d\n", round / STEP + 1,
                   (unsigned long long)seed, round);
            fflush(stdout);
        }
    }
    printf("1..%d\n", ROUNDS / STEP);
}

static bool run_file(const char *path)
{
    struct strbuf text = STRBUF_INIT;
    char buffer[4096];
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return false;
    for (size_t n; (n = fread(buffer, 1, sizeof buffer, file)) > 0;)
        strbuf_add(&text, buffer, n);
    fclose(file);
    run(strbuf_span(&text));
    strbuf_free(&text);
    return true;
}

int main(int argc, char **argv)
{
    const char *seed = getenv("SEED");
    if (argc == 1)
        run_rounds(seed != NULL && strtoull(seed, NULL, 10) > 0 ? strtoull(seed, NULL, 10) : 1);
    for (int i = 1; i < argc; i++) {
        if (!run_file(argv[i])) {
            fprintf(stderr, "%s: cannot be read\n", argv[i]);
            return 99;
        }
    }
    return 0;
}

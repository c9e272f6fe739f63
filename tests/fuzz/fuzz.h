/*
 * fuzz - inputs that a grammar makes, and what targets have in common
 *
 * A target is a program with fuzz_grammar and fuzz_input(), which takes an input apart, calls the
 * code under test and requires what must hold for every input. main.c gives it inputs of the
 * grammar and variants of them (`make check`); libFuzzer looks for others (`make fuzz`), by grow.c.
 * One thread.
 */
#ifndef MLMILTER_TESTS_FUZZ_H
#define MLMILTER_TESTS_FUZZ_H

#include "../unit/generated.h"
#include "text/span.h"
#include "text/strbuf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The rules of an input, up to NULL: "NAME=ALTERNATIVE|ALTERNATIVE...". The first one is the input.
 * In an alternative %N is one of rule N; %%, %|, %*, and %+ are "%", "|", any byte, and 10 to 3,000
 * times the byte that follows. The first alternative of a rule that names itself does not. */
extern const char *const fuzz_grammar[];

/* The target. The input lies in a block of its size, so that a sanitizer sees what is read after
 * it. */
void fuzz_input(struct span input);

/* Appends one of a rule. */
void fuzz_make(struct generator *g, const char *rule, struct strbuf *out);

/* Returns a rule. */
const char *fuzz_any_rule(struct generator *g);

/* Calls the target, then frees what fuzz_own made. Requires that a large input takes no more CPU
 * time than a linear reader needs. The name is libFuzzer's. Always 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Ends the program, which is how a fuzzer notices, unless `holds`; says what was required. */
void fuzz_require(bool holds, const char *what);

/* The same, and shows the text that is about it. */
void fuzz_require_text(bool holds, const char *what, struct span text);

/* A copy in a block of its own, so that a sanitizer sees each byte that is read after it. Lives
 * until the target returns. */
struct span fuzz_own(struct span text);

/* The same as a C string, which ends before the first NUL of text. */
const char *fuzz_own_cstr(struct span text);

/* Returns what stands before the next `end` in *rest, or all of it; *rest is what follows. */
struct span fuzz_part(struct span *rest, char end);

/* Returns the next line of *rest without its LF. */
struct span fuzz_line(struct span *rest);

/* Returns the next word of *text, which one blank or more end; it is empty at the end. */
struct span fuzz_word(struct span *text);

/* True if word is "KEY=VALUE"; sets *value. */
bool fuzz_value_of(struct span word, const char *key, struct span *value);

/* Returns the VALUE of the last "KEY=VALUE" among words, or an empty one. */
struct span fuzz_value(struct span words, const char *key);

/* True if one of the words is this one. */
bool fuzz_has_word(struct span words, const char *word);

/* Returns the number that text begins with (decimal digits), or 0. */
unsigned fuzz_number(struct span text);

/* Requires that a URI or an id has neither white space nor a closing bracket. */
void fuzz_require_bare(struct span text);

/* True for valid UTF-8 without control characters. */
bool fuzz_is_text(struct span text);

#endif

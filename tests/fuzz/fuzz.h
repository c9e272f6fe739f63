/*
 * fuzz - what fuzz targets have in common
 *
 * A target is a program with fuzz_input(), which takes an input apart, calls the code
 * under test and requires what must hold for every input.  libFuzzer runs it (`make fuzz`), or
 * replay.c with the inputs that are kept (`make check`).  One thread.
 */
#ifndef MLMILTER_TESTS_FUZZ_H
#define MLMILTER_TESTS_FUZZ_H

#include "text/span.h"
#include "text/strbuf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The target. */
void fuzz_input(const uint8_t *data, size_t size);

/* Calls the target, then frees what fuzz_own made. Requires that a large input takes no more CPU
 * time than a linear reader needs. The name is libFuzzer's. Always 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Ends the program, which is how a fuzzer notices, unless `holds`; says what was required. */
void fuzz_require(bool holds, const char *what);

/* The same, and shows the text that is about it. */
void fuzz_require_text(bool holds, const char *what, struct span text);

/* A copy in a block of its own, so that a sanitizer sees each octet that is read behind it. Lives
 * until the target returns. */
struct span fuzz_own(struct span text);

/* The same as a C string, which ends before the first NUL of text. */
const char *fuzz_own_cstr(struct span text);

/* The next line of *rest, its LF left out; *rest is what follows. */
struct span fuzz_line(struct span *rest);

/* The number that text begins with (decimal digits); 0 when there is none. */
unsigned fuzz_number(struct span text);

/* The part of word behind "key=", if it begins so. */
bool fuzz_value_of(struct span word, const char *key, struct span *value);

/* The next word of *text, which one blank or more end; .n is 0 at the end. */
struct span fuzz_word(struct span *text);

/* Appends the text of a value to *out, as mail/fold.h promises it; written independently. */
void fuzz_unfold(struct span value, struct strbuf *out);

/* May `value` be sent in a field: ASCII, no control characters but TAB and LF, an LF only with a
 * blank behind it, no line over 998 octets, at most 65,000 octets? mail/field_check.h once more. */
bool fuzz_may_be_sent(struct span name, struct span value);

/* Base 32 of RFC 4648, 32 characters of 20 octets. */
void fuzz_base32(const unsigned char octets[20], char out[33]);

#endif

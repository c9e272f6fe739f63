/*
 * grow - libFuzzer's mutations, pieces of the grammar, and inputs that have one piece again and
 * again
 *
 * The usual mutations add some bytes at a time, and never reach the megabyte at which a quadratic
 * reader shows.
 */
#include "fuzz.h"

#include <string.h>

#define PIECE_MAX 16
#define LARGE     65536 /* below it, no repetition */

/* Their names are libFuzzer's. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t room);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed);

/* Puts one of a rule at a place, or makes a new input. */
static size_t add_made(struct generator *g, uint8_t *data, size_t size, size_t room)
{
    struct strbuf text = STRBUF_INIT;
    size_t at = generated_number(g, size + 1);
    bool is_new = generated_number(g, 8) == 0;
    fuzz_make(g, is_new ? fuzz_grammar[0] : fuzz_any_rule(g), &text);
    at = is_new ? 0 : at;
    size = is_new ? 0 : size;
    size_t n = text.len < room - size ? text.len : room - size;
    memmove(data + at + n, data + at, size - at);
    if (n > 0)
        memcpy(data + at, text.data, n);
    strbuf_free(&text);
    return size + n;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed)
{
    struct generator g = {seed + UINT64_C(1)};
    (void)generated_number(&g, 2);
    if (generated_number(&g, 3) == 0)
        return add_made(&g, data, size, room);
    if (room < LARGE || size == 0 || size >= LARGE || generated_number(&g, 4) != 0)
        return LLVMFuzzerMutate(data, size, room);
    bool is_all = size <= PIECE_MAX;
    size_t at = is_all ? 0 : generated_number(&g, size);
    size_t n = is_all ? size : 1 + generated_number(&g, PIECE_MAX);
    n = n < size - at ? n : size - at;
    for (size_t i = at + n; i < room; i++)
        data[i] = data[i - n];
    return room;
}

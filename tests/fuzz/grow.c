/*
 * grow - libFuzzer's mutations, and inputs that have one piece again and again
 *
 * The usual mutations add some bytes at a time, and never reach the megabyte at which a quadratic
 * reader shows.
 */
#include "../unit/generated.h"

#include <stdbool.h>

#define PIECE_MAX 16
#define LARGE     65536 /* below it, the usual mutations only */

/* Their names are libFuzzer's. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t room);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed)
{
    struct generator g = {seed + UINT64_C(1)};
    (void)generated_number(&g, 2);
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

/*
 * array - an array that grows
 *
 * The array is plain memory of the caller, who frees it with free() and keeps the number of items
 * and the capacity.
 */
#ifndef MLMILTER_TEXT_ARRAY_H
#define MLMILTER_TEXT_ARRAY_H

#include <stddef.h>

/* Makes room for one more item after the first `count` of an array (NULL: a new one) of items of
 * `size` bytes. Returns the array, which may have moved, and sets *capacity. Room doubles: n items
 * copy O(n) bytes. Never fails (text/memory.h). */
void *array_grow(void *items, size_t count, size_t *capacity, size_t size);

#endif

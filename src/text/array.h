/*
 * array - room in an array that grows
 *
 * The array is plain memory of the caller's, who frees it with free() and keeps
 * beside it how many items there are and for how many there is room.
 */
#ifndef MLMILTER_TEXT_ARRAY_H
#define MLMILTER_TEXT_ARRAY_H

#include <stddef.h>

/* Room for one more item behind the first `count` of an array (NULL: a new one) of items of `size`
 * octets. Returns the array, which may have moved, and sets *capacity; or NULL when out of memory:
 * then the old array is as it was. Room doubles, so that n items cost O(n). */
void *array_grow(void *items, size_t count, size_t *capacity, size_t size);

#endif

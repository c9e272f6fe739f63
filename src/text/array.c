/* array - see array.h. Short, as realloc does the work; it stands here so that nobody checks for
 * overflow by hand. */
#include "text/array.h"

#include <stdint.h>
#include <stdlib.h>

#define FIRST_CAPACITY 16

void *array_grow(void *items, size_t count, size_t *capacity, size_t size)
{
    size_t more;
    void *grown;
    if (count < *capacity)
        return items;
    if (count > SIZE_MAX / 2 / size)
        return NULL;
    more = count == 0 ? FIRST_CAPACITY : count * 2;
    grown = realloc(items, more * size);
    if (grown != NULL)
        *capacity = more;
    return grown;
}

/* array - see array.h */
#include "text/array.h"

#include "text/memory.h"

#define FIRST_CAPACITY 16

void *array_grow(void *items, size_t count, size_t *capacity, size_t size)
{
    if (count < *capacity)
        return items;
    *capacity = count == 0 ? FIRST_CAPACITY : count * 2;
    return memory_resize(items, *capacity, size);
}

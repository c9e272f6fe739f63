/* memory - see memory.h */
#include "text/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <syslog.h>
#include <unistd.h>

#define FIRST_CAPACITY 16

_Noreturn void memory_exhausted(void)
{
    syslog(LOG_CRIT, "error: out of memory");
    _exit(EX_OSERR); /* other threads still use what atexit handlers would free */
}

_Noreturn void library_failed(const char *library, const char *reason)
{
    syslog(LOG_CRIT, "error: %s: %s", library, reason);
    _exit(EX_OSERR);
}

void *memory_new(size_t count, size_t size)
{
    void *memory = calloc(count > 0 ? count : 1, size > 0 ? size : 1);
    if (memory == NULL)
        memory_exhausted();
    return memory;
}

void *memory_resize(void *memory, size_t count, size_t size)
{
    if (size > 0 && count > SIZE_MAX / 2 / size)
        memory_exhausted();
    memory = realloc(memory, count * size > 0 ? count * size : 1);
    if (memory == NULL)
        memory_exhausted();
    return memory;
}

char *memory_copy(const char *text)
{
    size_t n = strlen(text) + 1;
    return memcpy(memory_new(n, 1), text, n);
}

void *array_grow(void *items, size_t count, size_t *capacity, size_t size)
{
    if (count < *capacity)
        return items;
    *capacity = count == 0 ? FIRST_CAPACITY : count * 2;
    return memory_resize(items, *capacity, size);
}

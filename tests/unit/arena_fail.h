/*
 * arena_fail - an arena's request that is refused
 *
 * For a test that is linked with $(ALLOC_FAIL_WRAP) $(ARENA_FAIL_WRAP). An arena asks malloc for a
 * chunk at a time, so that alloc_fail.h alone hits whoever happens to need the next chunk; with
 * this each call of an arena counts as a request, as do strdup and realpath.
 */
#ifndef MLMILTER_TESTS_ARENA_FAIL_H
#define MLMILTER_TESTS_ARENA_FAIL_H

#include "alloc_fail.h"
#include "text/arena.h"

#include <errno.h>

void *__real_arena_alloc(struct arena *a, size_t n);
void *__real_arena_calloc(struct arena *a, size_t count, size_t size);
char *__real_arena_strdup(struct arena *a, struct span s);
struct span __real_arena_dup(struct arena *a, struct span s);
char *__real_strdup(const char *s);
char *__real_realpath(const char *path, char *resolved);
void *__wrap_arena_alloc(struct arena *a, size_t n);
void *__wrap_arena_calloc(struct arena *a, size_t count, size_t size);
char *__wrap_arena_strdup(struct arena *a, struct span s);
struct span __wrap_arena_dup(struct arena *a, struct span s);
char *__wrap_strdup(const char *s);
char *__wrap_realpath(const char *path, char *resolved);

void *__wrap_arena_alloc(struct arena *a, size_t n)
{
    return alloc_refuses() ? NULL : __real_arena_alloc(a, n);
}

void *__wrap_arena_calloc(struct arena *a, size_t count, size_t size)
{
    return alloc_refuses() ? NULL : __real_arena_calloc(a, count, size);
}

char *__wrap_arena_strdup(struct arena *a, struct span s)
{
    return alloc_refuses() ? NULL : __real_arena_strdup(a, s);
}

struct span __wrap_arena_dup(struct arena *a, struct span s)
{
    return alloc_refuses() ? span_of(NULL, 0) : __real_arena_dup(a, s);
}

char *__wrap_strdup(const char *s)
{
    return alloc_refuses() ? NULL : __real_strdup(s);
}

char *__wrap_realpath(const char *path, char *resolved)
{
    if (alloc_refuses()) {
        errno = ENOMEM;
        return NULL;
    }
    return __real_realpath(path, resolved);
}

#endif

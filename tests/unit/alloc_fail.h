/*
 * alloc_fail - memory that runs out at the n-th request
 *
 * For a test that is linked with $(ALLOC_FAIL_WRAP); included by one file of the program.
 *
 *     for (int n = 1; n < LIMIT; n++) {
 *         alloc_fail_at(n);
 *         ... run what must survive; alloc_failed() says whether a request was refused ...
 *     }
 *     alloc_fail_at(0);
 *
 * From the n-th request on all are refused, until the next alloc_fail_at. With alloc_fail_once_at
 * only the n-th is, so that who overlooks it does not stumble over the next one.
 */
#ifndef MLMILTER_TESTS_ALLOC_FAIL_H
#define MLMILTER_TESTS_ALLOC_FAIL_H

#include <stdbool.h>
#include <stddef.h>

static int alloc_limit; /* 0: never */
static int alloc_requests;
static bool alloc_once;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *p, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *p, size_t size);

static inline void alloc_fail_at(int n)
{
    alloc_limit = n;
    alloc_requests = 0;
    alloc_once = false;
}

static inline void alloc_fail_once_at(int n)
{
    alloc_fail_at(n);
    alloc_once = true;
}

static inline bool alloc_failed(void)
{
    return alloc_limit > 0 && alloc_requests >= alloc_limit;
}

static bool alloc_refuses(void)
{
    if (alloc_limit == 0)
        return false;
    alloc_requests++;
    return alloc_once ? alloc_requests == alloc_limit : alloc_requests >= alloc_limit;
}

void *__wrap_malloc(size_t size)
{
    return alloc_refuses() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return alloc_refuses() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *p, size_t size)
{
    return alloc_refuses() ? NULL : __real_realloc(p, size);
}

#endif

/* told_numbers - see told_numbers.h */
#include "store/told_numbers.h"

#include "text/memory.h"

#include <stdlib.h>
#include <string.h>

struct told_number {
    struct told_number *next;
    uint64_t last;
    char list[];
};

void told_numbers_init(struct told_numbers *told)
{
    /* Seed enough: the names of lists are from the configuration. */
    strmap_init(&told->by_list, (uint64_t)(uintptr_t)told);
    told->first = NULL;
}

void told_numbers_free(struct told_numbers *told)
{
    strmap_free(&told->by_list);
    while (told->first != NULL) {
        struct told_number *f = told->first;
        told->first = f->next;
        free(f);
    }
}

uint64_t told_numbers_get(const struct told_numbers *told, struct span list)
{
    const struct told_number *f = strmap_get(&told->by_list, list);
    return f != NULL ? f->last : 0;
}

static struct told_number *add_list(struct told_numbers *told, struct span list)
{
    struct told_number *f = memory_new(1, sizeof *f + list.n);
    if (list.n > 0)
        memcpy(f->list, list.p, list.n);
    strmap_put(&told->by_list, span_of(f->list, list.n), f, NULL);
    f->next = told->first;
    told->first = f;
    return f;
}

void told_numbers_raise(struct told_numbers *told, struct span list, uint64_t last)
{
    struct told_number *f = strmap_get(&told->by_list, list);
    if (f == NULL)
        f = add_list(told, list);
    if (f->last < last)
        f->last = last;
}

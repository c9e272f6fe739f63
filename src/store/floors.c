/* floors - see floors.h */
#include "store/floors.h"

#include <stdlib.h>
#include <string.h>

struct floor {
    struct floor *next;
    uint64_t last;
    char list[];
};

void floors_init(struct floors *floors)
{
    /* Who can name lists here has them in the configuration. */
    strmap_init(&floors->by_list, (uint64_t)(uintptr_t)floors);
    floors->first = NULL;
}

void floors_free(struct floors *floors)
{
    strmap_free(&floors->by_list);
    while (floors->first != NULL) {
        struct floor *f = floors->first;
        floors->first = f->next;
        free(f);
    }
}

uint64_t floors_get(const struct floors *floors, struct span list)
{
    const struct floor *f = strmap_get(&floors->by_list, list);

    return f != NULL ? f->last : 0;
}

int floors_reserve(struct floors *floors, struct span list)
{
    struct floor *f;

    if (strmap_get(&floors->by_list, list) != NULL)
        return 0;
    f = calloc(1, sizeof *f + list.n);
    if (f == NULL)
        return -1;
    if (list.n > 0)
        memcpy(f->list, list.p, list.n);
    if (strmap_put(&floors->by_list, span_of(f->list, list.n), f, NULL) != 0) {
        free(f);
        return -1;
    }
    f->next = floors->first;
    floors->first = f;
    return 0;
}

void floors_raise(struct floors *floors, struct span list, uint64_t last)
{
    struct floor *f = strmap_get(&floors->by_list, list);

    if (f != NULL && f->last < last)
        f->last = last;
}

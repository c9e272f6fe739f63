/* request - see request.h */
#include "store/request.h"

#include "text/memory.h"

#include <stdlib.h>
#include <string.h>

struct request *request_new(enum request_verb verb, struct span list)
{
    struct request *r = memory_new(1, sizeof *r);
    r->verb = verb;
    if (list.n > 0)
        memcpy(r->list, list.p, list.n);
    r->item.post.list = span_of(r->list, list.n);
    return r;
}

void request_free(struct request *r)
{
    free(r);
}

int request_compare(const void *a, const void *b)
{
    const struct request *x = *(struct request *const *)a;
    const struct request *y = *(struct request *const *)b;
    size_t n =
        x->item.post.list.n < y->item.post.list.n ? x->item.post.list.n : y->item.post.list.n;
    int order = memcmp(x->list, y->list, n);
    if (order == 0 && x->item.post.list.n != y->item.post.list.n)
        order = x->item.post.list.n < y->item.post.list.n ? -1 : 1;
    if (order == 0)
        order = x->arrival < y->arrival ? -1 : 1;
    return order;
}

void line_add(struct line *line, struct request *r)
{
    r->next = NULL;
    if (line->last == NULL)
        line->first = r;
    else
        line->last->next = r;
    line->last = r;
}

struct request *line_take(struct line *line)
{
    struct request *r = line->first;
    line->first = r->next;
    if (line->first == NULL)
        line->last = NULL;
    return r;
}

void line_leave(struct line *line, struct request *r)
{
    struct request *before = NULL;
    for (struct request *at = line->first; at != r; at = at->next)
        before = at;
    if (before == NULL)
        line->first = r->next;
    else
        before->next = r->next;
    if (line->last == r)
        line->last = before;
}

/* edit_distance - see edit_distance.h */
#include "text/edit_distance.h"

#include "text/ascii.h"

static size_t distance(struct span a, struct span b)
{
    size_t row[EDIT_NAME_MAX + 1];
    for (size_t j = 0; j <= b.n; j++)
        row[j] = j;
    for (size_t i = 1; i <= a.n; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= b.n; j++) {
            size_t change = diagonal + (ascii_lower(a.p[i - 1]) != ascii_lower(b.p[j - 1]));
            size_t skip = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
            diagonal = row[j];
            row[j] = change < skip ? change : skip;
        }
    }
    return row[b.n];
}

struct edit_nearest edit_nearest_to(struct span name)
{
    return (struct edit_nearest){.name = name, .distance = name.n / 3 + 1};
}

void edit_nearest_try(struct edit_nearest *n, struct span candidate)
{
    size_t d;
    if (n->name.n > EDIT_NAME_MAX || candidate.n > EDIT_NAME_MAX)
        return;
    d = distance(n->name, candidate);
    if (d > n->distance || (n->nearest.p != NULL && d == n->distance))
        return;
    n->nearest = candidate;
    n->distance = d;
}

bool edit_is_within(struct span a, struct span b, unsigned most)
{
    if (a.n > b.n + most || b.n > a.n + most || a.n > EDIT_NAME_MAX || b.n > EDIT_NAME_MAX)
        return false;
    return distance(a, b) <= most;
}

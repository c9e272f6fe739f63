/* edit_distance - see edit_distance.h */
#include "text/edit_distance.h"

#include "text/ascii.h"

#include <stdint.h>

/* True if the first i bytes of a and j bytes of b end in one pair of bytes, transposed. */
static bool is_transposed(struct span a, size_t i, struct span b, size_t j)
{
    return i > 1 && j > 1 && ascii_lower(a.p[i - 1]) == ascii_lower(b.p[j - 2]) &&
           ascii_lower(a.p[i - 2]) == ascii_lower(b.p[j - 1]);
}

/* Returns the distance, or SIZE_MAX for a name that is not compared. */
static size_t distance(struct span a, struct span b)
{
    size_t rows[3][EDIT_NAME_MAX + 1];
    if (a.n > EDIT_NAME_MAX || b.n > EDIT_NAME_MAX)
        return SIZE_MAX;
    for (size_t j = 0; j <= b.n; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= a.n; i++) {
        size_t *row = rows[i % 3];
        const size_t *above = rows[(i + 2) % 3], *second = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= b.n; j++) {
            size_t change = above[j - 1] + (ascii_lower(a.p[i - 1]) != ascii_lower(b.p[j - 1]));
            size_t skip = (above[j] < row[j - 1] ? above[j] : row[j - 1]) + 1;
            row[j] = change < skip ? change : skip;
            if (is_transposed(a, i, b, j) && second[j - 2] + 1 < row[j])
                row[j] = second[j - 2] + 1;
        }
    }
    return rows[a.n % 3][b.n];
}

/* True if each text has digits, but not the same ones: base16 is not base32, misspelt. */
static bool has_other_digits(struct span a, struct span b)
{
    size_t i = 0, j = 0;
    bool has_a = false, has_b = false;
    for (;; i++, j++) {
        while (i < a.n && !ascii_is_digit(a.p[i]))
            i++;
        while (j < b.n && !ascii_is_digit(b.p[j]))
            j++;
        has_a |= i < a.n;
        has_b |= j < b.n;
        if (i == a.n || j == b.n)
            return has_a && has_b && (i < a.n || j < b.n);
        if (a.p[i] != b.p[j])
            return true;
    }
}

struct edit_nearest edit_nearest_to(struct span name)
{
    return (struct edit_nearest){.name = name, .distance = name.n < 6 ? 1 : name.n / 3};
}

void edit_nearest_try(struct edit_nearest *n, struct span candidate)
{
    bool is_begin = candidate.n > n->name.n && candidate.n - n->name.n <= n->name.n / 2 &&
                    span_starts_nocase(candidate, n->name);
    size_t d = is_begin ? 1 : distance(n->name, candidate);
    if (d > n->distance || has_other_digits(n->name, candidate))
        return;
    bool is_second = n->nearest.p != NULL && d == n->distance;
    n->nearest = is_second ? span_of(NULL, 0) : candidate;
    n->distance = is_second ? d - 1 : d;
}

bool edit_is_within(struct span a, struct span b, unsigned most)
{
    return a.n <= b.n + most && b.n <= a.n + most && distance(a, b) <= most;
}

/* error_budget - a minute begins with the first line, and ends with how many more there were. */
#include "daemon/error_budget.h"

#include "text/array.h"

#include <stdlib.h>
#include <string.h>

struct error_budget_of {
    char *name;
    int64_t begin; /* of its minute */
    unsigned told;
    size_t untold;
};

void error_budget_free(struct error_budget *budget)
{
    for (size_t i = 0; i < budget->count; i++)
        free(budget->delegates[i].name);
    free(budget->delegates);
    *budget = (struct error_budget){.delegates = NULL};
}

/* As many as the configuration ever named. NULL: out of memory. */
static struct error_budget_of *find(struct error_budget *budget, const char *delegate, int64_t now)
{
    for (size_t i = 0; i < budget->count; i++)
        if (strcmp(budget->delegates[i].name, delegate) == 0)
            return &budget->delegates[i];
    struct error_budget_of *all =
        array_grow(budget->delegates, budget->count, &budget->capacity, sizeof *all);
    if (all == NULL)
        return NULL;
    budget->delegates = all;
    all[budget->count] = (struct error_budget_of){.name = strdup(delegate), .begin = now};
    return all[budget->count].name == NULL ? NULL : &all[budget->count++];
}

static bool is_over(const struct error_budget_of *of, int64_t now)
{
    return now - of->begin >= ERROR_BUDGET_PERIOD;
}

bool error_budget_take(struct error_budget *budget, const char *delegate, int64_t now)
{
    struct error_budget_of *of = find(budget, delegate, now);
    if (of == NULL)
        return false;
    if (is_over(of, now) && of->untold == 0) {
        of->begin = now;
        of->told = 0;
    }
    if (of->told < ERROR_BUDGET_LINES) {
        of->told++;
        return true;
    }
    of->untold++;
    return false;
}

int error_budget_wait(const struct error_budget *budget, int64_t now)
{
    int64_t first = -1;
    for (size_t i = 0; i < budget->count; i++) {
        const struct error_budget_of *of = &budget->delegates[i];
        int64_t left = is_over(of, now) ? 0 : of->begin + ERROR_BUDGET_PERIOD - now;
        if (of->untold > 0 && (first < 0 || left < first))
            first = left;
    }
    return (int)first;
}

const char *error_budget_next(struct error_budget *budget, int64_t now, size_t *lines)
{
    for (size_t i = 0; i < budget->count; i++) {
        struct error_budget_of *of = &budget->delegates[i];
        if (of->untold == 0 || !is_over(of, now))
            continue;
        *lines = of->untold;
        of->untold = 0;
        of->told = 1; /* this line */
        of->begin = now;
        return of->name;
    }
    return NULL;
}

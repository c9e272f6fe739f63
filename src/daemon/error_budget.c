/* error_budget - see error_budget.h */
#include "daemon/error_budget.h"

static bool is_over(const struct error_budget *budget, int64_t now)
{
    return now - budget->begin >= ERROR_BUDGET_PERIOD;
}

bool error_budget_take(struct error_budget *budget, int64_t now)
{
    if (budget->logged == 0 || (is_over(budget, now) && budget->left_out == 0))
        *budget = (struct error_budget){.begin = now};
    if (budget->logged == ERROR_BUDGET_LINES) {
        budget->left_out++;
        return false;
    }
    budget->logged++;
    return true;
}

int error_budget_wait(const struct error_budget *budget, int64_t now)
{
    if (budget->left_out == 0)
        return -1;
    return is_over(budget, now) ? 0 : (int)(budget->begin + ERROR_BUDGET_PERIOD - now);
}

size_t error_budget_end(struct error_budget *budget, int64_t now)
{
    size_t lines = budget->left_out;
    if (lines == 0 || !is_over(budget, now))
        return 0;
    *budget = (struct error_budget){.begin = now, .logged = 1};
    return lines;
}

/* debounce - arithmetic with three points of time. */
#include "daemon/debounce.h"

void debounce_note(struct debounce *debounce, int64_t now)
{
    if (!debounce->waiting)
        debounce->first = now;
    debounce->waiting = true;
    debounce->last = now;
}

int debounce_wait(const struct debounce *debounce, int64_t now)
{
    int64_t quiet = debounce->last + DEBOUNCE_QUIET;
    int64_t most = debounce->first + DEBOUNCE_MOST;
    int64_t due = quiet < most ? quiet : most;
    if (!debounce->waiting)
        return -1;
    if (due < debounce->rest_until)
        due = debounce->rest_until;
    return due <= now ? 0 : due - now < INT32_MAX ? (int)(due - now) : INT32_MAX;
}

void debounce_clear(struct debounce *debounce)
{
    debounce->waiting = false;
}

void debounce_rest(struct debounce *debounce, int64_t begin, int64_t now)
{
    debounce->rest_until = now + (now - begin) * (DEBOUNCE_SHARE - 1);
}

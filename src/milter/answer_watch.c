/* answer_watch - one answer at most is due in a thread: see answer_watch.h. */
#include "milter/answer_watch.h"

#include <errno.h>
#include <stddef.h>

/* Whom to tell; NULL: no answer is due. */
static _Thread_local const struct milter_host *due;

void answer_watch_end(void)
{
    const struct milter_host *host = due;

    due = NULL;
    if (host != NULL)
        host->end_answer(host->self);
}

void answer_watch_begin(const struct milter_host *host)
{
    answer_watch_end();
    if (host->begin_answer(host->self))
        due = host;
}

/* A part of a packet is written, or none for now: libmilter writes the rest, or tries again. */
static bool goes_on(ssize_t written, const struct iovec *parts, int count)
{
    size_t all = 0;

    if (written < 0)
        return errno == EAGAIN || errno == EINTR;
    for (int i = 0; i < count; i++)
        all += parts[i].iov_len;
    return (size_t)written < all;
}

void answer_watch_wrote(ssize_t written, const struct iovec *parts, int count)
{
    int error = errno;

    if (due != NULL && !goes_on(written, parts, count))
        answer_watch_end();
    errno = error;
}

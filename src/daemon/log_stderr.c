/* Looks whether there is room before it writes. */
#include "daemon/log_stderr.h"

#include "system/patience.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

/* Where there is room at all, so much does not make a pipe wait (pipe(7)). */
#ifdef PIPE_BUF
#define PIECE ((size_t)PIPE_BUF)
#else
#define PIECE ((size_t)512)
#endif

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static unsigned long lost; /* lines */
static bool stuck;         /* the last line found no room */
static bool torn;          /* the last line has no end */

static bool has_room(void)
{
    struct pollfd out = {.fd = STDERR_FILENO, .events = POLLOUT};
    int n;

    while ((n = poll(&out, 1, stuck ? 0 : (int)patience.log_room)) < 0 && errno == EINTR)
        continue;
    stuck = n == 0;
    return !stuck;
}

/* False: not all of it is written. */
static bool write_all(struct span text)
{
    while (text.n > 0) {
        size_t piece = text.n < PIECE ? text.n : PIECE;
        ssize_t n;

        if (!has_room())
            return false;
        n = write(STDERR_FILENO, text.p, piece);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        torn = true;
        text = span_sub(text, (size_t)n, text.n);
    }
    return true;
}

static bool write_line(struct span line)
{
    if (torn && !write_all(span_cstr("\n")))
        return false;
    torn = false;
    if (!write_all(line))
        return false;
    torn = false;
    return true;
}

static bool tell_lost(const char *mark)
{
    char text[100];

    if (lost == 0)
        return true;
    snprintf(text, sizeof text,
             "%swarning: %lu log lines were lost: standard error did not take them\n", mark, lost);
    if (!write_line(span_cstr(text)))
        return false;
    lost = 0;
    return true;
}

void log_stderr_write(struct span line, const char *mark)
{
    pthread_mutex_lock(&mutex);
    if (!tell_lost(mark) || !write_line(line))
        lost++;
    pthread_mutex_unlock(&mutex);
}

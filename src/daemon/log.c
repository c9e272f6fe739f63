/* Log lines to standard error, to syslog, or to both. */
#include "daemon/log.h"

#include "daemon/log_syslog.h"
#include "system/patience.h"
#include "text/strbuf.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <syslog.h>
#include <unistd.h>

/* Octets of a priority. */
#define MARK 16

/* Where there is room at all, this many octets do not make a pipe wait (pipe(7)). */
#ifdef PIPE_BUF
#define PIECE ((size_t)PIPE_BUF)
#else
#define PIECE ((size_t)512)
#endif

static atomic_int target = LOG_TARGET_STDERR;
static atomic_bool is_journal;

/* Standard error. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static unsigned long lost; /* lines */
static bool is_stuck;      /* the last line found no room */
static bool is_torn;       /* the last line has no end */

/* ---- where lines go ------------------------------------------------------------------------- */

int log_facility(enum syslog_facility facility)
{
    static const int facilities[] = {
        [FACILITY_MAIL] = LOG_MAIL,     [FACILITY_DAEMON] = LOG_DAEMON,
        [FACILITY_LOCAL0] = LOG_LOCAL0, [FACILITY_LOCAL1] = LOG_LOCAL1,
        [FACILITY_LOCAL2] = LOG_LOCAL2, [FACILITY_LOCAL3] = LOG_LOCAL3,
        [FACILITY_LOCAL4] = LOG_LOCAL4, [FACILITY_LOCAL5] = LOG_LOCAL5,
        [FACILITY_LOCAL6] = LOG_LOCAL6, [FACILITY_LOCAL7] = LOG_LOCAL7,
        [FACILITY_USER] = LOG_USER,     [FACILITY_AUTH] = LOG_AUTH,
        [FACILITY_SYSLOG] = LOG_SYSLOG,
    };
    _Static_assert(sizeof facilities / sizeof facilities[0] == FACILITY_COUNT, "one for each");
    return facilities[facility];
}

/* systemd.exec(5): JOURNAL_STREAM is the device and inode of the stream that it gave us. */
static bool stderr_is_journal(void)
{
    const char *stream = getenv("JOURNAL_STREAM");
    char ours[64];
    struct stat st;
    if (stream == NULL || fstat(STDERR_FILENO, &st) != 0)
        return false;
    snprintf(ours, sizeof ours, "%llu:%llu", (unsigned long long)st.st_dev,
             (unsigned long long)st.st_ino);
    return strcmp(stream, ours) == 0;
}

void log_open(enum log_target new_target, int facility)
{
    int options = LOG_PID;
    bool journal = new_target == LOG_TARGET_STDERR && stderr_is_journal();
    /* libmilter's own complaints, such as that a socket cannot be opened, would be lost. What goes
     * to syslog is in the journal already. */
    if (new_target != LOG_TARGET_SYSLOG && !journal)
        options |= LOG_PERROR;
    atomic_store(&is_journal, journal);
    log_close();
    closelog();
    openlog("mlmilter", options, facility);
    atomic_store(&target, new_target);
    /* A daemon that starts is watched, and forks no more once it is not. */
    if (new_target == LOG_TARGET_SYSLOG && log_syslog_start() != 0)
        log_printf(LOG_WARNING,
                   "warning: no thread for the log: a syslog that stalls will "
                   "stop mail: %s",
                   strerror(errno));
}

void log_close(void)
{
    log_syslog_drain(patience.log_end);
}

/* ---- standard error ------------------------------------------------------------------------- */

/* sd-daemon(3): how the journal learns the priority. mark has room for it. */
static void make_mark(int priority, char *mark, size_t size)
{
    bool to_journal = atomic_load(&target) == LOG_TARGET_STDERR && atomic_load(&is_journal);
    mark[0] = '\0';
    if (to_journal)
        snprintf(mark, size, "<%d>", LOG_PRI(priority));
}

/* Looks before it writes: the descriptor may be others', too, who do not want O_NONBLOCK. */
static bool has_room(void)
{
    struct pollfd out = {.fd = STDERR_FILENO, .events = POLLOUT};
    int n;
    while ((n = poll(&out, 1, is_stuck ? 0 : (int)patience.log_room)) < 0 && errno == EINTR)
        continue;
    is_stuck = n == 0;
    return !is_stuck;
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
        is_torn = true;
        text = span_sub(text, (size_t)n, text.n);
    }
    return true;
}

static bool write_line(struct span line)
{
    if (is_torn && !write_all(span_cstr("\n")))
        return false;
    is_torn = false;
    if (!write_all(line))
        return false;
    is_torn = false;
    return true;
}

static bool tell_lost(void)
{
    char mark[MARK], text[100];
    if (lost == 0)
        return true;
    make_mark(LOG_WARNING, mark, sizeof mark);
    snprintf(text, sizeof text,
             "%swarning: %lu log lines were lost: standard error did not take them\n", mark, lost);
    if (!write_line(span_cstr(text)))
        return false;
    lost = 0;
    return true;
}

static void write_to_stderr(struct span line)
{
    pthread_mutex_lock(&mutex);
    if (!tell_lost() || !write_line(line))
        lost++;
    pthread_mutex_unlock(&mutex);
}

/* ---- a line --------------------------------------------------------------------------------- */

void log_line(int priority, const char *text)
{
    struct strbuf line = STRBUF_INIT;
    char mark[MARK];
    make_mark(priority, mark, sizeof mark);
    strbuf_add_str(&line, mark);
    for (; *text != '\0'; text++)
        strbuf_add_char(&line, *text < ' ' || *text > '~' ? '?' : *text);
    /* A daemon that starts has LOG_PERROR set: syslog writes to both. */
    if (atomic_load(&target) != LOG_TARGET_STDERR) {
        log_syslog_write(priority, strbuf_str(&line));
    } else {
        strbuf_add_char(&line, '\n');
        write_to_stderr(strbuf_span(&line));
    }
    strbuf_free(&line);
}

void log_printf(int priority, const char *format, ...)
{
    struct strbuf line = STRBUF_INIT;
    va_list ap;
    va_start(ap, format);
    strbuf_addv(&line, format, ap);
    va_end(ap);
    log_line(priority, strbuf_str(&line));
    strbuf_free(&line);
}

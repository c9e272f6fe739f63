/* log - see log.h */
#include "daemon/log.h"

#include "text/strbuf.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <syslog.h>
#include <unistd.h>

static atomic_int target = LOG_TARGET_STDERR;
static atomic_bool is_journal;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* of standard error */

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

/* True if standard error is the stream that JOURNAL_STREAM names by device and inode
 * (systemd.exec(5)). */
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
    if (new_target != LOG_TARGET_SYSLOG && !journal) /* syslog's lines are in the journal already */
        options |= LOG_PERROR;
    atomic_store(&is_journal, journal);
    closelog();
    openlog("mlmilter", options, facility);
    atomic_store(&target, new_target);
}

/* A line that was cut off, on a full disk, is ended before the next one. */
static void write_line(struct span line)
{
    static bool is_cut;
    ssize_t n;
    pthread_mutex_lock(&mutex);
    if (is_cut && write(STDERR_FILENO, "\n", 1) == 1)
        is_cut = false;
    while (line.n > 0 && (n = write(STDERR_FILENO, line.p, line.n)) > 0) {
        line = span_sub(line, (size_t)n, line.n);
        is_cut = line.n > 0;
    }
    pthread_mutex_unlock(&mutex);
}

void log_line(int priority, const char *text)
{
    struct strbuf line = STRBUF_INIT;
    if (atomic_load(&is_journal))
        strbuf_addf(&line, "<%d>", LOG_PRI(priority)); /* sd-daemon(3) */
    for (; *text != '\0'; text++)
        strbuf_add_char(&line, *text < ' ' || *text > '~' ? '?' : *text);
    if (atomic_load(&target) == LOG_TARGET_STDERR) {
        strbuf_add_char(&line, '\n');
        write_line(strbuf_span(&line));
    } else {
        syslog(priority, "%s", strbuf_str(&line)); /* LOG_TARGET_BOTH: LOG_PERROR is set */
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

/* log - see log.h */
#include "daemon/log.h"

#include "config/read/choices.h"
#include "system/monotonic.h"
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

/* Errors that are logged once a minute, by a hash: so many lines a minute at most. Two texts with
 * one place take turns. */
#define REPEATED        1024
#define REPEATED_PERIOD 60000

static atomic_int target = LOG_TARGET_STDERR;
static atomic_bool is_journal;
static int facility = LOG_MAIL;

void log_set_facility(int chosen)
{
    static const int facilities[] = {FACILITY_CHOICE(CHOICE_VALUE)};
    facility = facilities[chosen];
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

void log_open(enum log_target new_target)
{
    bool journal = new_target == LOG_TARGET_STDERR && stderr_is_journal();
    /* libmilter's lines: syslog's are in the journal already. */
    bool copies = new_target != LOG_TARGET_SYSLOG && !journal;
    atomic_store(&is_journal, journal);
    closelog();
    openlog("mlmilter", copies ? LOG_PID | LOG_PERROR : LOG_PID, facility);
    atomic_store(&target, new_target);
}

void log_line(int priority, const char *text)
{
    struct strbuf line = STRBUF_INIT;
    if (atomic_load(&is_journal))
        strbuf_addf(&line, "<%d>", LOG_PRI(priority)); /* sd-daemon(3) */
    strbuf_add_str(&line, text);
    for (size_t i = 0; i < line.len; i++)
        if (line.data[i] < ' ' || line.data[i] > '~')
            line.data[i] = '?';
    if (atomic_load(&target) == LOG_TARGET_STDERR) {
        strbuf_add_char(&line, '\n');
        (void)fputs(strbuf_str(&line), stderr);
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

void log_repeated_error(const char *text)
{
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    static int64_t until[REPEATED]; /* 0, or when such a text may be logged again */
    uint32_t hash = 2166136261u;    /* FNV-1a */
    for (const char *p = text; *p != '\0'; p++)
        hash = (hash ^ (unsigned char)*p) * 16777619u;
    int64_t now = monotonic_now(), *entry = &until[hash % REPEATED];
    pthread_mutex_lock(&mutex);
    bool is_due = now >= *entry;
    *entry = is_due ? now + REPEATED_PERIOD : *entry;
    pthread_mutex_unlock(&mutex);
    if (is_due)
        log_printf(LOG_ERR, "error: %s", text);
}

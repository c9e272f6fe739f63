/* Log lines to standard error, to syslog, or to both. */
#include "daemon/log.h"

#include "text/strbuf.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <string.h>
#include <syslog.h>
#include <unistd.h>

static atomic_int target = LOG_TARGET_STDERR;

int log_facility(const char *name)
{
    static const struct {
        const char *name;
        int facility;
    } facilities[] = {
        {"mail", LOG_MAIL},     {"daemon", LOG_DAEMON}, {"local0", LOG_LOCAL0},
        {"local1", LOG_LOCAL1}, {"local2", LOG_LOCAL2}, {"local3", LOG_LOCAL3},
        {"local4", LOG_LOCAL4}, {"local5", LOG_LOCAL5}, {"local6", LOG_LOCAL6},
        {"local7", LOG_LOCAL7}, {"user", LOG_USER},     {"auth", LOG_AUTH},
        {"syslog", LOG_SYSLOG},
    };

    for (size_t i = 0; i < sizeof facilities / sizeof facilities[0]; i++)
        if (strcmp(name, facilities[i].name) == 0)
            return facilities[i].facility;
    return LOG_MAIL;
}

void log_open(enum log_target new_target, int facility)
{
    int options = LOG_PID;

    /* libmilter's own complaints, such as that a socket cannot be opened, would be lost. */
    if (new_target != LOG_TARGET_SYSLOG)
        options |= LOG_PERROR;
    closelog();
    openlog("mlmilter", options, facility);
    atomic_store(&target, new_target);
}

/* In one write, so that lines of two threads cannot mix. */
static void to_stderr(struct strbuf *line)
{
    const char *p;
    size_t left;

    strbuf_add_char(line, '\n');
    p = strbuf_str(line);
    left = line->len;
    while (left > 0) {
        ssize_t n = write(STDERR_FILENO, p, left);

        if (n <= 0)
            return; /* there is nobody to tell */
        p += n;
        left -= (size_t)n;
    }
}

void log_line(int priority, const char *text)
{
    struct strbuf line = STRBUF_INIT;

    strbuf_add_str(&line, text);
    if (strbuf_failed(&line)) {
        strbuf_free(&line);
        return;
    }
    for (size_t i = 0; i < line.len; i++)
        if (line.data[i] < ' ' || line.data[i] > '~')
            line.data[i] = '?';
    /* A daemon that starts has LOG_PERROR set: syslog writes to both. */
    if (atomic_load(&target) == LOG_TARGET_STDERR)
        to_stderr(&line);
    else
        syslog(priority, "%s", strbuf_str(&line));
    strbuf_free(&line);
}

void log_printf(int priority, const char *format, ...)
{
    struct strbuf line = STRBUF_INIT;
    va_list ap;

    va_start(ap, format);
    strbuf_addv(&line, format, ap);
    va_end(ap);
    log_line(priority, strbuf_failed(&line) ? "error: out of memory" : strbuf_str(&line));
    strbuf_free(&line);
}

/*
 * mlmilterctl status and reload: ask the daemon.
 *
 * The lock of the pid file tells whether a daemon runs, and its pid. Its own report, the status
 * file, is in the folder of the pid file (mlmilter(8): FILES).
 */
#include "ctl/tool.h"
#include "system/monotonic.h"
#include "system/paths.h"
#include "system/timeouts.h"
#include "text/json.h"
#include "text/number.h"
#include "text/visible.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The status file has less (daemon/state_files.c). */
#define STATUS_TEXT_MAX 65536

struct daemon_status {
    struct settings *settings; /* of the main file, even a wrong one */
    const char *pid_file;
    char *path; /* of the status file */
    bool runs;
    int error;          /* errno of a pid file that cannot be read; else 0 */
    pid_t pid;          /* of the process with the lock; 0 if it is in another container */
    struct strbuf text; /* of the status file; empty if another process wrote it */
};

/* ---- the status file ---- */

/* Takes the next line "KEY: VALUE" from *rest. Returns false at the end. */
static bool next_value(struct span *rest, struct span *key, struct span *value)
{
    while (rest->n > 0) {
        struct span line = span_sub(*rest, 0, span_find(*rest, '\n'));
        size_t colon = span_find(line, ':');
        *rest = span_sub(*rest, line.n + 1, rest->n);
        *key = span_sub(line, 0, colon);
        *value = span_sub(line, colon + 2, line.n);
        if (colon < line.n)
            return true;
    }
    return false;
}

/* Returns the first value of a key; its p is NULL if the key is missing. */
static struct span find_value(const struct daemon_status *s, const char *wanted)
{
    struct span rest = strbuf_span(&s->text), key, value;
    while (next_value(&rest, &key, &value))
        if (span_eq(key, span_cstr(wanted)))
            return value;
    return span_of(NULL, 0);
}

static int open_file(const char *path)
{
    return open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

/* Checks the lock and reads the status file. */
static void read_status(struct daemon_status *s)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    char block[4096];
    ssize_t n;
    uint64_t pid;
    int fd = open_file(s->pid_file);
    bool is_known = fd >= 0 && fcntl(fd, F_GETLK, &lock) == 0;
    s->error = is_known || errno == ENOENT ? 0 : errno;
    s->runs = is_known && lock.l_type != F_UNLCK;
    s->pid = s->runs && lock.l_pid > 0 ? lock.l_pid : 0;
    if (fd >= 0)
        close(fd);
    strbuf_reset(&s->text);
    fd = s->runs ? open_file(s->path) : -1;
    while (fd >= 0 && s->text.len < STATUS_TEXT_MAX && (n = read(fd, block, sizeof block)) > 0)
        strbuf_add(&s->text, block, (size_t)n);
    if (fd >= 0)
        close(fd);
    /* An earlier daemon may have written it. */
    if (!number_parse(find_value(s, "pid"), INT_MAX, &pid) || (pid_t)pid != s->pid)
        strbuf_reset(&s->text);
}

/* Finds the daemon. Returns EX_OK, or another exit status after a message: `none` if none runs. */
static int find_daemon(struct daemon_status *s, const struct options *o, int none)
{
    bool is_right;
    s->settings = load_main_file(o, true, &is_right);
    s->pid_file = s->settings->pid_file;
    if (s->pid_file == NULL)
        return EX_CONFIG;
    s->path = path_of_status(s->pid_file);
    read_status(s);
    if (s->runs)
        return EX_OK;
    if (s->error == 0 && strcmp(o->config_path, MAIN_FILE_DEFAULT) == 0)
        report_error("mlmilter is not running: no process holds the lock of %s; type: systemctl "
                     "start mlmilter (without systemd: mlmilter)",
                     s->pid_file);
    else if (s->error == 0)
        report_error("mlmilter is not running: no process holds the lock of %s; it is started by: "
                     "mlmilter -c %s",
                     s->pid_file, o->config_path);
    else
        report_error("%s: %s%s", s->pid_file, strerror(s->error),
                     s->error == EACCES || s->error == EPERM
                         ? "; be root or the daemon's user: put sudo before the command"
                         : "");
    return s->error == 0 ? none : EX_OSERR;
}

static void free_status(struct daemon_status *s)
{
    settings_free(s->settings);
    free(s->path);
    strbuf_free(&s->text);
}

/* ---- status ---- */

static bool is_for_programs(struct span key)
{
    return span_eq(key, span_cstr("load-clock")) || span_eq(key, span_cstr("fingerprint")) ||
           span_eq(key, span_cstr("probe-key")) || span_eq(key, span_cstr("probe"));
}

static void add_lines(struct strbuf *out, struct span text)
{
    struct span key, value;
    while (next_value(&text, &key, &value)) {
        if (is_for_programs(key))
            continue;
        visible_add(out, key);
        strbuf_addf(out, ":%*s", key.n < 14 ? (int)(14 - key.n) : 1, "");
        visible_add(out, value);
        strbuf_add_char(out, '\n');
    }
}

/* {"pid":1,"version":"...",...,"probe":["...",...],"error":["...",...]}; values of one key are
 * together in the file. */
static void add_json(struct strbuf *out, struct span text)
{
    const char *separator = "{", *end = "";
    struct span key, value, array = span_of(NULL, 0);
    uint64_t number;
    while (next_value(&text, &key, &value)) {
        bool continues = span_eq(key, array);
        strbuf_addf(out, "%s%s", continues ? "" : end, separator);
        separator = ",";
        if (!continues) {
            bool is_array = span_eq(key, span_cstr("error")) || span_eq(key, span_cstr("probe"));
            array = is_array ? key : span_of(NULL, 0);
            end = is_array ? "]" : "";
            json_add_string(out, key);
            strbuf_add_str(out, is_array ? ":[" : ":");
        }
        if (number_parse(value, UINT64_MAX, &number))
            strbuf_add_span(out, value);
        else
            json_add_string(out, value);
    }
    strbuf_addf(out, "%s}\n", end);
}

int run_status(const struct options *o)
{
    struct daemon_status s = {.path = NULL};
    struct strbuf out = STRBUF_INIT;
    int result = find_daemon(&s, o, EXIT_NO);
    if (result == EX_OK && s.text.len == 0) {
        strbuf_addf(&out, o->json ? "{\"pid\":%ld}\n" : "pid: %ld\n", (long)s.pid);
        report_error("warning: the daemon has not written %s", s.path);
    } else if (result == EX_OK) {
        (o->json ? add_json : add_lines)(&out, strbuf_span(&s.text));
    }
    free_status(&s);
    return print_and_free(&out, result);
}

/* ---- reload ----
 *
 * The daemon writes when its last load began.  A load that began after this command did has read
 * every file as it was then or later, whichever signal asked for it. */

/* Prints the errors as mlmilterctl check does, then "reloaded: generation 3, 12 lists". */
static int print_result(const struct daemon_status *s)
{
    struct span rest = strbuf_span(&s->text), lists = find_value(s, "lists"), key, value;
    struct strbuf text = STRBUF_INIT;
    while (next_value(&rest, &key, &value)) {
        if (!span_eq(key, span_cstr("error")))
            continue;
        visible_add(&text, value);
        strbuf_add_char(&text, '\n');
    }
    fputs(strbuf_str(&text), stderr);
    strbuf_reset(&text);
    if (!span_eq(find_value(s, "load"), span_cstr("in force"))) {
        report_error("refused: the old configuration stays in force");
        return print_and_free(&text, EXIT_NO);
    }
    strbuf_add_str(&text, "reloaded: generation ");
    visible_add(&text, find_value(s, "generation"));
    strbuf_add_str(&text, ", ");
    visible_add(&text, lists);
    strbuf_add_str(&text, span_eq(lists, span_cstr("1")) ? " list\n" : " lists\n");
    return print_and_free(&text, EX_OK);
}

/* Waits for a load that began at that moment or later. */
static int wait_for_load(struct daemon_status *s, int64_t since)
{
    int64_t end = monotonic_now() + timeouts.reload;
    long pid = (long)s->pid;
    uint64_t clock;
    do {
        monotonic_sleep(timeouts.reload_look);
        read_status(s);
        if (number_parse(find_value(s, "load-clock"), INT64_MAX, &clock) && (int64_t)clock >= since)
            return print_result(s);
        if (!s->runs) {
            report_error("the daemon (pid %ld) has ended meanwhile", pid);
            return EX_OSERR;
        }
    } while (monotonic_now() < end);
    report_error("the daemon (pid %ld) has not said within %u s in %s how its reload went: see its "
                 "log",
                 pid, timeouts.reload / 1000, s->path);
    return EX_OSERR;
}

int run_reload(const struct options *o)
{
    struct daemon_status s = {.path = NULL};
    int64_t since = monotonic_nanoseconds();
    int result = find_daemon(&s, o, EX_OSERR);
    if (result == EX_OK && s.pid > 0 && kill(s.pid, SIGHUP) == 0) {
        result = wait_for_load(&s, since);
    } else if (result == EX_OK) {
        result = EX_OSERR;
        if (s.pid == 0) /* kill(0) is for this process' own group */
            report_error("%s is locked by a process of another container: reload it there",
                         s.pid_file);
        else
            report_error(
                "the daemon (pid %ld) cannot be signalled: %s%s", (long)s.pid, strerror(errno),
                errno == EPERM ? "; be root or its user: put sudo before the command" : "");
    }
    free_status(&s);
    return result;
}

/*
 * mlmilterctl status and reload: ask the daemon.
 *
 * The lock of the pid file tells whether a daemon runs, and its pid. Its own report, the status
 * file, is in the folder of the pid file (mlmilter(8): FILES).
 */
#include "config/read/files.h"
#include "ctl/tool.h"
#include "system/monotonic.h"
#include "system/paths.h"
#include "system/timeouts.h"
#include "text/json.h"
#include "text/number.h"
#include "text/visible.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The status file has less (daemon/state_files.c). */
#define STATUS_TEXT_MAX 65536

struct daemon_status {
    struct settings *settings; /* of the main file, even a wrong one */
    char *path;                /* of the status file */
    bool runs;
    int error;             /* errno of a pid file that cannot be read; else 0 */
    pid_t pid;             /* of the process with the lock; 0 if it is in another container */
    struct file_text file; /* the status file; empty if another process wrote it */
};

/* ---- the status file ---- */

/* Takes the next line "KEY: VALUE" from *rest. Returns false at the end. */
static bool next_value(struct span *rest, struct span *key, struct span *value)
{
    while (rest->n > 0) {
        struct span line = span_take_line(rest);
        size_t colon = span_find(line, ':');
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
    struct span rest = span_of(s->file.text, s->file.length), key, value;
    while (next_value(&rest, &key, &value))
        if (span_eq(key, span_cstr(wanted)))
            return value;
    return span_of(NULL, 0);
}

/* Returns the advice about a call that was not permitted. */
static const char *ask_root(int error)
{
    bool is_refused = error == EACCES || error == EPERM;
    return is_refused ? "; be root or the daemon's user: put sudo before the command" : "";
}

/* Checks the lock and reads the status file. */
static void read_status(struct daemon_status *s)
{
    const struct file_rules rules = {.bytes_max = STATUS_TEXT_MAX, .is_foreign = true};
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    uint64_t pid;
    int fd = open(s->settings->pid_file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    bool is_known = fd >= 0 && fcntl(fd, F_GETLK, &lock) == 0;
    s->error = is_known || errno == ENOENT ? 0 : errno;
    s->runs = is_known && lock.l_type != F_UNLCK;
    s->pid = s->runs && lock.l_pid > 0 ? lock.l_pid : 0;
    if (fd >= 0)
        close(fd);
    free(s->file.text);
    s->file = (struct file_text){.text = NULL};
    /* An earlier daemon may have written it. */
    if (s->runs && (!read_file(s->path, &rules, &s->file) ||
                    !number_parse(find_value(s, "pid"), INT_MAX, &pid) || (pid_t)pid != s->pid))
        s->file.length = 0;
}

/* Finds the daemon. Returns EX_OK, or after a message `none` if no daemon runs, or another exit
 * status. */
static int find_daemon(struct daemon_status *s, const struct options *o, int none)
{
    bool is_right, is_default = strcmp(o->config_path, MAIN_FILE_DEFAULT) == 0;
    s->settings = load_main_file(o, true, &is_right);
    if (s->settings->pid_file == NULL)
        return EX_CONFIG;
    s->path = path_of_status(s->settings->pid_file);
    read_status(s);
    if (s->runs)
        return EX_OK;
    if (s->error == 0)
        report_error("mlmilter is not running (no process locks %s); start it with: %s%s",
                     s->settings->pid_file,
                     is_default ? "systemctl start mlmilter, or without systemd: mlmilter"
                                : "mlmilter -c ",
                     is_default ? "" : o->config_path);
    else
        report_error("%s: %s%s", s->settings->pid_file, strerror(s->error), ask_root(s->error));
    return s->error == 0 ? none : EX_OSERR;
}

/* ---- status ---- */

/* Keys that only programs read. */
static const char *const hidden_keys[] = {"load-clock", "fingerprint", "probe-key", "probe", NULL};

/* Keys of numbers. The value of another key may have digits alone, such as that of probe-key. */
static const char *const number_keys[] = {"pid",        "generation", "lists",
                                          "load-clock", "errors",     NULL};

static bool is_one_of(struct span key, const char *const *names)
{
    while (*names != NULL && !span_eq(key, span_cstr(*names)))
        names++;
    return *names != NULL;
}

/* Appends each line as "KEY:  VALUE", without the hidden keys. */
static void add_lines(struct strbuf *out, struct span text)
{
    struct span key, value;
    while (next_value(&text, &key, &value)) {
        if (is_one_of(key, hidden_keys))
            continue;
        visible_add(out, key);
        strbuf_addf(out, ":%*s", key.n < 14 ? (int)(14 - key.n) : 1, "");
        visible_add(out, value);
        strbuf_add_char(out, '\n');
    }
}

/* Appends {"pid":1,"version":"...",...,"probe":["...",...],"error":["...",...]}. The file has the
 * values of a key one after the other. */
static void add_json(struct strbuf *out, struct span text)
{
    const char *separator = "{", *end = "";
    struct span key, value, array = span_of(NULL, 0);
    uint64_t number;
    for (; next_value(&text, &key, &value); separator = ",") {
        bool is_array = span_eq(key, span_cstr("error")) || span_eq(key, span_cstr("probe"));
        bool continues = is_array && span_eq(key, array);
        strbuf_addf(out, "%s%s", continues ? "" : end, separator);
        if (!continues) {
            json_add_string(out, key);
            strbuf_add_str(out, is_array ? ":[" : ":");
        }
        if (is_one_of(key, number_keys) && number_parse(value, UINT64_MAX, &number))
            strbuf_addf(out, "%" PRIu64, number);
        else
            json_add_string(out, value);
        array = key;
        end = is_array ? "]" : "";
    }
    strbuf_addf(out, "%s}\n", end);
}

int run_status(const struct options *o)
{
    static struct daemon_status s;
    struct strbuf out = STRBUF_INIT;
    int result = find_daemon(&s, o, EXIT_NO);
    if (result == EX_OK && s.file.length == 0) {
        strbuf_addf(&out, o->json ? "{\"pid\":%ld}\n" : "pid: %ld\n", (long)s.pid);
        report_error("warning: the daemon has not written %s", s.path);
    } else if (result == EX_OK) {
        (o->json ? add_json : add_lines)(&out, span_of(s.file.text, s.file.length));
    }
    return print_and_free(&out, result);
}

/* ---- reload ----
 *
 * The daemon writes when its last load began.  A load that began after this command did has read
 * every file as it was then or later, whichever signal asked for it. */

/* Prints the errors as mlmilterctl check does, then "reloaded: generation 3, 12 lists". */
static int print_result(const struct daemon_status *s)
{
    struct span rest = span_of(s->file.text, s->file.length), key, value;
    struct span warning = find_value(s, "warning");
    struct strbuf text = STRBUF_INIT;
    uint64_t lists = 0, generation = 0;
    while (next_value(&rest, &key, &value)) {
        if (!span_eq(key, span_cstr("error")))
            continue;
        visible_add(&text, value);
        strbuf_add_char(&text, '\n');
    }
    fputs(strbuf_str(&text), stderr);
    strbuf_reset(&text);
    bool is_in_force = span_eq(find_value(s, "load"), span_cstr("in force"));
    if (warning.n > 0)
        report_error("warning: %.*s", (int)warning.n, warning.p);
    (void)number_parse(find_value(s, "lists"), UINT64_MAX, &lists);
    (void)number_parse(find_value(s, "generation"), UINT64_MAX, &generation);
    if (is_in_force)
        strbuf_addf(&text, "reloaded: generation %" PRIu64 ", %" PRIu64 " list%s\n", generation,
                    lists, lists == 1 ? "" : "s");
    else
        report_error("refused: the old configuration stays in force");
    return print_and_free(&text, is_in_force ? EX_OK : EXIT_NO);
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
    } while (s->runs && monotonic_now() < end);
    if (!s->runs)
        report_error("the daemon (pid %ld) has ended meanwhile", pid);
    else
        report_error("the daemon (pid %ld) has not said within %u s in %s how its reload went: see "
                     "its log",
                     pid, timeouts.reload / 1000, s->path);
    return EX_OSERR;
}

int run_reload(const struct options *o)
{
    static struct daemon_status s;
    int64_t since = monotonic_nanoseconds();
    int result = find_daemon(&s, o, EX_OSERR);
    if (result != EX_OK)
        return result;
    if (s.pid > 0 && kill(s.pid, SIGHUP) == 0)
        return wait_for_load(&s, since);
    if (s.pid == 0) /* kill(0) is for this process' own group */
        report_error("%s is locked by a process of another container: reload it there",
                     s.settings->pid_file);
    else
        report_error("the daemon (pid %ld) cannot be signalled: %s%s", (long)s.pid, strerror(errno),
                     ask_root(errno));
    return EX_OSERR;
}

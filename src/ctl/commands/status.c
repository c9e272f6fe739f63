/* mlmilterctl status: what the daemon says of itself. */
#include "ctl/commands/commands.h"
#include "ctl/daemon_status.h"
#include "ctl/load.h"
#include "ctl/output.h"
#include "text/json.h"
#include "text/number.h"
#include "text/visible.h"

#include <stdint.h>
#include <stdlib.h>
#include <sysexits.h>

/* For programs only. */
static bool is_for_people(struct span key)
{
    return !span_eq(key, span_cstr("load-clock")) && !span_eq(key, span_cstr("fingerprint"));
}

static void add_lines(struct strbuf *out, struct span text)
{
    struct span key, value;
    while (daemon_status_next(&text, &key, &value)) {
        if (!is_for_people(key))
            continue;
        visible_add(out, key);
        strbuf_addf(out, ":%*s", key.n < 14 ? (int)(14 - key.n) : 1, "");
        visible_add(out, value);
        strbuf_add_char(out, '\n');
    }
}

/* {"pid":1,"version":"...",...,"error":["...",...]} */
static void add_json(struct strbuf *out, struct span text)
{
    const char *separator = "{";
    bool in_errors = false;
    struct span key, value;
    uint64_t number;
    while (daemon_status_next(&text, &key, &value)) {
        strbuf_add_str(out, separator);
        separator = ",";
        if (!in_errors) {
            json_add_string(out, key);
            in_errors = span_eq(key, span_cstr("error"));
            strbuf_add_str(out, in_errors ? ":[" : ":");
        }
        if (number_parse(value, UINT64_MAX, &number))
            strbuf_add_span(out, value);
        else
            json_add_string(out, value);
    }
    strbuf_add_str(out, in_errors ? "]}\n" : "}\n");
}

static int print(const struct daemon_status *status, bool json)
{
    struct span text = strbuf_span(&status->text);
    struct strbuf out = STRBUF_INIT;
    if (text.n == 0) {
        strbuf_addf(&out, json ? "{\"pid\":%ld}\n" : "pid: %ld\n", (long)status->pid);
        report_error("warning: the daemon has not written %s", status->path);
    } else {
        (json ? add_json : add_lines)(&out, text);
    }
    return print_and_free(&out, EX_OK);
}

int run_status(const struct options *o)
{
    struct daemon_status status = {.path = NULL};
    char *pid_file = load_pid_file(o);
    int result;
    if (pid_file == NULL)
        return EX_CONFIG;
    daemon_status_read(&status, pid_file);
    if (status.found == DAEMON_RUNS)
        result = print(&status, o->json);
    else
        result = daemon_status_complain(&status, pid_file) ? EXIT_NO : EX_OSERR;
    daemon_status_free(&status);
    free(pid_file);
    return result;
}

/* mlmilterctl status: what the daemon says of itself. */
#include "ctl/commands/commands.h"
#include "ctl/configuration.h"
#include "ctl/daemon_status.h"
#include "ctl/report.h"
#include "text/json.h"
#include "text/number.h"
#include "text/visible.h"

#include <stdint.h>
#include <stdlib.h>
#include <sysexits.h>

/* For programs only. */
static bool is_for_people(struct span key)
{
    return !span_eq(key, span_cstr("load-clock"));
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

static int print(const struct daemon_status *status, bool as_json)
{
    struct span text = strbuf_span(&status->text);
    struct strbuf out = STRBUF_INIT;
    if (text.n == 0)
        strbuf_addf(&out, as_json ? "{\"pid\":%ld}\n" : "pid: %ld\n", (long)status->pid);
    else if (as_json)
        add_json(&out, text);
    else
        add_lines(&out, text);
    if (text.n == 0)
        report_error("warning: the daemon has not written %s", status->path);
    return write_and_free(&out);
}

static int run_status(struct invocation *invocation, int argc, char **argv)
{
    bool as_json;
    struct daemon_status status = {.path = NULL};
    int result = command_json(invocation, &as_json, argc, argv);
    char *pid_file;
    if (result != EX_OK)
        return result;
    if (optind < argc)
        return usage_error(invocation);
    pid_file = configuration_pid_file(invocation);
    if (pid_file == NULL)
        return EX_CONFIG;
    daemon_status_read(&status, pid_file);
    if (status.found == DAEMON_RUNS)
        result = print(&status, as_json);
    else
        result = daemon_status_complain(&status, pid_file) ? EXIT_NO : EX_OSERR;
    daemon_status_free(&status);
    free(pid_file);
    return result;
}

const struct command command_status = {
    "status", run_status,
    "  status [--json]\n"
    "          does the daemon run, with which configuration, and how did its last load go?\n"};

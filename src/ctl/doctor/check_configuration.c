/* The configuration, with the daemon's own loader: see check_configuration.h. */
#include "ctl/doctor/check_configuration.h"

#include "config/load.h"
#include "ctl/doctor/cure.h"
#include "store/drivers.h"

#include <errno.h>
#include <string.h>

/* Further errors often follow from these. */
#define ERRORS_QUOTED 3

/* The first errors of a severity, a line each. Returns how many were not allowed to be read. */
static size_t quote(const struct diagnostics *diagnostics, enum severity severity,
                    struct strbuf *lines)
{
    size_t quoted = 0;
    size_t denied = 0;
    for (size_t i = 0; i < diagnostics->count; i++) {
        if (diagnostics->items[i].severity != severity)
            continue;
        if (strstr(diagnostics->items[i].text, strerror(EACCES)) != NULL)
            denied++;
        if (quoted++ < ERRORS_QUOTED) {
            strbuf_add_char(lines, '\n');
            diagnostics_format(diagnostics, i, lines);
        }
    }
    return denied;
}

static void say_errors(struct doctor *doctor, const struct diagnostics *diagnostics,
                       const char *check)
{
    struct strbuf lines = STRBUF_INIT;
    size_t denied = quote(diagnostics, SEVERITY_ERROR, &lines);
    if (!doctor->is_root && denied == diagnostics->errors)
        findings_say(&doctor->findings, FINDING_UNSEEN, "configuration-unreadable", NULL,
                     "the configuration cannot be read by this user; run this as root:%s",
                     strbuf_str(&lines));
    else
        findings_say(&doctor->findings, FINDING_MEND, "configuration-wrong", check,
                     "the configuration has %zu error%s:%s", diagnostics->errors,
                     diagnostics->errors == 1 ? "" : "s", strbuf_str(&lines));
    strbuf_free(&lines);
}

static void say_delegated(struct doctor *doctor, const struct diagnostics *diagnostics,
                          const char *check)
{
    struct strbuf lines = STRBUF_INIT;
    (void)quote(diagnostics, SEVERITY_DELEGATED, &lines);
    if (diagnostics->delegated > 0)
        findings_say(&doctor->findings, FINDING_MEND, "delegated-files-wrong", check,
                     "delegated files are wrong, and none of their lists is known:%s",
                     strbuf_str(&lines));
    strbuf_free(&lines);
}

static void say_settings(struct doctor *doctor, const struct settings *settings,
                         const struct diagnostics *diagnostics, const char *check)
{
    size_t lists = settings->index.count;
    say_delegated(doctor, diagnostics, check);
    if (lists == 0)
        findings_say(&doctor->findings, FINDING_MEND, "no-lists", "mlmilterctl import --help",
                     "no list is configured, so no post is stamped: import lists or write them");
    else
        findings_say(&doctor->findings, FINDING_FINE, "configuration", NULL, "%s: %zu list%s",
                     doctor->config_path, lists, lists == 1 ? "" : "s");
    if (diagnostics->hints > 0)
        findings_say(&doctor->findings, FINDING_ADVICE, "configuration-hints", check,
                     "the configuration has %zu hint%s", diagnostics->hints,
                     diagnostics->hints == 1 ? "" : "s");
}

struct settings *check_configuration(struct doctor *doctor)
{
    const struct settings_request request = {
        .path = doctor->config_path, .keys = KEYS_IF_READABLE, .store_fault = store_url_fault};
    struct strbuf check = STRBUF_INIT;
    struct diagnostics diagnostics;
    struct settings *settings;
    diagnostics_init(&diagnostics);
    cure_add_tool(&check, doctor->config_path, "check");
    settings = settings_load(&request, &diagnostics);
    if (settings == NULL)
        say_errors(doctor, &diagnostics, strbuf_str(&check));
    else
        say_settings(doctor, settings, &diagnostics, strbuf_str(&check));
    strbuf_free(&check);
    diagnostics_free(&diagnostics);
    return settings;
}

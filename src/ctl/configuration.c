/* The same loader as the daemon's, so that the tool tells the truth about it. */
#include "ctl/configuration.h"

#include "config/settings_load.h"
#include "ctl/report.h"

#include <stdio.h>

void configuration_report(const struct diagnostics *diagnostics, bool with_hints)
{
    size_t errors_said = 0;
    struct strbuf line = STRBUF_INIT;

    for (size_t i = 0; i < diagnostics->count; i++) {
        bool is_error = diagnostics->items[i].severity == SEVERITY_ERROR;

        if (!is_error && !with_hints)
            continue;
        strbuf_reset(&line);
        diagnostics_format(diagnostics, i, &line);
        fprintf(stderr, "%s\n", strbuf_str(&line));
        errors_said += is_error;
    }
    strbuf_free(&line);
    if (diagnostics->out_of_memory) {
        report_no_memory();
    } else if (diagnostics->errors > errors_said) {
        report_error("errors not shown: %zu", diagnostics->errors - errors_said);
    }
}

struct settings *configuration_load(const struct invocation *invocation)
{
    struct diagnostics diagnostics;
    struct settings *settings;

    diagnostics_init(&diagnostics);
    settings = settings_load(invocation->config_path, SETTINGS_ALL, &diagnostics);
    if (settings == NULL)
        configuration_report(&diagnostics, false);
    diagnostics_free(&diagnostics);
    return settings;
}

const struct list *configuration_find_list(const struct settings *settings, const char *id)
{
    const struct list *list = list_by_id(&settings->index, span_cstr(id));

    if (list == NULL)
        report_error("--list %s: there is no such list", id);
    return list;
}

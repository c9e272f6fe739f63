/* mlmilterctl check: is the configuration right, and is it wise? */
#include "config/settings_load.h"
#include "ctl/command.h"
#include "ctl/configuration.h"
#include "ctl/report.h"

#include <getopt.h>
#include <sysexits.h>
#include <unistd.h>

static void add_counted(struct strbuf *out, size_t n, const char *what)
{
    if (n == 0)
        strbuf_addf(out, "no %ss", what);
    else
        strbuf_addf(out, "%zu %s%s", n, what, n == 1 ? "" : "s");
}

/* "mlmilter.conf: 3 lists, no errors, 1 hint" */
static int say_summary(const char *path, size_t files, const struct settings *settings,
                       const struct diagnostics *diagnostics)
{
    struct strbuf line = STRBUF_INIT;
    int status;

    if (files > 1)
        add_counted(&line, files, "file");
    else
        strbuf_add_str(&line, path);
    strbuf_add_str(&line, ": ");
    add_counted(&line, settings->index.count, "list");
    strbuf_add_str(&line, ", no errors, ");
    add_counted(&line, diagnostics->hints, "hint");
    strbuf_add_char(&line, '\n');
    status = strbuf_failed(&line) ? report_no_memory() : write_output(strbuf_span(&line));
    strbuf_free(&line);
    return status;
}

/* List files are checked with the keys of the main file where there is one. */
static const char *main_file(const struct invocation *invocation)
{
    if (invocation->config_is_given || access(invocation->config_path, F_OK) == 0)
        return invocation->config_path;
    return NULL;
}

int command_check(struct invocation *invocation, int argc, char **argv)
{
    static const struct option options[] = {{NULL, 0, NULL, 0}};
    struct diagnostics diagnostics;
    struct settings *settings;
    size_t files;
    int code;
    int status = EXIT_NO;

    while ((code = getopt_long(argc, argv, "c:", options, NULL)) != -1) {
        if (code != 'c')
            return usage_error("check");
        invocation_set_config(invocation, optarg);
    }
    files = (size_t)(argc - optind);
    diagnostics_init(&diagnostics);
    if (files == 0)
        settings = settings_load(invocation->config_path, SETTINGS_ALL, &diagnostics);
    else
        settings = settings_load_files(main_file(invocation), argv + optind, files, &diagnostics);
    configuration_report(&diagnostics, true);
    if (settings != NULL && !diagnostics_has_errors(&diagnostics)) {
        status = say_summary(files == 0 ? invocation->config_path : argv[optind], files, settings,
                             &diagnostics);
    }
    settings_free(settings);
    diagnostics_free(&diagnostics);
    return status;
}

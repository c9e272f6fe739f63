/* How commands are used, and the options that all of them have: see command.h. */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "ctl/command.h"

#include "config/load.h"
#include "config/store_kinds.h"
#include "ctl/report.h"
#include "text/edit_distance.h"

#include <stdio.h>
#include <string.h>
#include <sysexits.h>

/* command: one, or NULL for all. */
static void write_usage(FILE *to, const struct invocation *invocation,
                        const struct command *command)
{
    fputs("usage: mlmilterctl [-c FILE] COMMAND [ARGUMENT...]\n", to);
    if (command != NULL) {
        fputs(command->usage, to);
        return;
    }
    fputs("       mlmilterctl -V | --version | -h | --help\n"
          "  -c FILE is the main configuration file (default " MAIN_FILE_DEFAULT ")\n\n",
          to);
    for (size_t i = 0; invocation->commands[i] != NULL; i++)
        fputs(invocation->commands[i]->usage, to);
}

int usage_error(const struct invocation *invocation)
{
    write_usage(stderr, invocation, invocation->command);
    return EX_USAGE;
}

static int finish_stdout(void)
{
    return fflush(stdout) == 0 && !ferror(stdout) ? STATUS_DONE : EX_OSERR;
}

int usage_print(const struct invocation *invocation, const struct command *command)
{
    write_usage(stdout, invocation, command);
    return finish_stdout();
}

static int version(void)
{
    printf("mlmilterctl %s\n%s\n", PACKAGE_VERSION, built_in_features());
    return finish_stdout();
}

/* Not getopt's own words: they hold the argument as it is, which may be a web page's. */
static int wrong_option(const struct invocation *invocation, const struct option *all,
                        bool lacks_value, char **argv)
{
    const char *what = lacks_value ? "needs a value" : "is not known";
    const char *written = argv[optind - 1];
    if (strncmp(written, "--", 2) == 0) {
        struct span name = span_cstr(written + 2);
        struct edit_nearest near = edit_nearest_to(span_sub(name, 0, span_find(name, '=')));
        for (; !lacks_value && all->name != NULL; all++)
            edit_nearest_try(&near, span_cstr(all->name));
        if (near.nearest.p != NULL)
            report_error("option \"%s\" %s (did you mean \"--%s\"?)", written, what,
                         near.nearest.p);
        else
            report_error("option \"%s\" %s", written, what);
    } else {
        report_error("option \"-%c\" %s", optopt, what);
    }
    return usage_error(invocation);
}

int command_option(struct invocation *invocation, const struct option *own, enum option_order order,
                   int argc, char **argv, int *status)
{
    static const struct option common[] = {
        {"version", no_argument, NULL, 'V'}, {"help", no_argument, NULL, 'h'}, {NULL, 0, NULL, 0}};
    struct option all[16];
    size_t n = 0;
    for (; own != NULL && own[n].name != NULL; n++)
        all[n] = own[n];
    memcpy(all + n, common, sizeof common);
    opterr = 0;
    *status = EX_OK;
    for (;;) {
        int code =
            getopt_long(argc, argv, order == OPTIONS_ANYWHERE ? ":c:Vh" : "+:c:Vh", all, NULL);
        switch (code) {
        case 'c':
            invocation->config_path = optarg;
            invocation->config_is_given = true;
            break;
        case 'V':
            *status = version();
            return COMMAND_ENDS;
        case 'h':
            *status = usage_print(invocation, invocation->command);
            return COMMAND_ENDS;
        case ':':
        case '?':
            *status = wrong_option(invocation, all, code == ':', argv);
            return COMMAND_ENDS;
        default:
            return code;
        }
    }
}

int command_values(struct invocation *invocation, const struct option *own, const char **values,
                   int argc, char **argv)
{
    int status;
    int code;
    while ((code = command_option(invocation, own, OPTIONS_ANYWHERE, argc, argv, &status)) >= 0)
        values[code] = optarg != NULL ? optarg : "";
    return status;
}

int command_json(struct invocation *invocation, bool *as_json, int argc, char **argv)
{
    static const struct option own[] = {{"json", no_argument, NULL, 0}, {NULL, 0, NULL, 0}};
    const char *value = NULL;
    int status = command_values(invocation, own, &value, argc, argv);
    *as_json = value != NULL;
    return status;
}

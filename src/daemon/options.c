/* options - see options.h */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "daemon/options.h"

#include "config/load.h"
#include "config/socket_fault.h"
#include "config/store_kinds.h"
#include "daemon/log.h"
#include "text/strbuf.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>

static void write_usage(FILE *to)
{
    fputs("usage: mlmilter [-f] [-n] [-c FILE] [-p SOCKET]\n"
          "       mlmilter -V | --version | -h | --help\n"
          "  -f         stay in the foreground, log to standard error\n"
          "  -n         check the configuration and exit: 0, or 78 with file:line: messages\n"
          "  -c FILE    the main configuration file (default " MAIN_FILE_DEFAULT ")\n"
          "  -p SOCKET  listen there in place of the configured socket\n"
          "  -V         print the version, and what is built in (also --version)\n"
          "  -h         print this help (also --help)\n",
          to);
}

/* Checks -p by the rules of the key. */
static bool socket_is_fine(const char *socket)
{
    const char *fault = socket_fault(span_cstr(socket));
    if (fault != NULL)
        fprintf(stderr, "mlmilter: -p \"%s\": %s\n", socket, fault);
    return fault == NULL;
}

enum options_result options_parse(int argc, char **argv, struct options *options)
{
    static const struct option names[] = {
        {"version", no_argument, NULL, 'V'}, {"help", no_argument, NULL, 'h'}, {NULL, 0, NULL, 0}};
    int c;
    memset(options, 0, sizeof *options);
    options->config_path = MAIN_FILE_DEFAULT;
    while ((c = getopt_long(argc, argv, "fnc:p:Vh", names, NULL)) != -1) {
        switch (c) {
        case 'f':
            options->foreground = true;
            break;
        case 'n':
            options->check_only = true;
            break;
        case 'c':
            options->config_path = optarg;
            break;
        case 'p':
            if (!socket_is_fine(optarg))
                return OPTIONS_USAGE;
            options->socket = optarg;
            break;
        case 'V':
            printf("mlmilter %s\n%s\n", PACKAGE_VERSION, built_in_features());
            return OPTIONS_DONE;
        case 'h':
            write_usage(stdout);
            return OPTIONS_DONE;
        default:
            write_usage(stderr);
            return OPTIONS_USAGE;
        }
    }
    if (optind < argc) {
        fprintf(stderr, "mlmilter: unexpected argument \"%s\"\n", argv[optind]);
        write_usage(stderr);
        return OPTIONS_USAGE;
    }
    return OPTIONS_RUN;
}

/* The values of a start, as one text. */
static char *start_keys;

static char *text_of(const struct settings *settings)
{
    struct strbuf text = STRBUF_INIT;
    strbuf_addf(&text, "%s\n%s\n%s\n%o\n%s\n%d", settings->socket, settings->user,
                settings->socket_group != NULL ? settings->socket_group : "", settings->socket_mode,
                settings->pid_file, (int)settings->syslog_facility);
    return text.data;
}

void start_keys_keep(const struct settings *settings)
{
    free(start_keys);
    start_keys = text_of(settings);
}

void start_keys_compare(const struct settings *settings)
{
    char *text = text_of(settings);
    if (strcmp(text, start_keys) != 0)
        log_line(LOG_WARNING,
                 "warning: one of socket, user, socket_group, socket_mode, pid_file and "
                 "syslog_facility was changed: the old values stay until a restart");
    free(text);
}

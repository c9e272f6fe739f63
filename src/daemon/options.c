/* The command line of mlmilter. */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "daemon/options.h"

#include "config/socket_fault.h"
#include "config/store_kinds.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

#define DEFAULT_CONFIG_PATH MLMILTER_SYSCONFDIR "/mlmilter/mlmilter.conf"

static void write_usage(FILE *to)
{
    fputs("usage: mlmilter [-f] [-n] [-c FILE] [-p SOCKET]\n"
          "       mlmilter -V | --version | -h | --help\n"
          "  -f         stay in the foreground, log to standard error\n"
          "  -n         check the configuration and exit: 0, or 78 with file:line: messages\n"
          "  -c FILE    the main configuration file (default " DEFAULT_CONFIG_PATH ")\n"
          "  -p SOCKET  listen there in place of the configured socket\n"
          "  -V         print the version, and what is built in (also --version)\n"
          "  -h         print this help (also --help)\n",
          to);
}

/* -p is held to the same rules as the key. */
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
    options->config_path = DEFAULT_CONFIG_PATH;
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

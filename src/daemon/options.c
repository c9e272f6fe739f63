/* The command line of mlmilter, and keys that are kept to be compared. */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "daemon/options.h"

#include "config/load.h"
#include "config/socket_fault.h"
#include "config/store_kinds.h"
#include "config/syntax/schema.h"
#include "daemon/log.h"
#include "text/memory.h"

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

void start_keys_copy(struct start_keys *keys, const struct settings *settings)
{
    memset(keys, 0, sizeof *keys);
    keys->socket = memory_copy(settings->socket);
    keys->user = memory_copy(settings->user);
    keys->pid_file = memory_copy(settings->pid_file);
    if (settings->socket_group != NULL)
        keys->socket_group = memory_copy(settings->socket_group);
    keys->socket_mode = settings->socket_mode;
    keys->syslog_facility = log_facility(settings->syslog_facility);
}

void start_keys_free(struct start_keys *keys)
{
    free(keys->socket);
    free(keys->user);
    free(keys->socket_group);
    free(keys->pid_file);
    memset(keys, 0, sizeof *keys);
}

static bool same(const char *a, const char *b)
{
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

void start_keys_compare(const struct start_keys *keys, const struct settings *settings)
{
    const struct {
        enum key key;
        bool same;
    } rows[] = {
        {KEY_SOCKET, same(keys->socket, settings->socket)},
        {KEY_USER, same(keys->user, settings->user)},
        {KEY_SOCKET_GROUP, same(keys->socket_group, settings->socket_group)},
        {KEY_SOCKET_MODE, keys->socket_mode == settings->socket_mode},
        {KEY_PID_FILE, same(keys->pid_file, settings->pid_file)},
        {KEY_SYSLOG_FACILITY, keys->syslog_facility == log_facility(settings->syslog_facility)},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (!rows[i].same)
            log_printf(LOG_WARNING, "warning: %s was changed: the old value stays until a restart",
                       schema[rows[i].key].name);
}

/* mlmilterctl: which command, and what stands before it. */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "config/built_in.h"
#include "ctl/command.h"
#include "ctl/report.h"
#include "ctl/transaction.h"

#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sysexits.h>

#define DEFAULT_CONFIG_PATH MLMILTER_SYSCONFDIR "/mlmilter/mlmilter.conf"

struct command {
    const char *name;
    int (*run)(struct invocation *invocation, int argc, char **argv);
    const char *usage;
};

static const struct command commands[] = {
    {"check", command_check,
     "  check [FILE...]\n"
     "          is the configuration right? With FILEs: are these? A list file has the defaults\n"
     "          of the main file\n"},
    {"filter", command_filter,
     "  filter " TRANSACTION_USAGE "\n"
     "          message on standard input, with the edits made, on standard output\n"},
    {"explain", command_explain,
     "  explain [--json] " TRANSACTION_USAGE "\n"
     "          which list, why, and what would be done with the message\n"},
    {"hash", command_hash,
     "  hash [--rev1] [FILE]\n"
     "          Message-ID-Hash (or X-List-ID-Hash) of the message\n"
     "  hash --normalize TEXT\n"
     "          a hash as somebody typed it, made canonical\n"},
    {"url", command_url,
     "  url [--list ID] [--template T] [--base URL] [FILE]\n"
     "          the stable URLs of an off-list copy\n"},
    {"map", command_map,
     "  map [--format tsv] MBOX|MAILDIR...\n"
     "          Message-ID-Hash, Message-ID and place of every message, a line each (the place\n"
     "          is FILE:OFFSET in an mbox; MBOX may be - for standard input)\n"
     "  map --format nginx [--to TEMPLATE] [--first N] MBOX|MAILDIR...\n"
     "          lines for a map of nginx: HASH \"VALUE\"; (TEMPLATE default {message_id};\n"
     "          {sequence} is N for the first message, default 1)\n"},
    {"sequence", command_sequence,
     "  sequence show LIST\n"
     "          the last number given\n"
     "  sequence set LIST N\n"
     "          the next post gets N+1; never lowers\n"
     "  sequence prune DAYS [LIST]\n"
     "          forget posts first seen more than DAYS ago; says how many\n"},
    {"new-list-id", command_new_list_id,
     "  new-list-id NAME [DOMAIN]\n"
     "          a List-Id; without a domain of one's own a random one in localhost\n"},
    {"verify-token", command_verify_token,
     "  verify-token LIST ADDRESS TOKEN\n"
     "          was the {recipient_token} of a one-click URL made with our keys?\n"},
};

#define COMMAND_COUNT (sizeof commands / sizeof commands[0])

static const struct command *find_command(const char *name)
{
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    }
    return NULL;
}

static void write_usage(FILE *to)
{
    fputs("usage: mlmilterctl [-c FILE] COMMAND [ARGUMENT...]\n"
          "       mlmilterctl --version | --help\n"
          "  -c FILE is the main configuration file (default " DEFAULT_CONFIG_PATH ")\n\n",
          to);
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        fputs(commands[i].usage, to);
}

int usage_error(const char *command)
{
    const struct command *found = command == NULL ? NULL : find_command(command);

    if (found == NULL)
        write_usage(stderr);
    else
        fprintf(stderr, "usage: mlmilterctl [-c FILE] COMMAND [ARGUMENT...]\n%s", found->usage);
    return EX_USAGE;
}

void invocation_set_config(struct invocation *invocation, const char *path)
{
    invocation->config_path = path;
    invocation->config_is_given = true;
}

static int finish_stdout(void)
{
    return fflush(stdout) == 0 && !ferror(stdout) ? EX_OK : EX_OSERR;
}

static int help(void)
{
    write_usage(stdout);
    return finish_stdout();
}

static int run_command(struct invocation *invocation, int argc, char **argv)
{
    const struct command *command = find_command(argv[0]);

    if (command == NULL) {
        if (strcmp(argv[0], "help") == 0)
            return help();
        report_error("unknown command \"%s\"", argv[0]);
        return usage_error(NULL);
    }
    argv[0] = (char[]){"mlmilterctl"}; /* what getopt_long calls itself */
    optind = 0;                        /* begin anew: glibc, musl and the BSDs agree on 0 */
    return command->run(invocation, argc, argv);
}

int main(int argc, char **argv)
{
    static const struct option options[] = {
        {"version", no_argument, NULL, 'V'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    struct invocation invocation = {DEFAULT_CONFIG_PATH, false};
    int code;

    signal(SIGPIPE, SIG_IGN); /* a reader that goes away is a write error: EX_OSERR */
    while ((code = getopt_long(argc, argv, "+c:Vh", options, NULL)) != -1) {
        switch (code) {
        case 'c':
            invocation_set_config(&invocation, optarg);
            break;
        case 'V':
            printf("mlmilterctl %s\n%s\n", PACKAGE_VERSION, built_in_features());
            return finish_stdout();
        case 'h':
            return help();
        default:
            return usage_error(NULL);
        }
    }
    if (optind == argc)
        return usage_error(NULL);
    return run_command(&invocation, argc - optind, argv + optind);
}

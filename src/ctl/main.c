/* mlmilterctl: which command, and what stands before it. */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "config/built_in.h"
#include "ctl/command.h"
#include "ctl/report.h"
#include "ctl/transaction.h"
#include "text/edit_distance.h"

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
    {"help", command_help,
     "  help [COMMAND]\n"
     "          this list, or how one command is used\n"},
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

/* name: a command, or NULL for all. */
static void write_usage(FILE *to, const char *name)
{
    fputs("usage: mlmilterctl [-c FILE] COMMAND [ARGUMENT...]\n", to);
    if (name == NULL)
        fputs("       mlmilterctl -V | --version | -h | --help\n"
              "  -c FILE is the main configuration file (default " DEFAULT_CONFIG_PATH ")\n\n",
              to);
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        if (name == NULL || strcmp(name, commands[i].name) == 0)
            fputs(commands[i].usage, to);
    }
}

int usage_error(const char *command)
{
    write_usage(stderr, command);
    return EX_USAGE;
}

static int finish_stdout(void)
{
    return fflush(stdout) == 0 && !ferror(stdout) ? STATUS_DONE : EX_OSERR;
}

static int help(const char *command)
{
    write_usage(stdout, command);
    return finish_stdout();
}

static int version(void)
{
    printf("mlmilterctl %s\n%s\n", PACKAGE_VERSION, built_in_features());
    return finish_stdout();
}

/* Not getopt's own words: they hold the argument as it is, which may be a web page's. */
static int wrong_option(const struct invocation *invocation, bool lacks_value, char **argv)
{
    const char *what = lacks_value ? "needs a value" : "is not known";

    if (strncmp(argv[optind - 1], "--", 2) == 0)
        report_error("option \"%s\" %s", argv[optind - 1], what);
    else
        report_error("option \"-%c\" %s", optopt, what);
    return usage_error(invocation->command);
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
            *status = help(invocation->command);
            return COMMAND_ENDS;
        case ':':
        case '?':
            *status = wrong_option(invocation, code == ':', argv);
            return COMMAND_ENDS;
        default:
            return code;
        }
    }
}

static int unknown_command(const char *name)
{
    struct edit_nearest near = edit_nearest_to(span_cstr(name));

    for (size_t i = 0; i < COMMAND_COUNT; i++)
        edit_nearest_try(&near, span_cstr(commands[i].name));
    if (near.nearest.p == NULL) {
        report_error("unknown command \"%s\"", name);
        return usage_error(NULL);
    }
    report_error("unknown command \"%s\" (did you mean \"%s\"?)", name, near.nearest.p);
    return usage_error(near.nearest.p);
}

int command_help(struct invocation *invocation, int argc, char **argv)
{
    int status;

    if (command_option(invocation, NULL, OPTIONS_ANYWHERE, argc, argv, &status) == COMMAND_ENDS)
        return status;
    if (argc - optind > 1)
        return usage_error("help");
    if (optind < argc && find_command(argv[optind]) == NULL)
        return unknown_command(argv[optind]);
    return help(argv[optind]);
}

static int run(int argc, char **argv)
{
    struct invocation invocation = {.config_path = DEFAULT_CONFIG_PATH};
    const struct command *command;
    int status;

    if (command_option(&invocation, NULL, OPTIONS_BEFORE_ARGUMENTS, argc, argv, &status) ==
        COMMAND_ENDS)
        return status;
    if (optind == argc)
        return usage_error(NULL);
    command = find_command(argv[optind]);
    if (command == NULL)
        return unknown_command(argv[optind]);
    argc -= optind;
    argv += optind;
    optind = 0; /* begin anew: glibc, musl and the BSDs agree on 0 */
    invocation.command = command->name;
    return command->run(&invocation, argc, argv);
}

int main(int argc, char **argv)
{
    int status;

    signal(SIGPIPE, SIG_IGN); /* a reader that goes away is a write error: EX_OSERR */
    status = run(argc, argv);
    return status == STATUS_DONE ? EX_OK : status;
}

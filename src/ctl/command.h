/*
 * command - what the commands of mlmilterctl have in common
 *
 * A command gets what stood before it on the command line and its own arguments
 * (argv[0] is the program's name), and returns the exit status of the process:
 * 0 done, 1 no, or one of <sysexits.h>.  One thread, one command, then the end.
 */
#ifndef MLMILTER_CTL_COMMAND_H
#define MLMILTER_CTL_COMMAND_H

#include <getopt.h>
#include <stdbool.h>

/* "No": not found, not valid. The others are EX_USAGE 64, EX_DATAERR 65, EX_UNAVAILABLE 69,
 * EX_OSERR 71 and EX_CONFIG 78. */
#define EXIT_NO 1

struct invocation;

struct command {
    const char *name;
    int (*run)(struct invocation *invocation, int argc, char **argv);
    const char *usage; /* lines, each with its line end */
};

struct invocation {
    const char *config_path;
    bool config_is_given;                  /* -c, not the default path */
    const struct command *const *commands; /* all of them; NULL ends them */
    const struct command *command;         /* NULL: it is not known yet */
};

/* How far options go. */
enum option_order {
    OPTIONS_ANYWHERE,        /* getopt_long puts them in front */
    OPTIONS_BEFORE_ARGUMENTS /* the first argument ends them */
};

/* What command_option returns besides options. */
#define OPTIONS_END  (-1) /* the arguments begin at optind */
#define COMMAND_ENDS (-2) /* return *status */

/* The exit status of a command that has printed its help or the version: 0, but that nobody takes
 * it for "go on". */
#define STATUS_DONE (-1)

/* getopt_long for a command: the next of its own options (`own` as there; NULL: it has none). Those
 * that all have are taken here: -c, and -h, --help, -V, --version, which print what is asked for;
 * so is one that is wrong, which is said. *status is EX_OK until COMMAND_ENDS. */
int command_option(struct invocation *invocation, const struct option *own, enum option_order order,
                   int argc, char **argv, int *status);

/* All its own options, which may stand anywhere; the code of each is its index. values[code] is the
 * value, "" for an option without one, and stays as it is where the option is not given. EX_OK: the
 * arguments begin at optind. */
int command_values(struct invocation *invocation, const struct option *own, const char **values,
                   int argc, char **argv);

/* The same for a command whose only option of its own is --json. */
int command_json(struct invocation *invocation, bool *as_json, int argc, char **argv);

/* How the command is used (all of them, before it is known), on standard error. Returns EX_USAGE.
 */
int usage_error(const struct invocation *invocation);

/* Prints on standard output how the command is used (NULL: all of them). Returns STATUS_DONE, or
 * EX_OSERR. */
int usage_print(const struct invocation *invocation, const struct command *command);

#endif

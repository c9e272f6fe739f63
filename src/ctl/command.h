/*
 * command - a command of mlmilterctl, and its options
 *
 * A command gets the global options and its own arguments (argv[0] is the program's name).  It
 * returns the exit status of the process: 0 done, 1 no, or one of <sysexits.h>.  One thread.
 */
#ifndef MLMILTER_CTL_COMMAND_H
#define MLMILTER_CTL_COMMAND_H

#include <getopt.h>
#include <stdbool.h>

/* "No": not found, not valid. Other statuses are EX_USAGE 64, EX_DATAERR 65, EX_UNAVAILABLE 69,
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
    const struct command *command;         /* NULL: not known yet */
};

enum option_order {
    OPTIONS_ANYWHERE,        /* getopt_long moves them before the arguments */
    OPTIONS_BEFORE_ARGUMENTS /* the first argument ends them */
};

/* Results of command_option that are no options. */
#define OPTIONS_END  (-1) /* the arguments begin at optind */
#define COMMAND_ENDS (-2) /* return *status */

/* The status after a command printed its help or the version: the process ends with 0. */
#define STATUS_DONE (-1)

/* Returns the next of the command's own options (own: as for getopt_long, or NULL), OPTIONS_END or
 * COMMAND_ENDS. Handles -c, -h, --help, -V and --version itself, and reports an option that is
 * wrong. *status is EX_OK until COMMAND_ENDS. */
int command_option(struct invocation *invocation, const struct option *own, enum option_order order,
                   int argc, char **argv, int *status);

/* Reads all of the command's own options, which may be anywhere; the code of each is its index.
 * Sets values[code] of each given option to its value, or "". Returns EX_OK, with the arguments
 * from optind on, or the status to end with. */
int command_values(struct invocation *invocation, const struct option *own, const char **values,
                   int argc, char **argv);

/* Reads the options of a command whose only one is --json. Returns as command_values. */
int command_json(struct invocation *invocation, bool *as_json, int argc, char **argv);

/* Prints on standard error how the command is used, or all commands if it is not known. Returns
 * EX_USAGE. */
int usage_error(const struct invocation *invocation);

/* Prints on standard output how the command is used, or all commands (NULL). Returns STATUS_DONE,
 * or EX_OSERR. */
int usage_print(const struct invocation *invocation, const struct command *command);

#endif

/*
 * command - what the commands of mlmilterctl have in common
 *
 * A command gets what stood before it on the command line and its own arguments
 * (argv[0] is the program's name), and returns the exit status of the process:
 * 0 done, 1 no, or one of <sysexits.h>.  One thread, one command, then the end.
 */
#ifndef MLMILTER_CTL_COMMAND_H
#define MLMILTER_CTL_COMMAND_H

#include <stdbool.h>

/* "No": not found, not valid. The others are EX_USAGE 64, EX_DATAERR 65, EX_UNAVAILABLE 69,
 * EX_OSERR 71 and EX_CONFIG 78. */
#define EXIT_NO 1

struct invocation {
    const char *config_path;
    bool config_is_given; /* -c, not the default path */
};

int command_check(struct invocation *invocation, int argc, char **argv);
int command_filter(struct invocation *invocation, int argc, char **argv);
int command_explain(struct invocation *invocation, int argc, char **argv);
int command_hash(struct invocation *invocation, int argc, char **argv);
int command_url(struct invocation *invocation, int argc, char **argv);
int command_map(struct invocation *invocation, int argc, char **argv);
int command_sequence(struct invocation *invocation, int argc, char **argv);
int command_new_list_id(struct invocation *invocation, int argc, char **argv);
int command_verify_token(struct invocation *invocation, int argc, char **argv);

/* Takes a -c that stands behind the command. */
void invocation_set_config(struct invocation *invocation, const char *path);

/* How the command is used, on standard error. Returns EX_USAGE. */
int usage_error(const char *command);

#endif

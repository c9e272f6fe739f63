/*
 * commands - the commands of mlmilterctl (objects only: each is in a file of its own)
 *
 * A new command is a file here, a line below and a row of the table in ctl/main.c.
 */
#ifndef MLMILTER_CTL_COMMANDS_COMMANDS_H
#define MLMILTER_CTL_COMMANDS_COMMANDS_H

#include "ctl/options.h"

/* Run a command. Return the exit status. */
int run_check(const struct options *o);
int run_doctor(const struct options *o);
int run_explain(const struct options *o);
int run_filter(const struct options *o);
int run_hash(const struct options *o);
int run_import(const struct options *o);
int run_lint(const struct options *o);
int run_lists(const struct options *o);
int run_map(const struct options *o);
int run_new_list_id(const struct options *o);
int run_reload(const struct options *o);
int run_sequence(const struct options *o);
int run_show(const struct options *o);
int run_status(const struct options *o);
int run_url(const struct options *o);
int run_verify_token(const struct options *o);

#endif

/*
 * commands - what mlmilterctl can do; objects only, each of the file of its name
 *
 * A new command is a file here, a line below and one in ctl/main.c.
 */
#ifndef MLMILTER_CTL_COMMANDS_COMMANDS_H
#define MLMILTER_CTL_COMMANDS_COMMANDS_H

#include "ctl/command.h"

extern const struct command command_check;
extern const struct command command_doctor;
extern const struct command command_explain;
extern const struct command command_filter;
extern const struct command command_hash;
extern const struct command command_import;
extern const struct command command_lint;
extern const struct command command_lists;
extern const struct command command_map;
extern const struct command command_new_list_id;
extern const struct command command_reload;
extern const struct command command_sequence;
extern const struct command command_show;
extern const struct command command_status;
extern const struct command command_url;
extern const struct command command_verify_token;

#endif

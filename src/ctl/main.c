/* mlmilterctl: which command, and what stands before it. */
#include "config/load.h"
#include "ctl/commands/commands.h"
#include "ctl/report.h"
#include "text/edit_distance.h"

#include <signal.h>
#include <string.h>
#include <sysexits.h>
#include <syslog.h>

static const struct command *find_command(const struct invocation *invocation, const char *name)
{
    const struct command *const *at = invocation->commands;
    while (*at != NULL && strcmp((*at)->name, name) != 0)
        at++;
    return *at;
}

/* The usage is that of the command which was probably meant. */
static int unknown_command(struct invocation *invocation, const char *name)
{
    struct edit_nearest near = edit_nearest_to(span_cstr(name));
    for (size_t i = 0; invocation->commands[i] != NULL; i++)
        edit_nearest_try(&near, span_cstr(invocation->commands[i]->name));
    invocation->command = NULL;
    if (near.nearest.p == NULL) {
        report_error("unknown command \"%s\"", name);
    } else {
        report_error("unknown command \"%s\" (did you mean \"%s\"?)", name, near.nearest.p);
        invocation->command = find_command(invocation, near.nearest.p);
    }
    return usage_error(invocation);
}

static int run_help(struct invocation *invocation, int argc, char **argv)
{
    const struct command *command = NULL;
    int status;
    if (command_option(invocation, NULL, OPTIONS_ANYWHERE, argc, argv, &status) == COMMAND_ENDS)
        return status;
    if (argc - optind > 1)
        return usage_error(invocation);
    if (optind < argc) {
        command = find_command(invocation, argv[optind]);
        if (command == NULL)
            return unknown_command(invocation, argv[optind]);
    }
    return usage_print(invocation, command);
}

static const struct command help = {"help", run_help,
                                    "  help [COMMAND]\n"
                                    "          this list, or how one command is used\n"};

static const struct command *const commands[] = {
    &command_check,
    &command_doctor,
    &command_lint,
    &command_lists,
    &command_show,
    &command_status,
    &command_reload,
    &command_filter,
    &command_explain,
    &command_hash,
    &command_url,
    &command_map,
    &command_sequence,
    &command_new_list_id,
    &command_verify_token,
    &command_import,
    &help,
    NULL,
};

static int run(int argc, char **argv)
{
    struct invocation invocation = {.config_path = MAIN_FILE_DEFAULT, .commands = commands};
    int status;
    if (command_option(&invocation, NULL, OPTIONS_BEFORE_ARGUMENTS, argc, argv, &status) ==
        COMMAND_ENDS)
        return status;
    if (optind == argc)
        return usage_error(&invocation);
    invocation.command = find_command(&invocation, argv[optind]);
    if (invocation.command == NULL)
        return unknown_command(&invocation, argv[optind]);
    argc -= optind;
    argv += optind;
    optind = 0; /* begin anew: glibc, musl and the BSDs agree on 0 */
    return invocation.command->run(&invocation, argc, argv);
}

int main(int argc, char **argv)
{
    openlog("mlmilterctl", LOG_PERROR, LOG_USER); /* of text/memory.h */
    int status;
    signal(SIGPIPE, SIG_IGN); /* a reader that goes away is a write error: EX_OSERR */
    status = run(argc, argv);
    return status == STATUS_DONE ? EX_OK : status;
}

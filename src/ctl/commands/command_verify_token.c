/* mlmilterctl verify-token: did we make this one-click URL (RFC 8058 3.1, RULINGS 17)? */
#include "ctl/commands/commands.h"
#include "ctl/configuration.h"
#include "ctl/report.h"
#include "mail/address.h"
#include "spec/recipient_token.h"

#include <sysexits.h>

static int verify(const struct settings *settings, const char *list_id, const char *address,
                  const char *token)
{
    const struct list *list;
    if (settings->recipient_key_count == 0) {
        report_error("there are no keys: the configuration names no token_key_file");
        return EX_CONFIG;
    }
    list = configuration_find_list(settings, list_id);
    if (list == NULL)
        return EXIT_NO;
    bool valid =
        recipient_token_verify(settings->recipient_keys, settings->recipient_key_count, list->id,
                               address_bare(span_cstr(address)), span_cstr(token));
    if (!valid)
        report_error("not valid");
    return valid ? EX_OK : EXIT_NO;
}

static int run_verify_token(struct invocation *invocation, int argc, char **argv)
{
    struct settings *settings;
    int status;
    /* A token may begin with "-". */
    if (command_option(invocation, NULL, OPTIONS_BEFORE_ARGUMENTS, argc, argv, &status) ==
        COMMAND_ENDS)
        return status;
    if (argc - optind != 3)
        return usage_error(invocation);
    settings = configuration_load(invocation, KEYS_NEEDED);
    if (settings == NULL)
        return EX_CONFIG;
    status = verify(settings, argv[optind], argv[optind + 1], argv[optind + 2]);
    settings_free(settings);
    return status;
}

const struct command command_verify_token = {
    "verify-token", run_verify_token,
    "  verify-token LIST ADDRESS TOKEN\n"
    "          was the {recipient_token} of a one-click URL made with our keys?\n"};

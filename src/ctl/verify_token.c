/* mlmilterctl verify-token: checks the token of a one-click URL (RFC 8058 3.1, RULINGS 17). */
#include "ctl/tool.h"
#include "mail/address.h"
#include "spec/recipient_token.h"

int run_verify_token(const struct options *o)
{
    const struct settings *settings = load_settings(o, SETTINGS_MAIN_KEYS, KEYS_NEEDED);
    if (settings == NULL)
        return EX_CONFIG;
    if (settings->recipient_key_count == 0) {
        report_error("there are no keys: the configuration names no token_key_file");
        return EX_CONFIG;
    }
    if (recipient_token_verify(settings->recipient_keys, settings->recipient_key_count,
                               span_cstr(o->arguments[0]), address_bare(span_cstr(o->arguments[1])),
                               span_cstr(o->arguments[2])))
        return EX_OK;
    report_error("not valid");
    return EXIT_NO;
}

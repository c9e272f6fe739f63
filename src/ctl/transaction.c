/* Options of filter and explain: see transaction.h. */
#include "ctl/transaction.h"

#include "ctl/report.h"
#include "text/memory.h"

#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

enum option_code {
    OPTION_CLIENT = 256,
    OPTION_SENDER,
    OPTION_RECIPIENT,
    OPTION_MTA_RECIPIENT,
    OPTION_DAEMON,
    OPTION_AUTHENTICATED,
    OPTION_LIST,
    OPTION_JSON,
    OPTION_DIFF
};

static const struct option options[] = {
    {"client", required_argument, NULL, OPTION_CLIENT},
    {"sender", required_argument, NULL, OPTION_SENDER},
    {"recipient", required_argument, NULL, OPTION_RECIPIENT},
    {"mta-recipient", required_argument, NULL, OPTION_MTA_RECIPIENT},
    {"daemon", required_argument, NULL, OPTION_DAEMON},
    {"authenticated", no_argument, NULL, OPTION_AUTHENTICATED},
    {"list", required_argument, NULL, OPTION_LIST},
    {"json", no_argument, NULL, OPTION_JSON},
    {"diff", no_argument, NULL, OPTION_DIFF},
    {NULL, 0, NULL, 0},
};

static int set_client(struct transaction *t, const char *text)
{
    t->client.local = false;
    t->client.has_address = trust_address_parse(span_cstr(text), &t->client.address);
    if (!t->client.has_address) {
        report_error("--client %s: expected an IPv4 or IPv6 address", text);
        return EX_USAGE;
    }
    return EX_OK;
}

/* What the MTA makes of the recipient before it. */
static int set_mta_recipient(struct transaction *t, const char *text)
{
    if (t->recipient_count == 0 || t->mta_recipients[t->recipient_count - 1] != NULL) {
        report_error("--mta-recipient %s: expected after a --recipient, once", text);
        return EX_USAGE;
    }
    t->mta_recipients[t->recipient_count - 1] = text;
    return EX_OK;
}

static int check_own(const struct invocation *invocation, const char *option, const char *own)
{
    if (strcmp(option, own) == 0)
        return EX_OK;
    report_error("%s has no option --%s (expected --%s)", invocation->command->name, option, own);
    return usage_error(invocation);
}

/* One option: what command_option gave, and the status that it left. */
static int take_option(struct transaction *t, const struct invocation *invocation, const char *own,
                       int code, int status)
{
    switch (code) {
    case OPTION_CLIENT:
        return set_client(t, optarg);
    case OPTION_SENDER:
        t->sender = optarg;
        return EX_OK;
    case OPTION_RECIPIENT:
        t->recipients[t->recipient_count++] = optarg;
        return EX_OK;
    case OPTION_MTA_RECIPIENT:
        return set_mta_recipient(t, optarg);
    case OPTION_DAEMON:
        t->client.daemon_name = span_cstr(optarg);
        return EX_OK;
    case OPTION_AUTHENTICATED:
        t->client.authenticated = true;
        return EX_OK;
    case OPTION_LIST:
        t->forced_list = optarg;
        return EX_OK;
    case OPTION_JSON:
        t->json = true;
        return check_own(invocation, "json", own);
    case OPTION_DIFF:
        t->diff = true;
        return check_own(invocation, "diff", own);
    default: /* COMMAND_ENDS */
        return status;
    }
}

int transaction_parse(struct transaction *t, struct invocation *invocation, const char *own,
                      int argc, char **argv)
{
    int code;
    int status = EX_OK;
    memset(t, 0, sizeof *t);
    t->client.local = true;
    t->sender = "";
    t->recipients = memory_new((size_t)argc + 1, sizeof *t->recipients); /* room for all */
    t->mta_recipients = memory_new((size_t)argc + 1, sizeof *t->mta_recipients);
    while (status == EX_OK && (code = command_option(invocation, options, OPTIONS_ANYWHERE, argc,
                                                     argv, &status)) != OPTIONS_END)
        status = take_option(t, invocation, own, code, status);
    if (status == EX_OK && argc - optind > 1) {
        report_error("%s: unexpected argument \"%s\" (one message at a time)",
                     invocation->command->name, argv[optind + 1]);
        status = usage_error(invocation);
    }
    t->file = optind < argc ? argv[optind] : NULL;
    return status;
}

void transaction_free(struct transaction *t)
{
    free(t->recipients);
    free(t->mta_recipients);
    t->recipients = t->mta_recipients = NULL;
}

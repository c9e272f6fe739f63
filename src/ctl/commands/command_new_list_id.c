/* mlmilterctl new-list-id: a List-Id that nobody else has (RFC 2919 5, LI-04). */
#include "ctl/commands/commands.h"
#include "ctl/report.h"
#include "spec/list_id.h"
#include "text/strbuf.h"

#include <errno.h>
#include <string.h>
#include <sysexits.h>
#include <time.h>
#include <unistd.h>

static int make(struct strbuf *id, struct span name, struct span domain)
{
    unsigned char octets[LIST_ID_RANDOM_OCTETS];
    time_t now = time(NULL);
    struct tm utc;
    if (getentropy(octets, sizeof octets) != 0 || gmtime_r(&now, &utc) == NULL) {
        report_error("no random bytes, or no date: %s", strerror(errno));
        return EX_OSERR;
    }
    list_id_make(id, name, domain, octets, utc.tm_mon + 1, utc.tm_year + 1900);
    return EX_OK;
}

static int write_id(struct strbuf *id)
{
    const char *fault = list_id_fault(strbuf_span(id));
    if (fault != NULL) {
        report_error("list id \"%s\": %s", strbuf_str(id), fault);
        return EXIT_NO;
    }
    strbuf_add_char(id, '\n');
    return write_output(strbuf_span(id));
}

static int run_new_list_id(struct invocation *invocation, int argc, char **argv)
{
    struct strbuf id = STRBUF_INIT;
    struct span domain;
    int status;
    if (command_option(invocation, NULL, OPTIONS_ANYWHERE, argc, argv, &status) == COMMAND_ENDS)
        return status;
    if (argc - optind < 1 || argc - optind > 2)
        return usage_error(invocation);
    domain = span_cstr(argv[optind + 1]);      /* empty where there is none */
    if (argc - optind == 2 && domain.n == 0) { /* of a script: nobody wants a random id instead */
        report_error("DOMAIN is empty");
        return EXIT_NO;
    }
    /* The name space of those who have no domain: there an id must be random. */
    if (span_eq_nocase(domain, span_cstr("localhost")))
        domain = span_cstr("");
    status = make(&id, span_cstr(argv[optind]), domain);
    if (status == EX_OK)
        status = write_id(&id);
    strbuf_free(&id);
    return status;
}

const struct command command_new_list_id = {
    "new-list-id", run_new_list_id,
    "  new-list-id NAME [DOMAIN]\n"
    "          a List-Id; without a domain of one's own a random one in localhost\n"};

/* mlmilterctl new-list-id: prints a List-Id that is unique (RFC 2919 5, LI-04). */
#include "ctl/tool.h"
#include "spec/list_id.h"

#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

int run_new_list_id(const struct options *o)
{
    unsigned char random[LIST_ID_RANDOM_OCTETS];
    struct span domain = span_cstr(o->arguments[1]); /* empty if there is none */
    struct strbuf id = STRBUF_INIT;
    time_t now = time(NULL);
    struct tm utc;
    if (getentropy(random, sizeof random) != 0 || gmtime_r(&now, &utc) == NULL) {
        report_error("no random bytes, or no date: %s", strerror(errno));
        return EX_OSERR;
    }
    /* The name space of lists without a domain, in which ids must be random. */
    if (span_eq_nocase(domain, span_cstr("localhost")))
        domain.n = 0;
    list_id_make(&id, span_cstr(o->arguments[0]), domain, random, utc.tm_mon + 1,
                 utc.tm_year + 1900);
    const char *fault = list_id_fault(strbuf_span(&id));
    if (o->argument_count == 2 && o->arguments[1][0] == '\0') /* a mistake of a script */
        fault = "its DOMAIN is empty";
    if (fault != NULL) {
        report_error("list id \"%s\": %s", strbuf_str(&id), fault);
        strbuf_free(&id);
        return EXIT_NO;
    }
    strbuf_add_char(&id, '\n');
    return print_and_free(&id, EX_OK);
}

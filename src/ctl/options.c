/* options - see options.h */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "ctl/options.h"

#include "config/load.h"
#include "config/store_kinds.h"
#include "ctl/output.h"
#include "text/edit_distance.h"
#include "text/memory.h"

#include <getopt.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

enum option_kind { OPTION_FLAG, OPTION_TEXT, OPTION_RECIPIENT, OPTION_MTA_RECIPIENT };

#define FLAG(name, field)                                                                          \
    {                                                                                              \
        name, OPTION_FLAG, offsetof(struct options, field)                                         \
    }
#define TEXT(name, field)                                                                          \
    {                                                                                              \
        name, OPTION_TEXT, offsetof(struct options, field)                                         \
    }

static const struct {
    const char *name;
    enum option_kind kind;
    size_t place; /* in struct options */
} known[] = {
    FLAG("all", all),
    FLAG("authenticated", authenticated),
    FLAG("diff", diff),
    FLAG("json", json),
    FLAG("rev1", rev1),
    TEXT("base", base),
    TEXT("client", client),
    TEXT("daemon", daemon),
    TEXT("domain", domain),
    TEXT("first", first),
    TEXT("format", format),
    TEXT("id", id),
    TEXT("list", list),
    TEXT("list-domain", list_domain),
    TEXT("normalize", normalize),
    TEXT("sender", sender),
    TEXT("sendmail-cf", sendmail_cf),
    TEXT("template", template_text),
    TEXT("to", to),
    {"recipient", OPTION_RECIPIENT, 0},
    {"mta-recipient", OPTION_MTA_RECIPIENT, 0},
};
#define KNOWN (sizeof known / sizeof known[0])

/* Added to the place in the table, so that no letter is a code. */
#define FIRST_CODE 256

/* ---- the usage ---- */

static void add_usage(struct strbuf *out, const struct command *command)
{
    strbuf_add_str(out, "usage: mlmilterctl [-c FILE] COMMAND [ARGUMENT...]\n");
    if (command != NULL) {
        strbuf_add_str(out, command->usage);
        return;
    }
    strbuf_add_str(out,
                   "       mlmilterctl -V | --version | -h | --help\n"
                   "  -c FILE is the main configuration file (default " MAIN_FILE_DEFAULT ")\n\n");
    for (const struct command *c = commands; c->name != NULL; c++)
        strbuf_add_str(out, c->usage);
}

int usage_print(const struct command *command)
{
    struct strbuf text = STRBUF_INIT;
    add_usage(&text, command);
    return print_and_free(&text, EX_OK);
}

int usage_error(const struct options *o, const char *format, ...)
{
    struct strbuf usage = STRBUF_INIT, text = STRBUF_INIT;
    va_list ap;
    va_start(ap, format);
    strbuf_addv(&text, format, ap);
    va_end(ap);
    add_usage(&usage, o->command);
    fputs(strbuf_str(&usage), stderr);
    report_error("%s", strbuf_str(&text));
    strbuf_free(&usage);
    strbuf_free(&text);
    return EX_USAGE;
}

static int print_version(void)
{
    struct strbuf text = STRBUF_INIT;
    strbuf_addf(&text, "mlmilterctl %s\n%s\n", PACKAGE_VERSION, built_in_features());
    return print_and_free(&text, EX_OK);
}

/* ---- the options ---- */

static bool takes_option(const struct command *command, const char *name)
{
    struct span rest = span_cstr(command != NULL ? command->takes : NULL);
    while (rest.n > 0) {
        struct span word = span_sub(rest, 0, span_find(rest, ' '));
        if (span_eq(word, span_cstr(name)))
            return true;
        rest = span_sub(rest, word.n + 1, rest.n);
    }
    return false;
}

/* Fills the table for getopt_long with the options of the command and those of all. */
static void select_options(const struct command *command, struct option all[KNOWN + 3])
{
    size_t n = 0;
    for (size_t i = 0; i < KNOWN; i++)
        if (takes_option(command, known[i].name))
            all[n++] = (struct option){known[i].name, known[i].kind != OPTION_FLAG, NULL,
                                       FIRST_CODE + (int)i};
    all[n++] = (struct option){"version", no_argument, NULL, 'V'};
    all[n++] = (struct option){"help", no_argument, NULL, 'h'};
    all[n] = (struct option){NULL, 0, NULL, 0};
}

/* Reports a wrong option. getopt's own message holds the argument as it is, which may be a web
 * page's. */
static int wrong_option(const struct options *o, const struct option *all, bool lacks_value,
                        char **argv)
{
    const char *fault = lacks_value ? "needs a value" : "is not known";
    const char *written = argv[optind - 1];
    if (strncmp(written, "--", 2) != 0)
        return usage_error(o, "option \"-%c\" %s", optopt, fault);
    struct span name = span_cstr(written + 2);
    struct edit_nearest near = edit_nearest_to(span_sub(name, 0, span_find(name, '=')));
    for (; !lacks_value && all->name != NULL; all++)
        edit_nearest_try(&near, span_cstr(all->name));
    if (near.nearest.p == NULL)
        return usage_error(o, "option \"%s\" %s", written, fault);
    return usage_error(o, "option \"%s\" %s (did you mean \"--%s\"?)", written, fault,
                       near.nearest.p);
}

/* Sets the option. Returns EX_OK, or EX_USAGE after a message. */
static int set_option(struct options *o, size_t i)
{
    void *field = (char *)o + known[i].place;
    switch (known[i].kind) {
    case OPTION_FLAG:
        *(bool *)field = true;
        break;
    case OPTION_TEXT:
        *(const char **)field = optarg;
        break;
    case OPTION_RECIPIENT:
        o->recipients[o->recipient_count++] = optarg;
        break;
    case OPTION_MTA_RECIPIENT:
        if (o->recipient_count == 0 || o->mta_recipients[o->recipient_count - 1] != NULL)
            return usage_error(o, "--mta-recipient %s: expected after a --recipient, once", optarg);
        o->mta_recipients[o->recipient_count - 1] = optarg;
        break;
    }
    return EX_OK;
}

static int check_arguments(const struct options *o)
{
    if (o->argument_count > o->command->most)
        return usage_error(o, "%s: unexpected argument \"%s\"", o->command->name,
                           o->arguments[o->command->most]);
    if (o->argument_count < o->command->least)
        return usage_error(o, "%s: an argument is missing", o->command->name);
    return EX_OK;
}

bool options_read(struct options *o, int argc, char **argv, int *status)
{
    bool is_ordered = o->command == NULL || o->command->takes[0] == '+';
    struct option all[KNOWN + 3];
    select_options(o->command, all);
    options_free(o);
    o->recipients = memory_new((size_t)argc + 1, sizeof *o->recipients); /* room for all */
    o->mta_recipients = memory_new((size_t)argc + 1, sizeof *o->mta_recipients);
    opterr = 0;
    optind = 0; /* begin anew: glibc, musl and the BSDs agree on 0 */
    *status = EX_OK;
    for (;;) {
        int code = getopt_long(argc, argv, is_ordered ? "+:c:Vh" : ":c:Vh", all, NULL);
        if (code == -1)
            break;
        if (code == 'c') {
            o->config_path = optarg;
            o->config_is_given = true;
        } else if (code == 'V' || code == 'h') {
            *status = code == 'V' ? print_version() : usage_print(o->command);
            return false;
        } else if (code == ':' || code == '?') {
            *status = wrong_option(o, all, code == ':', argv);
            return false;
        } else if ((*status = set_option(o, (size_t)(code - FIRST_CODE))) != EX_OK) {
            return false;
        }
    }
    o->arguments = argv + optind;
    o->argument_count = (size_t)(argc - optind);
    if (o->command != NULL)
        *status = check_arguments(o);
    return *status == EX_OK;
}

void options_free(struct options *o)
{
    free(o->recipients);
    free(o->mta_recipients);
    o->recipients = o->mta_recipients = NULL;
    o->recipient_count = 0;
}

/* mlmilterctl import: list sections for what an existing list manager has (RULINGS 92). */
#include "ctl/commands/commands.h"
#include "ctl/import/import.h"
#include "ctl/import/kinds.h"
#include "ctl/import/source.h"
#include "ctl/report.h"
#include "mail/rfc5322.h"

#include <string.h>
#include <sysexits.h>

static const struct import_kind *find_kind(const char *name)
{
    static const struct import_kind *const kinds[] = {&import_mlmmj,    &import_ezmlm,
                                                      &import_sympa,    &import_mailman2,
                                                      &import_mailman3, &import_aliases};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (strcmp(kinds[i]->name, name) == 0)
            return kinds[i];
    return NULL;
}

static int import_sources(struct import *import, char **sources, size_t count)
{
    int status = EX_OK;
    import_comment("Look at the comments, save this below lists.d/, then: "
                   "mlmilterctl check && mlmilterctl reload");
    for (size_t i = 0; i < count && !output_failed(); i++) {
        import_comment("from %s %s, by mlmilterctl import", import->kind->name, sources[i]);
        int result = source_import(import, sources[i]);
        status = status == EX_OK ? result : status;
    }
    if (output_failed() || write_output(span_of("", 0)) != EX_OK)
        return EX_OSERR;
    if (import->lacks_domain)
        report_error("--domain DOMAIN is missing: which is the domain of names that have none?");
    if (status == EX_OK && import->lacks_domain)
        return EX_USAGE;
    if (import->lists == 0)
        report_error("no list was found");
    return status == EX_OK && (import->lists == 0 || import->is_incomplete) ? EXIT_NO : status;
}

static int run_import(struct invocation *invocation, int argc, char **argv)
{
    static const struct option options[] = {{"domain", required_argument, NULL, 0},
                                            {NULL, 0, NULL, 0}};
    const char *domain = NULL;
    struct import import;
    int status = command_values(invocation, options, &domain, argc, argv);
    if (status != EX_OK)
        return status;
    if (argc - optind < 2)
        return usage_error(invocation);
    const struct import_kind *kind = find_kind(argv[optind]);
    if (kind == NULL) {
        report_error("%s: expected mlmmj, ezmlm, sympa, mailman2, mailman3 or aliases",
                     argv[optind]);
        return usage_error(invocation);
    }
    if (domain != NULL && !rfc5322_is_dot_atom(span_cstr(domain))) {
        report_error("--domain %s: expected a domain, such as lists.example.org", domain);
        return EX_USAGE;
    }
    import_init(&import, kind, span_cstr(domain));
    status = import_sources(&import, argv + optind + 1, (size_t)(argc - optind - 1));
    import_free(&import);
    return status;
}

const struct command command_import = {
    "import", run_import,
    "  import [--domain DOMAIN] mlmmj|ezmlm|sympa FOLDER...\n"
    "  import [--domain DOMAIN] mailman2|mailman3|aliases FILE|-...\n"
    "          list sections for what an existing list manager has: FOLDER is that of a list, or\n"
    "          the one above; FILE is what list_lists -b or mailman lists -n -d -q print, or an\n"
    "          alias file; DOMAIN is that of names without one\n"};

/* mlmilterctl show: what counts for one list, and where it comes from. */
#include "ctl/commands/commands.h"
#include "ctl/configuration.h"
#include "ctl/report.h"
#include "ctl/show_list.h"

#include <sysexits.h>

struct show {
    struct span id;
    bool as_json;
    struct strbuf out;
};

/* As list_observer.draft. A file that somebody else writes may come twice: as it is now, and then
 * as it was when it was right. */
static void see(void *context, struct list_draft *draft)
{
    struct show *show = context;
    if (!span_eq_nocase(draft->list->id, show->id))
        return;
    strbuf_reset(&show->out);
    if (show->as_json)
        show_list_json(draft, &show->out);
    else
        show_list(draft, &show->out);
}

/* The configuration is read twice: who somebody means is known when all of it is there, and where
 * values come from only while it is read. */
static int show_list_of(const struct invocation *invocation, const struct list *list, bool as_json)
{
    struct show show = {.id = list->id, .as_json = as_json, .out = STRBUF_INIT};
    const struct list_observer observer = {.context = &show, .draft = see};
    struct settings *settings = configuration_observe(invocation, &observer);
    int status = settings == NULL ? EX_CONFIG : write_output(strbuf_span(&show.out));
    settings_free(settings);
    strbuf_free(&show.out);
    return status;
}

static int run_show(struct invocation *invocation, int argc, char **argv)
{
    bool as_json;
    const struct list *list;
    struct settings *settings;
    int status = command_json(invocation, &as_json, argc, argv);
    if (status != EX_OK)
        return status;
    if (argc - optind != 1)
        return usage_error(invocation);
    settings = configuration_load(invocation, KEYS_IF_READABLE);
    if (settings == NULL)
        return EX_CONFIG;
    list = configuration_find_any(settings, argv[optind]);
    status = list == NULL ? EXIT_NO : show_list_of(invocation, list, as_json);
    settings_free(settings);
    return status;
}

const struct command command_show = {
    "show", run_show,
    "  show [--json] LIST\n"
    "          the values that count for the list (its id, address or an alias), and where each\n"
    "          comes from\n"};

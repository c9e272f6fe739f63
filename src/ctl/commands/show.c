/* mlmilterctl show: prints the values that count for a list, and the source of each. */
#include "ctl/show_list.h"

#include "ctl/commands/commands.h"
#include "ctl/load.h"
#include "ctl/output.h"

#include <sysexits.h>

/* Shows the keys of a main file, even of a wrong one; then returns EX_CONFIG. */
static int run_show_main(const struct options *o)
{
    struct strbuf out = STRBUF_INIT;
    struct settings *settings;
    bool is_right = load_main_file(o, &settings);
    if (settings->socket != NULL) /* the file could be read */
        show_main(settings, o->config_path, o->json, &out);
    settings_free(settings);
    return print_and_free(&out, is_right ? EX_OK : EX_CONFIG);
}

int run_show(const struct options *o)
{
    struct strbuf out = STRBUF_INIT;
    int status = EXIT_NO;
    if (o->argument_count == 0)
        return run_show_main(o);
    struct settings *settings = load_settings(o, KEYS_IF_READABLE);
    if (settings == NULL)
        return EX_CONFIG;
    const struct list *list = find_any_list(settings, o->arguments[0]);
    if (list != NULL && show_list(settings, o->config_path, list, o->json, &out))
        status = EX_OK;
    settings_free(settings);
    return print_and_free(&out, status);
}

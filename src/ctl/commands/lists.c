/* mlmilterctl lists: prints the lists of the configuration, and the place of each. */
#include "config/lists/domains.h"
#include "config/syntax/schema.h"
#include "ctl/commands/commands.h"
#include "ctl/load.h"
#include "ctl/output.h"
#include "text/json.h"
#include "text/visible.h"

#include <sysexits.h>

struct output {
    bool json;
    struct strbuf text;
};

static const char *select_of(const struct list *list)
{
    return schema[KEY_SELECT].choices[list->select];
}

static void add_texts(struct strbuf *out, const char *name, const struct span *texts, size_t count)
{
    json_add_name(out, name);
    for (size_t i = 0; i < count; i++) {
        strbuf_add_char(out, i == 0 ? '[' : ',');
        json_add_string(out, texts[i]);
    }
    strbuf_add_str(out, count == 0 ? "[]" : "]");
}

static void add_json(struct strbuf *out, const struct list *list, const struct list_origin *origin)
{
    strbuf_add_char(out, '{');
    json_add_text(out, "id", list->id);
    if (list->address.n > 0)
        json_add_text(out, "address", list->address);
    json_add_text(out, "select", span_cstr(select_of(list)));
    json_add_text(out, "file", span_cstr(origin->file));
    json_add_number(out, "line", (uint64_t)origin->line);
    if (origin->bounds != NULL)
        json_add_text(out, "delegate", span_cstr(origin->bounds->owner));
    if (list->mailbox.n > 0)
        json_add_text(out, "mailbox", list->mailbox);
    add_texts(out, "aliases", list->aliases, list->alias_count);
    add_texts(out, "command_addresses", list->command_addresses, list->command_address_count);
    json_add_name(out, "asks_store");
    strbuf_add_str(out, list->asks_store ? "true}\n" : "false}\n");
}

static void add_line(struct strbuf *out, const struct list *list, const struct list_origin *origin)
{
    visible_add(out, list->id);
    strbuf_add_char(out, '\t');
    visible_add(out, list->address.n > 0 ? list->address : span_cstr("-"));
    strbuf_addf(out, "\t%s\t", select_of(list));
    visible_add(out, span_cstr(origin->file));
    strbuf_addf(out, ":%d\n", origin->line);
}

/* Adds the line of a list, as list_observer.list. */
static void add_list(void *context, const struct list *list, const struct list_origin *origin)
{
    struct output *output = context;
    (output->json ? add_json : add_line)(&output->text, list, origin);
}

int run_lists(const struct options *o)
{
    struct output output = {.json = o->json};
    const struct list_observer observer = {.context = &output, .list = add_list};
    struct settings *settings = load_settings(o, KEYS_IF_READABLE, &observer);
    int status = settings == NULL ? EX_CONFIG : EX_OK;
    settings_free(settings);
    return print_and_free(&output.text, status);
}

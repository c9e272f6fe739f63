/* mlmilterctl lists: prints the lists of the configuration, and the place of each. */
#include "ctl/commands/commands.h"

#include "config/read/schema.h"
#include "ctl/load.h"
#include "ctl/output.h"
#include "text/json.h"
#include "text/visible.h"

#include <sysexits.h>

static void add_texts(struct strbuf *out, const char *name, const struct span *texts, size_t count)
{
    json_add_name(out, name);
    for (size_t i = 0; i < count; i++) {
        strbuf_add_char(out, i == 0 ? '[' : ',');
        json_add_string(out, texts[i]);
    }
    strbuf_add_str(out, count == 0 ? "[]" : "]");
}

static void add_json(struct strbuf *out, const struct list *list, const struct list_place *place)
{
    strbuf_add_char(out, '{');
    json_add_text(out, "id", list->id);
    if (list->address.n > 0)
        json_add_text(out, "address", list->address);
    json_add_text(out, "select", span_cstr(schema[KEY_SELECT].choices[list->select]));
    json_add_text(out, "file", span_cstr(place->file));
    json_add_number(out, "line", (uint64_t)place->line);
    if (place->delegate != NULL)
        json_add_text(out, "delegate", span_cstr(place->delegate));
    if (list->mailbox.n > 0)
        json_add_text(out, "mailbox", list->mailbox);
    add_texts(out, "aliases", list->aliases, list->alias_count);
    add_texts(out, "command_addresses", list->command_addresses, list->command_address_count);
    json_add_name(out, "asks_store");
    strbuf_add_str(out, list->asks_store ? "true}\n" : "false}\n");
}

static void add_line(struct strbuf *out, const struct list *list, const struct list_place *place)
{
    visible_add(out, list->id);
    strbuf_add_char(out, '\t');
    visible_add(out, list->address.n > 0 ? list->address : span_cstr("-"));
    strbuf_addf(out, "\t%s\t", schema[KEY_SELECT].choices[list->select]);
    visible_add(out, span_cstr(place->file));
    strbuf_addf(out, ":%d\n", place->line);
}

int run_lists(const struct options *o)
{
    struct strbuf out = STRBUF_INIT;
    struct settings *settings = load_settings(o, KEYS_IF_READABLE);
    for (size_t i = 0; settings != NULL && i < settings->index.count; i++)
        (o->json ? add_json : add_line)(&out, settings->index.lists[i], &settings->places[i]);
    int status = settings == NULL ? EX_CONFIG : EX_OK;
    settings_free(settings);
    return print_and_free(&out, status);
}

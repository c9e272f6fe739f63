/* mlmilterctl lists: the lists of the configuration, and where each stands. */
#include "config/syntax/schema.h"
#include "ctl/commands/commands.h"
#include "ctl/configuration.h"
#include "ctl/report.h"
#include "text/array.h"
#include "text/json.h"
#include "text/visible.h"

#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

/* Octets that a column is made wide for; what is longer pushes the next ones to the right. */
#define COLUMN_MAX 44

struct row {
    const struct list *list;
    const char *file;
    int line;
};

struct rows {
    struct arena files;
    struct row *items;
    size_t count;
    size_t capacity;
};

/* As list_observer.list. */
static void add_row(void *context, const struct list *list, const char *file, int line)
{
    struct rows *rows = context;
    const char *kept = rows->count > 0 ? rows->items[rows->count - 1].file : NULL;
    rows->items = array_grow(rows->items, rows->count, &rows->capacity, sizeof *rows->items);
    if (kept == NULL || strcmp(kept, file) != 0)
        kept = arena_strdup(&rows->files, span_cstr(file));
    rows->items[rows->count++] = (struct row){list, kept, line};
}

static const char *select_of(const struct list *list)
{
    return schema[KEY_SELECT].choices[list->select];
}

static void add_json(struct strbuf *out, const struct row *row)
{
    strbuf_add_char(out, '{');
    json_add_text(out, "id", row->list->id);
    if (row->list->address.n > 0)
        json_add_text(out, "address", row->list->address);
    json_add_text(out, "select", span_cstr(select_of(row->list)));
    json_add_text(out, "file", span_cstr(row->file));
    json_add_number(out, "line", (uint64_t)row->line);
    strbuf_add_str(out, "}\n");
}

/* width: of the column on a terminal; 0: a tabulator ends it. */
static void add_column(struct strbuf *out, struct span text, size_t width)
{
    size_t begin = out->len;
    visible_add(out, text);
    if (width == 0)
        strbuf_add_char(out, '\t');
    else
        do
            strbuf_add_char(out, ' ');
        while (out->len < begin + width + 2);
}

static void add_line(struct strbuf *out, const struct row *row, const size_t widths[3])
{
    struct span address = row->list->address;
    add_column(out, row->list->id, widths[0]);
    add_column(out, address.n > 0 ? address : span_cstr("-"), widths[1]);
    add_column(out, span_cstr(select_of(row->list)), widths[2]);
    visible_add(out, span_cstr(row->file));
    strbuf_addf(out, ":%d\n", row->line);
}

static void widen(size_t *width, size_t n)
{
    if (n > *width)
        *width = n < COLUMN_MAX ? n : COLUMN_MAX;
}

static int print(const struct rows *rows, bool as_json)
{
    size_t widths[3] = {0};
    struct strbuf line = STRBUF_INIT;
    int status = EX_OK;
    for (size_t i = 0; i < rows->count && isatty(STDOUT_FILENO); i++) {
        widen(&widths[0], rows->items[i].list->id.n);
        widen(&widths[1], rows->items[i].list->address.n);
        widen(&widths[2], strlen(select_of(rows->items[i].list)));
    }
    for (size_t i = 0; i < rows->count && status == EX_OK; i++) {
        strbuf_reset(&line);
        if (as_json)
            add_json(&line, &rows->items[i]);
        else
            add_line(&line, &rows->items[i], widths);
        status = write_more(strbuf_span(&line));
    }
    strbuf_free(&line);
    return status == EX_OK ? write_output(span_of("", 0)) : status;
}

static int run_lists(struct invocation *invocation, int argc, char **argv)
{
    bool as_json;
    struct rows rows = {.items = NULL};
    const struct list_observer observer = {.context = &rows, .list = add_row};
    struct settings *settings;
    int status = command_json(invocation, &as_json, argc, argv);
    if (status != EX_OK)
        return status;
    if (optind < argc)
        return usage_error(invocation);
    arena_init(&rows.files, 0);
    settings = configuration_observe(invocation, &observer);
    status = settings == NULL ? EX_CONFIG : print(&rows, as_json);
    settings_free(settings);
    free(rows.items);
    arena_free(&rows.files);
    return status;
}

const struct command command_lists = {"lists", run_lists,
                                      "  lists [--json]\n"
                                      "          id, address, select and place of each list\n"};

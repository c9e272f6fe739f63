/* diagnostics - collects errors and hints; keeps the first DIAGNOSTICS_KEPT of each severity. */
#include "config/report/diagnostics.h"

#include "text/memory.h"
#include "text/visible.h"

#include <stdlib.h>
#include <string.h>

void diagnostics_init(struct diagnostics *d)
{
    arena_init(&d->arena, 0);
    d->items = NULL;
    d->count = 0;
    d->capacity = 0;
    d->errors = 0;
    d->hints = 0;
    d->delegated = 0;
    d->delegate = NULL;
}

void diagnostics_free(struct diagnostics *d)
{
    if (d == NULL)
        return;
    arena_free(&d->arena);
    free(d->items);
    diagnostics_init(d);
}

void diagnostics_keep(struct diagnostics *d, enum severity severity, const char *file, int line,
                      struct span text)
{
    struct diagnostic item = {.severity = severity, .line = line};
    item.file = arena_strdup(&d->arena, span_cstr(file));
    item.text = arena_strdup(&d->arena, text);
    if (d->delegate != NULL)
        item.delegate = arena_strdup(&d->arena, span_cstr(d->delegate));
    d->items = array_grow(d->items, d->count, &d->capacity, sizeof item);
    d->items[d->count++] = item;
}

/* Counted apart, so that a flood of hints hides no error. */
static size_t *counter_of(struct diagnostics *d, enum severity severity)
{
    switch (severity) {
    case SEVERITY_HINT:
        return &d->hints;
    case SEVERITY_DELEGATED:
        return &d->delegated;
    case SEVERITY_ERROR:
    default:
        return &d->errors;
    }
}

bool diagnostics_has_room(struct diagnostics *d, enum severity severity)
{
    return (*counter_of(d, severity))++ < DIAGNOSTICS_KEPT;
}

static int by_place(const void *a, const void *b)
{
    const struct diagnostic *first = a, *second = b;
    int by_file = strcmp(first->file, second->file);
    if (by_file != 0 || first->line != second->line)
        return by_file != 0 ? by_file : first->line < second->line ? -1 : 1;
    return first->number < second->number ? -1 : first->number > second->number;
}

void diagnostics_sort(struct diagnostics *d, size_t from)
{
    for (size_t i = from; i < d->count; i++)
        d->items[i].number = i;
    if (d->count > from)
        qsort(d->items + from, d->count - from, sizeof *d->items, by_place);
}

bool diagnostics_has_errors(const struct diagnostics *d)
{
    return d->errors > 0;
}

void diagnostics_format(const struct diagnostics *d, size_t i, struct strbuf *out)
{
    const struct diagnostic *item = &d->items[i];
    visible_add(out, span_cstr(item->file)); /* a name of a file may hold any octets */
    if (item->line > 0)
        strbuf_addf(out, ":%d", item->line);
    strbuf_add_str(out, item->severity == SEVERITY_HINT ? ": hint: " : ": ");
    visible_add(out, span_cstr(item->text));
}

/* diagnostics - collects errors and hints; keeps the first DIAGNOSTICS_KEPT of each severity. */
#include "config/diagnostics.h"

#include "text/ascii.h"
#include "text/utf8.h"

#include <stdarg.h>
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
    d->out_of_memory = false;
}

void diagnostics_free(struct diagnostics *d)
{
    if (d == NULL)
        return;
    arena_free(&d->arena);
    free(d->items);
    diagnostics_init(d);
}

static bool has_room(struct diagnostics *d)
{
    if (d->count < d->capacity)
        return true;
    size_t capacity = d->capacity == 0 ? 16 : d->capacity * 2;
    struct diagnostic *items = realloc(d->items, capacity * sizeof *items);
    if (items == NULL)
        return false;
    d->items = items;
    d->capacity = capacity;
    return true;
}

static void keep(struct diagnostics *d, enum severity severity, const char *file, int line,
                 struct span text)
{
    const char *kept_file = arena_strdup(&d->arena, span_cstr(file));
    const char *kept_text = arena_strdup(&d->arena, text);
    if (kept_file == NULL || kept_text == NULL || !has_room(d)) {
        d->out_of_memory = true;
        return;
    }
    d->items[d->count++] = (struct diagnostic){severity, kept_file, line, kept_text, 0};
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

void diagnostics_add(struct diagnostics *d, enum severity severity, const char *file, int line,
                     const char *format, ...)
{
    if ((*counter_of(d, severity))++ >= DIAGNOSTICS_KEPT)
        return;

    struct strbuf text = STRBUF_INIT;
    va_list ap;
    va_start(ap, format);
    strbuf_addv(&text, format, ap);
    va_end(ap);
    if (strbuf_failed(&text))
        d->out_of_memory = true;
    else
        keep(d, severity, file, line, strbuf_span(&text));
    strbuf_free(&text);
}

static size_t rank_of(const char *file, const char *const *files, size_t count)
{
    size_t rank = 0;
    while (rank < count && strcmp(files[rank], file) != 0)
        rank++;
    return rank;
}

static bool is_behind(const struct diagnostic *a, const struct diagnostic *b)
{
    return a->rank != b->rank ? a->rank > b->rank : a->line > b->line;
}

/* By insertion: there are few, and it needs no memory. */
void diagnostics_sort(struct diagnostics *d, size_t from, const char *const *files, size_t count)
{
    for (size_t i = from; i < d->count; i++)
        d->items[i].rank = i > from && strcmp(d->items[i].file, d->items[i - 1].file) == 0
                               ? d->items[i - 1].rank
                               : rank_of(d->items[i].file, files, count);
    for (size_t i = from; i < d->count; i++) {
        struct diagnostic item = d->items[i];
        size_t at = i;
        for (; at > from && is_behind(&d->items[at - 1], &item); at--)
            d->items[at] = d->items[at - 1];
        d->items[at] = item;
    }
}

bool diagnostics_has_errors(const struct diagnostics *d)
{
    return d->errors > 0 || d->out_of_memory;
}

/* U+0080 to U+009F are control characters too, and so is for some terminals an octet that is not
 * UTF-8: names of files may hold any. */
static bool is_visible(struct span character)
{
    return character.n > 1 ? !(character.p[0] == '\xC2' && (unsigned char)character.p[1] < 0xA0)
                           : character.n == 1 && !ascii_is_control(character.p[0]);
}

static void add_visible(struct strbuf *out, const char *text)
{
    struct span left = span_cstr(text);
    while (left.n > 0) {
        size_t n = utf8_length(left);
        if (is_visible(span_sub(left, 0, n)))
            strbuf_add_span(out, span_sub(left, 0, n));
        else
            strbuf_add_char(out, '?');
        left = span_sub(left, n > 0 ? n : 1, left.n);
    }
}

void diagnostics_format(const struct diagnostics *d, size_t i, struct strbuf *out)
{
    const struct diagnostic *item = &d->items[i];
    add_visible(out, item->file);
    if (item->line > 0)
        strbuf_addf(out, ":%d", item->line);
    strbuf_add_str(out, item->severity == SEVERITY_HINT ? ": hint: " : ": ");
    add_visible(out, item->text);
}

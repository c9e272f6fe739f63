/* report - see report.h */
#include "config/read/report.h"

#include "text/memory.h"
#include "text/utf8.h"
#include "text/visible.h"

#include <stdio.h>
#include <stdlib.h>

#define REMARK_ROW(remark, name_, text_) [remark] = {name_, text_},
const struct remark_text remarks[REMARK_COUNT] = {REMARKS(REMARK_ROW)};

void diagnostics_init(struct diagnostics *d)
{
    *d = (struct diagnostics){.count = 0};
    arena_init(&d->arena, 0);
}

void diagnostics_free(struct diagnostics *d)
{
    arena_free(&d->arena);
    free(d->items);
    diagnostics_init(d);
}

/* True if a text may have the password of a database, of which no word is shown (mlmilter(8):
 * SECURITY CONSIDERATIONS). */
static bool may_have_password(struct span text)
{
    for (; text.n > 0; text = span_sub(text, 1, text.n))
        if (span_starts_nocase(text, span_cstr("postgres")) ||
            span_starts_nocase(text, span_cstr("passw")))
            return true;
    return false;
}

const char *shown_text(struct span value, struct shown *shown)
{
    static const char cut[] = "...";
    if (may_have_password(value))
        value = span_cstr("(a database's URL, which is not shown)");
    size_t n = value.n, most = sizeof shown->text - sizeof cut;
    if (n >= sizeof shown->text)
        for (n = most; n > 0 && ((unsigned char)value.p[n] & 0xC0) == 0x80;)
            n--; /* whole characters only */
    for (size_t i = 0; i < n; i++)
        shown->text[i] = (char)(value.p[i] != '\0' ? value.p[i] : '?');
    memcpy(shown->text + n, n < value.n ? cut : "", n < value.n ? sizeof cut : 1);
    return shown->text;
}

struct place place_of(const char *file, int line, const char *key)
{
    return (struct place){.file = file, .line = line, .key = key};
}

const char *shown_number(size_t number, struct shown *shown)
{
    snprintf(shown->text, sizeof shown->text, "%zu", number);
    return shown->text;
}

/* Appends a remark with its texts. */
static void add_remark(struct strbuf *out, enum remark remark, const char *const *with)
{
    struct span rest = span_cstr(remarks[remark].text);
    while (rest.n > 0) {
        size_t n = span_find(rest, '$');
        bool is_text = n + 1 < rest.n && rest.p[n + 1] >= '1' && rest.p[n + 1] <= '9';
        strbuf_add_span(out, span_sub(rest, 0, is_text ? n : n + 1));
        if (is_text)
            strbuf_add_str(out, with[rest.p[n + 1] - '1']);
        rest = span_sub(rest, is_text ? n + 2 : n + 1, rest.n);
    }
}

/* Counts a message, and keeps it with its text, unless there are too many. */
static void add(struct diagnostics *d, enum severity severity, enum remark remark,
                const struct place *place, struct strbuf *text)
{
    size_t *counter = severity == SEVERITY_HINT    ? &d->hints
                      : severity == SEVERITY_ERROR ? &d->errors
                                                   : &d->delegated;
    size_t most = place->taken_from != NULL ? 1 : HINTS_KEPT, said = ++d->said[remark];
    bool is_hint = severity == SEVERITY_HINT, is_kept = ++*counter <= DIAGNOSTICS_KEPT;
    if (is_hint ? said > most : !is_kept) {
        strbuf_free(text);
        return;
    }
    d->items = array_grow(d->items, d->count, &d->capacity, sizeof *d->items);
    d->items[d->count] = (struct diagnostic){
        .severity = severity,
        .remark = remark,
        .file = arena_strdup(&d->arena, span_cstr(place->file)),
        .line = place->line,
        .key = place->key != NULL ? arena_strdup(&d->arena, span_cstr(place->key)) : NULL,
        .text = strbuf_keep(text, &d->arena),
        .delegate = d->delegate != NULL ? arena_strdup(&d->arena, span_cstr(d->delegate)) : NULL,
        .number = d->count,
        .last = is_hint && said == most ? said : 0};
    d->count++;
}

void say(struct diagnostics *d, enum severity severity, struct place place, struct span value,
         enum remark remark, const char *const *with)
{
    struct strbuf text = STRBUF_INIT;
    struct shown shown;
    if (severity == SEVERITY_HINT && !d->with_hints)
        return;
    if (value.p != NULL)
        strbuf_addf(&text, "\"%s\" ", shown_text(value, &shown));
    add_remark(&text, remark, with);
    if (place.list.n > 0)
        strbuf_addf(&text, ", in list \"%s\"", shown_text(place.list, &shown));
    if (place.taken_from != NULL)
        strbuf_addf(&text, ", which takes it from %s", place.taken_from);
    if (place.other.n > 0)
        strbuf_addf(&text, ": list \"%s\"", shown_text(place.other, &shown));
    if (place.key != NULL)
        place.key = shown_text(span_cstr(place.key), &shown);
    add(d, severity, remark, &place, &text);
}

void say_again(struct diagnostics *d, const struct diagnostic *first, const char *outcome)
{
    const struct place place = place_of(first->file, first->line, first->key);
    struct strbuf text = STRBUF_INIT;
    strbuf_addf(&text, "%s; %s", first->text, outcome);
    add(d, SEVERITY_DELEGATED, first->remark, &place, &text);
}

static int by_place(const void *a, const void *b)
{
    const struct diagnostic *first = a, *second = b;
    int by_file = strcmp(first->file, second->file);
    if (by_file != 0 || first->line != second->line)
        return by_file != 0 ? by_file : first->line - second->line;
    return first->number < second->number ? -1 : first->number > second->number;
}

void diagnostics_finish(struct diagnostics *d)
{
    for (size_t i = 0; i < d->count; i++) {
        struct diagnostic *item = &d->items[i];
        struct strbuf text = STRBUF_INIT;
        if (item->last == 0 || d->said[item->remark] == item->last)
            continue;
        strbuf_addf(&text, "%s (and %zu more)", item->text, d->said[item->remark] - item->last);
        item->text = strbuf_keep(&text, &d->arena);
        item->last = 0;
    }
    if (d->count > 0)
        qsort(d->items, d->count, sizeof *d->items, by_place);
}

void diagnostics_format(const struct diagnostics *d, size_t i, struct strbuf *out)
{
    const struct diagnostic *item = &d->items[i];
    visible_add(out, span_cstr(item->file)); /* a name of a file may have any bytes */
    if (item->line > 0)
        strbuf_addf(out, ":%d", item->line);
    strbuf_add_str(out, item->severity == SEVERITY_HINT ? ": hint: " : ": ");
    if (item->key != NULL) {
        visible_add(out, span_cstr(item->key));
        strbuf_add_str(out, ": ");
    }
    visible_add(out, span_cstr(item->text));
}

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

/* Counts a message. Returns room for it, or NULL if it is not kept. */
static struct diagnostic *new_diagnostic(struct diagnostics *d, enum severity severity)
{
    size_t *counter = severity == SEVERITY_HINT    ? &d->hints
                      : severity == SEVERITY_ERROR ? &d->errors
                                                   : &d->delegated;
    if ((*counter)++ >= DIAGNOSTICS_KEPT) /* many hints hide no error */
        return NULL;
    d->items = array_grow(d->items, d->count, &d->capacity, sizeof *d->items);
    struct diagnostic *item = &d->items[d->count];
    *item = (struct diagnostic){
        .severity = severity,
        .delegate = d->delegate != NULL ? arena_strdup(&d->arena, span_cstr(d->delegate)) : NULL,
        .number = d->count++,
        .group = HINT_GROUPS_MAX};
    return item;
}

void say(struct diagnostics *d, enum severity severity, struct place place, struct span value,
         enum remark remark, const char *const *with)
{
    struct strbuf text = STRBUF_INIT;
    struct shown shown;
    struct diagnostic *item = new_diagnostic(d, severity);
    if (item == NULL)
        return;
    if (value.p != NULL)
        strbuf_addf(&text, "\"%s\" ", shown_text(value, &shown));
    add_remark(&text, remark, with);
    if (place.list.n > 0)
        strbuf_addf(&text, ", in list \"%s\"", shown_text(place.list, &shown));
    if (place.list.n > 0 && place.taken_from != NULL)
        strbuf_addf(&text, ", which takes it from %s", place.taken_from);
    if (place.other.n > 0)
        strbuf_addf(&text, ": list \"%s\"", shown_text(place.other, &shown));
    item->remark = remark;
    item->file = arena_strdup(&d->arena, span_cstr(place.file));
    item->line = place.line;
    if (place.key != NULL)
        item->key = arena_strdup(&d->arena, span_cstr(shown_text(span_cstr(place.key), &shown)));
    item->text = strbuf_keep(&text, &d->arena);
}

void say_again(struct diagnostics *d, const struct diagnostic *first, const char *outcome)
{
    struct strbuf text = STRBUF_INIT;
    struct diagnostic *item = new_diagnostic(d, SEVERITY_DELEGATED);
    if (item == NULL)
        return;
    strbuf_addf(&text, "%s; %s", first->text, outcome);
    item->remark = first->remark;
    item->file = arena_strdup(&d->arena, span_cstr(first->file));
    item->line = first->line;
    if (first->key != NULL)
        item->key = arena_strdup(&d->arena, span_cstr(first->key));
    item->text = strbuf_keep(&text, &d->arena);
}

/* Counts a hint about a list. Returns its group. */
static size_t count_hint(struct diagnostics *d, enum remark hint, const char *key, const void *list)
{
    size_t i = 0;
    while (i < d->group_count && i < HINT_GROUPS_MAX - 1 &&
           (d->groups[i].hint != hint || d->groups[i].key != key))
        i++;
    if (i == d->group_count)
        d->groups[d->group_count++] = (struct hint_group){.hint = hint, .key = key};
    d->groups[i].lists += d->groups[i].last_list != list ? 1 : 0; /* a list may have it twice */
    d->groups[i].last_list = list;
    return i;
}

void report_hint(struct diagnostics *d, enum remark hint, struct place place, struct span value,
                 const void *list)
{
    if (!d->with_hints)
        return;
    size_t group = list != NULL ? count_hint(d, hint, place.key, list) : HINT_GROUPS_MAX;
    size_t count = d->count, most = place.taken_from != NULL ? 1 : HINT_LISTS_MAX;
    if (list != NULL && d->groups[group].lines++ >= most)
        return;
    say(d, SEVERITY_HINT, place, value, hint, NULL);
    if (d->count > count)
        d->items[count].group = group;
}

/* Keeps the first line of each hint that many lists share, and adds their number to it. */
static void share_hints(struct diagnostics *d)
{
    size_t count = 0;
    for (size_t i = 0; i < d->count; i++) {
        struct diagnostic item = d->items[i];
        struct hint_group *group = item.group < d->group_count ? &d->groups[item.group] : NULL;
        struct strbuf text = STRBUF_INIT;
        if (group != NULL && group->lists > HINT_LISTS_MAX && group->lines > 0) {
            strbuf_addf(&text, "%s (and so in %zu lists)", item.text, group->lists);
            item.text = strbuf_keep(&text, &d->arena);
            group->lines = 0; /* for the next lines of this hint */
        } else if (group != NULL && group->lists > HINT_LISTS_MAX) {
            d->hints--;
            continue;
        }
        d->items[count++] = item;
    }
    d->count = count;
    d->group_count = 0;
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
    share_hints(d);
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

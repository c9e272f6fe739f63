/* delegate - checks sections `delegate`, compares domains. */
#include "config/delegation/delegate.h"

#include "config/report/say.h"
#include "mail/rfc5322.h"
#include "spec/iri.h"
#include "text/ascii.h"
#include "text/strbuf.h"

#include <stdlib.h>

#define NAME_MAX_OCTETS   64
#define DOMAIN_MAX_OCTETS 253
#define DOMAINS_SHOWN     4

void delegates_init(struct delegates *delegates)
{
    arena_init(&delegates->arena, 0);
    delegates->items = NULL;
    delegates->count = 0;
    delegates->capacity = 0;
}

void delegates_free(struct delegates *delegates)
{
    arena_free(&delegates->arena);
    free(delegates->items);
    delegates_init(delegates);
}

/* ---- domains ---- */

int delegate_covers(const struct delegate *delegate, struct span domain, struct arena *scratch)
{
    struct span ascii;
    const char *fault;
    int result = domain_to_ascii(domain, scratch, &ascii, &fault);
    if (result != 0)
        return result < 0 ? -1 : 0;
    for (size_t i = 0; i < delegate->domain_count; i++) {
        const struct delegate_domain *own = &delegate->domains[i];
        if (own->below ? ascii.n > own->name.n && span_ends_nocase(ascii, own->name)
                       : span_eq_nocase(ascii, own->name))
            return 1;
    }
    return 0;
}

/* 0; 1: *fault says what is wrong; -1. */
static int read_domain(struct span text, struct arena *arena, struct delegate_domain *out,
                       const char **fault)
{
    static const char wrong[] = "is no domain (expected one such as \"lists.example\", or "
                                "\"*.lists.example\" for all below it)";
    size_t stars = span_starts_nocase(text, span_cstr("*.")) ? 2 : 0;
    struct span name;
    int result = domain_to_ascii(span_sub(text, stars, text.n), arena, &name, fault);
    if (result != 0)
        return result;
    *fault = wrong;
    /* "*" is an octet of atoms as any other. */
    if (!rfc5322_is_dot_atom(name) || name.n > DOMAIN_MAX_OCTETS || span_find(name, '*') < name.n)
        return 1;
    struct strbuf whole = STRBUF_INIT;
    if (stars > 0)
        strbuf_add_char(&whole, '.');
    strbuf_add_span(&whole, name);
    out->below = stars > 0;
    out->name = span_of(NULL, 0);
    if (!strbuf_failed(&whole))
        out->name = arena_dup(arena, strbuf_span(&whole));
    strbuf_free(&whole);
    return out->name.p == NULL ? -1 : 0;
}

/* 0, 1: one is wrong, -1. */
static int read_domains(struct delegates *all, struct delegate *d, const struct raw_section *raw,
                        struct diagnostics *diagnostics)
{
    const struct raw_value *value = &raw->values[KEY_DOMAINS];
    struct delegate_domain *domains = arena_calloc(&all->arena, value->count, sizeof *domains);
    bool wrong = false;
    if (domains == NULL)
        return -1;
    for (size_t i = 0; i < value->count; i++) {
        const struct raw_item *item = &value->items[i];
        const char *fault;
        int result = read_domain(item->text, &all->arena, &domains[i], &fault);
        if (result < 0)
            return -1;
        if (result > 0)
            say(diagnostics, SEVERITY_ERROR,
                place_of(raw->file, item->line, schema[KEY_DOMAINS].name), item->text, "%s", fault);
        wrong = wrong || result > 0;
    }
    d->domains = domains;
    d->domain_count = value->count;
    return wrong ? 1 : 0;
}

static int write_outside(struct delegates *all, struct delegate *d, const struct raw_section *raw)
{
    const struct raw_value *value = &raw->values[KEY_DOMAINS];
    struct strbuf text = STRBUF_INIT;
    struct shown shown;
    strbuf_addf(&text, "lies outside of the domains of delegate \"%s\" (expected ",
                shown_text(d->name, &shown));
    for (size_t i = 0; i < value->count && i < DOMAINS_SHOWN; i++)
        strbuf_addf(&text, "%s\"%s\"", i == 0 ? "" : " or ",
                    shown_text(value->items[i].text, &shown));
    strbuf_add_str(&text, value->count > DOMAINS_SHOWN ? " or another one of them)" : ")");
    d->outside = strbuf_keep(&text, &all->arena);
    return d->outside == NULL ? -1 : 0;
}

/* ---- the rest of a section ---- */

static bool is_name(struct span name)
{
    for (size_t i = 0; i < name.n; i++) {
        char c = name.p[i];
        if (!ascii_is_alpha(c) && !ascii_is_digit(c) && c != '-' && c != '_' && c != '.')
            return false;
    }
    return name.n > 0 && name.n <= NAME_MAX_OCTETS;
}

static bool check_name(const struct delegates *all, const struct raw_section *raw,
                       struct diagnostics *diagnostics)
{
    struct place place = place_of(raw->file, raw->line, schema[KEY_DELEGATE].name);
    if (!is_name(raw->title)) {
        say(diagnostics, SEVERITY_ERROR, place, raw->title,
            "is no name (expected letters, digits, \"-\", \"_\" and \".\")");
        return false;
    }
    for (size_t i = 0; i < all->count; i++) {
        if (!span_eq_nocase(all->items[i].name, raw->title))
            continue;
        say(diagnostics, SEVERITY_ERROR, place, raw->title,
            "stands here a second time (first in line %d)", all->items[i].line);
        return false;
    }
    return true;
}

static bool check_keys(const struct raw_section *raw, struct diagnostics *diagnostics)
{
    bool fine = true;
    for (int key = DELEGATE_FIRST_KEY; key <= DELEGATE_LAST_KEY; key++) {
        const struct raw_value *value = &raw->values[key];
        fine = fine && !value->wrong;
        if (value->wrong || value->count > 0 || schema[key].fallback != NULL)
            continue;
        say(diagnostics, SEVERITY_ERROR, place_of(raw->file, raw->line, schema[key].name), NO_VALUE,
            "is missing in this delegate (expected %s)",
            key == KEY_FILES ? "files = {\"/FOLDER/*.conf\"}"
                             : "domains = {\"DOMAIN\", \"*.DOMAIN\"}");
        fine = false;
    }
    return fine;
}

/* 0, 1: one is wrong, -1. */
static int read_patterns(struct delegates *all, struct delegate *d, const struct raw_section *raw,
                         struct diagnostics *diagnostics)
{
    const struct raw_value *value = &raw->values[KEY_FILES];
    struct raw_item *items = arena_calloc(&all->arena, value->count, sizeof *items);
    bool wrong = false;
    if (items == NULL)
        return -1;
    for (size_t i = 0; i < value->count; i++) {
        struct span text = value->items[i].text;
        items[i].line = value->items[i].line;
        items[i].text = arena_dup(&all->arena, text);
        if (items[i].text.p == NULL)
            return -1;
        if (text.n > 0 && text.p[text.n - 1] != '/')
            continue;
        say(diagnostics, SEVERITY_ERROR, place_of(raw->file, items[i].line, schema[KEY_FILES].name),
            text, "names no file (expected a path or a pattern)");
        wrong = true;
    }
    d->patterns = items;
    d->pattern_count = value->count;
    return wrong ? 1 : 0;
}

/* lists_max = 1*9DIGIT, not 0      (RULINGS 87) */
static bool read_lists_max(struct delegate *d, const struct raw_section *raw,
                           struct diagnostics *diagnostics)
{
    const struct raw_value *value = raw_value_find(raw, NULL, KEY_LISTS_MAX);
    bool is_set = value != NULL && value->count > 0;
    struct span text = is_set ? value->items[0].text : span_cstr(schema[KEY_LISTS_MAX].fallback);
    bool fine = text.n > 0 && text.n <= 9;
    d->lists_max = 0;
    for (size_t i = 0; fine && i < text.n; i++) {
        fine = ascii_is_digit(text.p[i]);
        d->lists_max = d->lists_max * 10 + (size_t)(text.p[i] - '0');
    }
    if (fine && d->lists_max > 0)
        return true;
    say(diagnostics, SEVERITY_ERROR,
        place_of(raw->file, is_set ? value->items[0].line : raw->line, schema[KEY_LISTS_MAX].name),
        text, "is no number of lists (expected one from 1 to 999999999)");
    return false;
}

static int reserve(struct delegates *all)
{
    if (all->count < all->capacity)
        return 0;
    size_t capacity = all->capacity == 0 ? 8 : all->capacity * 2;
    struct delegate *items = realloc(all->items, capacity * sizeof *items);
    if (items == NULL)
        return -1;
    all->items = items;
    all->capacity = capacity;
    return 0;
}

int delegates_add(struct delegates *all, const struct raw_section *raw,
                  struct diagnostics *diagnostics)
{
    struct delegate d = {.file = raw->file, .line = raw->line};
    bool named = check_name(all, raw, diagnostics);
    if (!check_keys(raw, diagnostics) || !named)
        return 0;
    d.name = arena_dup(&all->arena, raw->title);
    if (d.name.p == NULL || reserve(all) != 0)
        return -1;
    int patterns = read_patterns(all, &d, raw, diagnostics);
    int domains = patterns < 0 ? -1 : read_domains(all, &d, raw, diagnostics);
    if (patterns < 0 || domains < 0 || write_outside(all, &d, raw) != 0)
        return -1;
    bool number = read_lists_max(&d, raw, diagnostics);
    if (patterns == 0 && domains == 0 && number)
        all->items[all->count++] = d;
    return 0;
}

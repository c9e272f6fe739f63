/* delegate - checks sections `delegate`. */
#include "config/delegation/delegate.h"

#include "config/files/find_files.h"
#include "config/report/say.h"
#include "text/ascii.h"
#include "text/memory.h"
#include "text/number.h"
#include "text/strbuf.h"

#include <stdlib.h>

#define DOMAINS_SHOWN 4

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

/* What a section is read with. */
struct reading {
    struct delegates *all;
    const struct raw_section *raw;
    struct diagnostics *diagnostics;
    struct delegate delegate;
    bool wrong;
};

static void complain(struct reading *r, enum key key, int line, struct span value,
                     const char *fault)
{
    say(r->diagnostics, SEVERITY_ERROR, place_of(r->raw->file, line, schema[key].name), value, "%s",
        fault);
    r->wrong = true;
}

/* ---- domains ---- */

static void write_outside(struct reading *r)
{
    const struct raw_value *value = &r->raw->values[KEY_DOMAINS];
    struct strbuf text = STRBUF_INIT;
    struct shown shown;
    strbuf_addf(&text, "lies outside of the domains of delegate \"%s\" (expected ",
                shown_text(r->delegate.name, &shown));
    for (size_t i = 0; i < value->count && i < DOMAINS_SHOWN; i++)
        strbuf_addf(&text, "%s\"%s\"", i == 0 ? "" : " or ",
                    shown_text(value->items[i].text, &shown));
    strbuf_add_str(&text, value->count > DOMAINS_SHOWN ? " or another one of them)" : ")");
    r->delegate.domains.outside = strbuf_keep(&text, &r->all->arena);
}

static void read_domains(struct reading *r)
{
    const struct raw_value *value = &r->raw->values[KEY_DOMAINS];
    struct domain *domains = arena_calloc(&r->all->arena, value->count, sizeof *domains);
    for (size_t i = 0; i < value->count; i++) {
        const char *fault = domain_read(value->items[i].text, &r->all->arena, &domains[i]);
        if (fault != NULL)
            complain(r, KEY_DOMAINS, value->items[i].line, value->items[i].text, fault);
    }
    r->delegate.domains.owner = r->delegate.name.p;
    r->delegate.domains.items = domains;
    r->delegate.domains.count = value->count;
    write_outside(r);
}

/* ---- files ---- */

/* Wildcards in a folder would lead into folders that others make. */
static const char *pattern_fault(struct span text, struct span folder)
{
    if (text.n == folder.n)
        return "names no file (expected a path or a pattern)";
    if (!path_is_plain(folder))
        return "has a wildcard in its folder (expected wildcards after the last \"/\" only)";
    return NULL;
}

static void read_pattern(struct reading *r, const struct raw_item *item,
                         struct delegate_pattern *out)
{
    struct arena *arena = &r->all->arena;
    struct span folder = path_folder(item->text);
    const char *fault = pattern_fault(item->text, folder);
    struct strbuf path = STRBUF_INIT;
    if (fault != NULL)
        complain(r, KEY_FILES, item->line, item->text, fault);
    strbuf_add_span(&path, path_base(r->raw->file, item->text));
    strbuf_add_span(&path, folder);
    out->folder = strbuf_keep(&path, arena);
    out->name = arena_strdup(arena, span_sub(item->text, folder.n, item->text.n));
    out->raw = (struct raw_item){.text = arena_dup(arena, item->text), .line = item->line};
}

static void read_patterns(struct reading *r)
{
    const struct raw_value *value = &r->raw->values[KEY_FILES];
    struct delegate_pattern *patterns =
        arena_calloc(&r->all->arena, value->count, sizeof *patterns);
    for (size_t i = 0; i < value->count; i++)
        read_pattern(r, &value->items[i], &patterns[i]);
    r->delegate.patterns = patterns;
    r->delegate.pattern_count = value->count;
}

/* ---- the rest of a section ---- */

static bool is_name(struct span name)
{
    for (size_t i = 0; i < name.n; i++) {
        char c = name.p[i];
        if (!ascii_is_alpha(c) && !ascii_is_digit(c) && c != '-' && c != '_' && c != '.')
            return false;
    }
    return name.n > 0;
}

static void check_name(struct reading *r)
{
    const struct raw_section *raw = r->raw;
    if (!is_name(raw->title))
        complain(r, KEY_DELEGATE, raw->line, raw->title,
                 "is no name (expected letters, digits, \"-\", \"_\" and \".\")");
    else if (raw->title.n > SECTION_NAME_MAX)
        complain(r, KEY_DELEGATE, raw->line, raw->title,
                 "is too long (expected at most " NUMBER_TEXT(SECTION_NAME_MAX) " bytes)");
    for (size_t i = 0; i < r->all->count; i++) {
        if (!span_eq_nocase(r->all->items[i].name, raw->title))
            continue;
        say(r->diagnostics, SEVERITY_ERROR,
            place_of(raw->file, raw->line, schema[KEY_DELEGATE].name), raw->title,
            "appears a second time (first in line %d)", r->all->items[i].line);
        r->wrong = true;
    }
}

static void check_keys(struct reading *r)
{
    for (int key = 0; key < KEY_COUNT; key++) {
        const struct raw_value *value = &r->raw->values[key];
        r->wrong = r->wrong || value->wrong;
        if (schema[key].section == SECTION_DELEGATE && !value->wrong && value->count == 0 &&
            schema[key].fallback == NULL)
            complain(r, (enum key)key, r->raw->line, NO_VALUE,
                     key == KEY_FILES
                         ? "is missing in this delegate (expected files = {\"/FOLDER/*.conf\"})"
                         : "is missing in this delegate (expected domains = {\"DOMAIN\", "
                           "\"*.DOMAIN\"})");
    }
}

/* lists_max = 1*9DIGIT, not 0      (RULINGS 87) */
static void read_lists_max(struct reading *r)
{
    const struct raw_value *value = raw_value_find(r->raw, NULL, KEY_LISTS_MAX);
    bool is_set = value != NULL && value->count > 0;
    struct span text = is_set ? value->items[0].text : span_cstr(schema[KEY_LISTS_MAX].fallback);
    uint64_t number = 0;
    if (text.n > 9 || !number_parse(text, 999999999, &number) || number == 0)
        complain(r, KEY_LISTS_MAX, is_set ? value->items[0].line : r->raw->line, text,
                 "is no number of lists (expected one from 1 to 999999999)");
    r->delegate.lists_max = (size_t)number;
}

void delegates_add(struct delegates *all, const struct raw_section *raw,
                   struct diagnostics *diagnostics)
{
    struct reading r = {all, raw, diagnostics, {.file = raw->file, .line = raw->line}, false};
    check_name(&r);
    check_keys(&r);
    if (r.wrong)
        return;
    r.delegate.name = arena_dup(&all->arena, raw->title);
    read_patterns(&r);
    read_domains(&r);
    read_lists_max(&r);
    if (r.wrong)
        return;
    all->items = array_grow(all->items, all->count, &all->capacity, sizeof *all->items);
    all->items[all->count++] = r.delegate;
}

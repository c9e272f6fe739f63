/*
 * import of alias files: which aliases are lists, and what belongs to them
 *
 * A list has an :include:, or two recipients besides itself.  An alias of one that is a list is
 * another address of that list.
 */
#include "ctl/import/alias_file.h"
#include "ctl/import/import.h"
#include "ctl/import/kinds.h"
#include "mail/address.h"

#include <string.h>

/* How far an alias is followed; one that leads back to itself ends here, too. */
#define CHAIN_MAX 16

struct entry {
    struct entry *next; /* in the order of the file */
    struct span name;
    struct span target;            /* the last one that is an address */
    const struct program *program; /* of a list manager; NULL: it leads to none */
    struct entry *others;          /* of a list: what leads to it, and to nothing else */
    struct entry *last_other;
    struct entry *next_other;
    int line;
    bool is_list;
    bool is_forward; /* of somebody who keeps a copy */
};

struct aliases {
    struct import *import;
    const char *file;
    struct entry *first;
    struct entry **last;
    struct strmap names;
};

/* Part of the command that leads to a list manager, and where its lists come from. */
static const struct program {
    const char *command;
    const char *manager;
    const char *advice;
} programs[] = {
    {"mlmmj-re", "mlmmj", "mlmilterctl import mlmmj FOLDER"},
    {"ezmlm-", "ezmlm", "mlmilterctl import ezmlm FOLDER"},
    {"/queue ", "Sympa", "mlmilterctl import sympa FOLDER"},
    {"mailman", "Mailman", "list_lists -b | mlmilterctl import mailman2 -"},
    {"majordomo", "Majordomo", "manager = \"majordomo\" in mlmilter.conf(5)"},
};

#define PROGRAM_COUNT (sizeof programs / sizeof programs[0])

/* ---- reading ---- */

static void take_fault(void *context, const char *file, int line, const char *fault)
{
    const struct aliases *aliases = context;
    import_left_out(aliases->import, "%s:%d: %s", file, line, fault);
}

static const struct program *find_program(struct span command)
{
    const struct program *found = NULL;
    for (size_t at = 0; at < command.n && found == NULL; at++)
        for (size_t i = 0; i < PROGRAM_COUNT && found == NULL; i++)
            if (span_starts_nocase(span_sub(command, at, command.n),
                                   span_cstr(programs[i].command)))
                found = &programs[i];
    return found;
}

static void take_targets(struct entry *entry, const struct alias *alias, struct arena *arena)
{
    size_t recipients = 0;
    for (size_t i = 0; i < alias->count; i++) {
        const struct alias_target *target = &alias->targets[i];
        if (target->kind == ALIAS_INCLUDE) {
            entry->is_list = true;
        } else if (target->kind == ALIAS_COMMAND) {
            if (entry->program == NULL)
                entry->program = find_program(target->text);
        } else if (target->kind == ALIAS_ADDRESS && span_eq_nocase(target->text, alias->name)) {
            entry->is_forward = true;
        } else if (target->kind == ALIAS_ADDRESS) {
            recipients++;
            entry->target = target->text;
        }
    }
    entry->is_list = entry->is_list || (recipients >= 2 && !entry->is_forward);
    entry->target = recipients == 1 ? arena_dup(arena, entry->target) : span_of("", 0);
}

static void take_alias(void *context, const struct alias *alias)
{
    struct aliases *aliases = context;
    struct arena *arena = &aliases->import->arena;
    struct entry *entry = arena_calloc(arena, 1, sizeof *entry);
    entry->line = alias->line;
    entry->name = arena_dup(arena, alias->name);
    take_targets(entry, alias, arena);
    if (!strmap_put(&aliases->names, entry->name, entry, NULL)) {
        import_left_out(aliases->import, "%s:%d: left out: \"%.*s\" is there a second time",
                        aliases->file, alias->line, (int)alias->name.n, alias->name.p);
        return;
    }
    *aliases->last = entry;
    aliases->last = &entry->next;
}

/* ---- what they are ---- */

static struct entry *find_alias(const struct aliases *aliases, struct span address)
{
    struct entry *entry = strmap_get(&aliases->names, address);
    if (entry == NULL && span_eq_nocase(address_domain(address), aliases->import->domain))
        entry = strmap_get(&aliases->names, address_local(address));
    return entry;
}

/* Names that every host has for somebody (RFC 2142), and of programs. */
static bool is_role(struct span name)
{
    static const char *const roles[] = {"postmaster", "mailer-daemon", "root", "abuse",
                                        "hostmaster", "webmaster",     "noc",  "security",
                                        "usenet",     "news",          "www",  "ftp",
                                        "nobody",     "daemon",        "uucp"};
    for (size_t i = 0; i < sizeof roles / sizeof roles[0]; i++)
        if (span_eq_nocase(address_local(name), span_cstr(roles[i])))
            return true;
    return false;
}

/* The list that `owner-LIST`, `LIST-owner` or `LIST-request` belongs to; NULL: none. */
static const struct entry *list_behind(const struct aliases *aliases, struct span name)
{
    static const char owner[] = "owner-";
    static const char *const ends[] = {"-owner", "-request"};
    const struct entry *list = NULL;
    if (span_starts_nocase(name, span_cstr(owner)))
        list = find_alias(aliases, span_sub(name, sizeof owner - 1, name.n));
    for (size_t i = 0; list == NULL && i < sizeof ends / sizeof ends[0]; i++)
        if (span_ends_nocase(name, span_cstr(ends[i])))
            list = find_alias(aliases, span_sub(name, 0, name.n - strlen(ends[i])));
    return list != NULL && list->is_list ? list : NULL;
}

/* The list that an alias with one recipient leads to. */
static struct entry *follow(const struct aliases *aliases, struct entry *entry)
{
    for (int i = 0; i < CHAIN_MAX && entry != NULL; i++) {
        if (entry->is_list)
            return entry;
        if (entry->is_forward || entry->target.n == 0)
            return NULL;
        entry = find_alias(aliases, entry->target);
    }
    return NULL;
}

/* ---- printing ---- */

/* A name of the file, as an address. */
static void add_other(struct section *section, struct span name)
{
    struct strbuf address = STRBUF_INIT;
    strbuf_add_span(&address, name);
    if (span_find(name, '@') == name.n) {
        strbuf_add_char(&address, '@');
        strbuf_add_span(&address, section->import->domain);
    }
    section_alias(section, strbuf_span(&address));
    strbuf_free(&address);
}

/* Is there an alias whose name is the list's with something before or after it? */
static bool has_alias(const struct aliases *aliases, const char *before, struct span name,
                      const char *after)
{
    struct strbuf text = STRBUF_INIT;
    strbuf_add_str(&text, before);
    strbuf_add_span(&text, address_local(name));
    strbuf_add_str(&text, after);
    if (address_domain(name).n > 0) {
        strbuf_add_char(&text, '@');
        strbuf_add_span(&text, address_domain(name));
    }
    bool found = strmap_get(&aliases->names, strbuf_span(&text)) != NULL;
    strbuf_free(&text);
    return found;
}

static void print_section(const struct aliases *aliases, const struct entry *entry,
                          const char *where)
{
    struct section section;
    section_begin(&section, aliases->import, where);
    section_address(&section, address_local(entry->name), address_domain(entry->name));
    for (const struct entry *other = entry->others; other != NULL; other = other->next_other)
        add_other(&section, other->name);
    section_set(&section, "select", "\"recipient\"");
    section_set(&section, "post", "{\"mailto:{address}\"}");
    if (has_alias(aliases, "owner-", entry->name, ""))
        section_set(&section, "owner", "{\"mailto:owner-{address_local}@{address_domain}\"}");
    else if (has_alias(aliases, "", entry->name, "-owner"))
        section_set(&section, "owner", "{\"mailto:{address_local}-owner@{address_domain}\"}");
    else
        section_comment(&section, "owner: not known");
    if (has_alias(aliases, "", entry->name, "-request"))
        section_comment(&section, "subscribe, unsubscribe: does %.*s-request do that?",
                        (int)address_local(entry->name).n, entry->name.p);
    else
        section_comment(&section, "subscribe, unsubscribe: not known");
    section_comment(&section, "description, archive: not known");
    section_end(&section);
}

static void print_list(const struct aliases *aliases, const struct entry *entry)
{
    struct strbuf where = STRBUF_INIT;
    const struct entry *list = list_behind(aliases, entry->name);
    strbuf_addf(&where, "%s:%d", aliases->file, entry->line);
    if (is_role(entry->name))
        import_comment("%s: not printed: %.*s is a role, and no list", strbuf_str(&where),
                       (int)entry->name.n, entry->name.p);
    else if (list != NULL)
        import_comment("%s: not printed: %.*s belongs to %.*s", strbuf_str(&where),
                       (int)entry->name.n, entry->name.p, (int)list->name.n, list->name.p);
    else
        print_section(aliases, entry, strbuf_str(&where));
    strbuf_free(&where);
}

/* Notes the other addresses of lists. */
static void find_others(struct aliases *aliases)
{
    for (struct entry *entry = aliases->first; entry != NULL; entry = entry->next) {
        struct entry *list = entry->is_list ? NULL : follow(aliases, entry);
        if (list == NULL || list_behind(aliases, entry->name) != NULL)
            continue;
        if (is_role(entry->name)) {
            import_comment("%s:%d: not printed: %.*s, a role, leads to %.*s", aliases->file,
                           entry->line, (int)entry->name.n, entry->name.p, (int)list->name.n,
                           list->name.p);
            continue;
        }
        if (list->others == NULL)
            list->others = entry;
        else
            list->last_other->next_other = entry;
        list->last_other = entry;
    }
}

/* One line for all aliases that lead to a list manager. */
static void name_programs(const struct aliases *aliases)
{
    size_t counts[PROGRAM_COUNT] = {0};
    const struct entry *firsts[PROGRAM_COUNT] = {NULL};
    for (const struct entry *entry = aliases->first; entry != NULL; entry = entry->next)
        if (entry->program != NULL && counts[entry->program - programs]++ == 0)
            firsts[entry->program - programs] = entry;
    for (size_t i = 0; i < PROGRAM_COUNT; i++)
        if (counts[i] > 0)
            import_comment("%s:%d: not printed: %zu alias%s to %s, the first is %.*s (see %s)",
                           aliases->file, firsts[i]->line, counts[i],
                           counts[i] == 1 ? " leads" : "es lead", programs[i].manager,
                           (int)firsts[i]->name.n, firsts[i]->name.p, programs[i].advice);
}

static void read_text(struct import *import, const char *name, struct span text)
{
    struct aliases aliases = {.import = import, .file = name};
    const struct alias_visitor visitor = {&aliases, take_alias, take_fault};
    aliases.last = &aliases.first;
    strmap_init(&aliases.names, 0);
    alias_text_each(name, text, &visitor);
    find_others(&aliases);
    name_programs(&aliases);
    for (const struct entry *entry = aliases.first; entry != NULL; entry = entry->next)
        if (entry->is_list && entry->program == NULL)
            print_list(&aliases, entry);
    strmap_free(&aliases.names);
}

const struct import_kind import_aliases = {"aliases", NULL, NULL, read_text};

/* sendmail_aliases - the alias file beside the lists. Sendmail tells a filter the name of a local
 * mailbox without its domain, so names are compared (RULINGS 21). */
#include "ctl/doctor/sendmail_aliases.h"

#include "ctl/doctor/sendmail_cf.h"
#include "ctl/import/alias_file.h"
#include "mail/address.h"
#include "text/strmap.h"

#define SAID_MAX 5 /* of one kind of finding */

struct aliases_check {
    struct doctor *doctor;
    const struct list_index *index;
    struct strmap names;
    struct arena arena;
    unsigned said;
    bool is_partial;
};

/* The list that a name, or an address of the alias file, is. */
static const struct list *list_of(const struct aliases_check *c, struct span address)
{
    return address_domain(address).n > 0 ? list_by_address(c->index, address)
                                         : list_by_name(c->index, address);
}

static void say_other_name(struct aliases_check *c, const struct list *list, struct span name)
{
    struct strbuf cure = STRBUF_INIT;
    struct span own = address_local(list->mailbox);
    bool has_own = false;
    strbuf_add_str(&cure, "aliases = {");
    for (size_t i = 0; i < list->alias_count; i++) {
        strbuf_addf(&cure, "\"%.*s\", ", (int)list->aliases[i].n, list->aliases[i].p);
        has_own |= span_eq_nocase(list->aliases[i], own);
    }
    if (!has_own) /* a list with such names is found by them alone */
        strbuf_addf(&cure, "\"%.*s\", ", (int)own.n, own.p);
    strbuf_addf(&cure, "\"%.*s\"}   (in the list's section)", (int)name.n, name.p);
    if (!span_is_printable_ascii(name) || span_find(name, '"') < name.n ||
        span_find(name, '\\') < name.n)
        strbuf_reset(&cure); /* it would have to be written in another way there */
    findings_say(&c->doctor->findings, FINDING_MEND, "address-not-in-aliases", strbuf_str(&cure),
                 "list \"%.*s\": the alias %.*s leads to it, but that is not among the list's "
                 "names: such mail reaches the members unstamped",
                 (int)list->id.n, list->id.p, (int)name.n, name.p);
    strbuf_free(&cure);
}

static void on_alias(void *context, const struct alias *alias)
{
    struct aliases_check *c = context;
    const struct list *own = list_of(c, alias->name);
    struct span name = arena_dup(&c->arena, alias->name);
    bool includes = false, runs = false;
    strmap_put(&c->names, name, c, NULL);
    for (size_t i = 0; i < alias->count; i++) {
        const struct alias_target *target = &alias->targets[i];
        includes |= target->kind == ALIAS_INCLUDE;
        runs |= target->kind == ALIAS_COMMAND;
        const struct list *list = target->kind == ALIAS_ADDRESS ? list_of(c, target->text) : NULL;
        if (own == NULL && list != NULL && list->select == SELECT_RECIPIENT && c->said++ < SAID_MAX)
            say_other_name(c, list, name);
    }
    if (own != NULL && own->select != SELECT_RECIPIENT && includes && !runs && c->said++ < SAID_MAX)
        findings_say(&c->doctor->findings, FINDING_MEND, "alias-list-selected-otherwise",
                     "select = \"recipient\"   (in the list's section)",
                     "list \"%.*s\": Sendmail itself expands %.*s to members, so no list manager "
                     "writes the List-Id by which its posts would be known",
                     (int)own->id.n, own->id.p, (int)name.n, name.p);
}

static void on_fault(void *context, const char *file, int line, const char *fault)
{
    struct aliases_check *c = context;
    c->is_partial = true;
    if (c->said++ < SAID_MAX)
        findings_say(&c->doctor->findings, FINDING_UNSEEN, "table-unseen", NULL, "%s:%d: %s", file,
                     line, fault);
}

/* An alias list of a local name that is no alias. virtusertable may lead elsewhere. */
static void check_lists(struct aliases_check *c)
{
    for (size_t i = 0; i < c->index->count && !c->is_partial && c->said < SAID_MAX; i++) {
        const struct list *list = c->index->lists[i];
        struct span local = address_local(list->mailbox);
        bool is_there = list->select != SELECT_RECIPIENT || local.n == 0 ||
                        strmap_get(&c->names, local) != NULL;
        for (size_t j = 0; j < list->alias_count && !is_there; j++)
            is_there = strmap_get(&c->names, address_local(list->aliases[j])) != NULL;
        if (is_there)
            continue;
        struct strbuf cure = STRBUF_INIT;
        strbuf_addf(&cure,
                    "%.*s: :include:/etc/mail/%.*s.members   (in the alias file; then newaliases)",
                    (int)local.n, local.p, (int)local.n, local.p);
        c->said++;
        findings_say(&c->doctor->findings, FINDING_MEND, "list-without-alias", strbuf_str(&cure),
                     "list \"%.*s\": no alias leads from %.*s to members", (int)list->id.n,
                     list->id.p, (int)local.n, local.p);
        strbuf_free(&cure);
    }
}

void sendmail_check_aliases(struct doctor *doctor, struct span cf)
{
    struct aliases_check c = {.doctor = doctor, .index = &doctor->settings->index};
    struct alias_visitor visitor = {&c, on_alias, on_fault};
    struct span file = cf_option(cf, "AliasFile"); /* [ type ":" ] [ "-" options ] path */
    file = span_sub(file, span_find(file, '/'), file.n);
    arena_init(&c.arena, 0);
    strmap_init(&c.names, 0);
    const char *path = arena_strdup(&c.arena, span_sub(file, 0, span_find(file, ',')));
    if (*path != '\0') {
        alias_file_each(path, &visitor);
        check_lists(&c);
    }
    strmap_free(&c.names);
    arena_free(&c.arena);
}

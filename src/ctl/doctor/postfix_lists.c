/* postfix_lists - each list's address in alias_maps, virtual_alias_maps and the domains; and what
 * else leads to it. */
#include "ctl/doctor/postfix_lists.h"

#include "ctl/doctor/cure.h"
#include "ctl/doctor/postfix_tables.h"
#include "mail/address.h"
#include "plan/envelope.h"

/* Of one kind of finding; on a host with thousands of lists, more say no more. */
#define SAID_MAX 5

enum { ALIASES, VIRTUAL, LOCAL, DOMAINS, TABLES };

struct lists_check {
    const struct postfix *p;
    struct postfix_table
        tables[TABLES];       /* VIRTUAL: domains, too; LOCAL: mydestination; DOMAINS: the others */
    struct span local_domain; /* the first of mydestination */
    unsigned said_domains, said_lost, said_expanded, said_named;
};

static bool has(const struct postfix_table *table, struct span key)
{
    return postfix_table_get(table, key) != NULL;
}

static bool has_octet(struct span s, char c)
{
    return span_find(s, c) < s.n;
}

static bool is_local(const struct lists_check *c, struct span domain)
{
    return has(&c->tables[LOCAL], domain);
}

static bool is_listed_domain(const struct lists_check *c, struct span domain)
{
    return has(&c->tables[DOMAINS], domain) || has(&c->tables[VIRTUAL], domain);
}

static bool is_known_domain(const struct lists_check *c, struct span domain)
{
    bool is_known = is_local(c, domain) || is_listed_domain(c, span_cstr("*"));
    for (int i = VIRTUAL; i < TABLES; i++)
        is_known |= c->tables[i].is_partial;
    while (!is_known) { /* one of relay_domains or transport_maps may stand for those below it */
        size_t dot = span_find(domain, '.');
        is_known = is_listed_domain(c, domain);
        if (dot == domain.n)
            break;
        is_known |= is_listed_domain(c, span_sub(domain, dot, domain.n));
        domain = span_sub(domain, dot + 1, domain.n);
    }
    return is_known;
}

/* An alias list whose address no line expands. In other domains another host may do that. */
static void check_expanded(struct lists_check *c, const struct list *list, struct span domain)
{
    const struct postfix_table *virtual = &c->tables[VIRTUAL], *aliases = &c->tables[ALIASES];
    struct strbuf cure = STRBUF_INIT;
    struct span local = address_local(list->mailbox);
    bool here = is_local(c, domain);
    if (virtual->is_partial || has(virtual, list->mailbox) ||
        has(virtual, span_sub(list->mailbox, local.n, list->mailbox.n)) /* @DOMAIN */)
        return;
    if (here ? aliases->is_partial || has(aliases, local) || has(virtual, local)
             : !has(virtual, domain))
        return;
    if (c->said_lost++ >= SAID_MAX)
        return;
    if (here)
        strbuf_addf(&cure,
                    "%.*s: :include:/etc/postfix/%.*s.members   (in /etc/aliases; then newaliases)",
                    (int)local.n, local.p, (int)local.n, local.p);
    else
        strbuf_addf(&cure,
                    "%.*s  MEMBER, MEMBER   (in a table of virtual_alias_maps; then postmap)",
                    (int)list->mailbox.n, list->mailbox.p);
    findings_say(&c->p->doctor->findings, FINDING_MEND, "list-without-alias", strbuf_str(&cure),
                 "list \"%.*s\": no alias and no virtual alias leads from %.*s to members",
                 (int)list->id.n, list->id.p, (int)list->mailbox.n, list->mailbox.p);
    strbuf_free(&cure);
}

/* Begins the line that gives a list more aliases, with the aliases that it has. */
static void begin_aliases(struct strbuf *cure, const struct list *list)
{
    strbuf_add_str(cure, "aliases = {");
    for (size_t i = 0; i < list->alias_count; i++)
        strbuf_addf(cure, "\"%.*s\", ", (int)list->aliases[i].n, list->aliases[i].p);
}

/* An alias is one in each domain of mydestination, so mail to the list's name in the others reaches
 * the members, too (RULINGS 95, 102). */
static void check_other_domains(struct lists_check *c, const struct list *list, struct span domain)
{
    struct span local = address_local(list->mailbox);
    struct strbuf cure = STRBUF_INIT, others = STRBUF_INIT;
    if (!is_local(c, domain) || !has(&c->tables[ALIASES], local))
        return;
    begin_aliases(&cure, list);
    for (const struct table_entry *e = c->tables[LOCAL].all; e != NULL; e = e->next) {
        struct strbuf other = STRBUF_INIT;
        strbuf_addf(&other, "%.*s@%.*s", (int)local.n, local.p, (int)e->key.n, e->key.p);
        struct recipient recipient = {strbuf_span(&other), strbuf_span(&other)};
        if (!has_octet(e->key, '/') && !has_octet(e->key, ':') &&
            recipient_find_list(c->p->doctor->settings, &recipient).list == NULL) {
            strbuf_addf(&cure, "%s\"%s\"", others.len > 0 ? ", " : "", strbuf_str(&other));
            strbuf_addf(&others, "%s%s", others.len > 0 ? ", " : "", strbuf_str(&other));
        }
        strbuf_free(&other);
    }
    strbuf_add_str(&cure, "}   (in the list's section)");
    if (others.len > 0 && c->said_named++ < SAID_MAX)
        findings_say(&c->p->doctor->findings, FINDING_MEND, "address-not-in-aliases",
                     strbuf_str(&cure),
                     "list \"%.*s\": Postfix leads %s to it (mydestination), but that is not among "
                     "the list's addresses: such mail reaches the members unstamped",
                     (int)list->id.n, list->id.p, strbuf_str(&others));
    strbuf_free(&cure);
    strbuf_free(&others);
}

/* A list manager's list that is an alias of its members: nobody writes a List-Id. */
static void check_not_expanded(struct lists_check *c, const struct list *list, struct span domain)
{
    const struct table_entry *entry = postfix_table_get(&c->tables[VIRTUAL], list->mailbox);
    bool includes = false;
    size_t targets = 0;
    struct span word;
    if (entry == NULL && is_local(c, domain))
        entry = postfix_table_get(&c->tables[ALIASES], address_local(list->mailbox));
    if (entry == NULL)
        return;
    struct span value = entry->value;
    if (span_find(value, '|') < value.n)
        return;
    while (next_word(&value, ", \t", &word)) {
        targets++;
        includes |= span_starts_nocase(word, span_cstr(":include:"));
    }
    if ((!includes && targets < 2) || c->said_expanded++ >= SAID_MAX)
        return;
    findings_say(&c->p->doctor->findings, includes ? FINDING_MEND : FINDING_ADVICE,
                 "alias-list-selected-otherwise",
                 "select = \"recipient\"   (in the list's section)",
                 "list \"%.*s\": Postfix itself expands %.*s to members, so no list manager writes "
                 "the List-Id by which its posts would be known",
                 (int)list->id.n, list->id.p, (int)list->mailbox.n, list->mailbox.p);
}

/* Said once of a domain. */
static void check_domain(struct lists_check *c, const struct list *list, struct span domain)
{
    struct strbuf cure = STRBUF_INIT, name = STRBUF_INIT;
    if (is_known_domain(c, domain) || c->said_domains++ >= SAID_MAX)
        return;
    postfix_table_add(&c->tables[DOMAINS], c->p, "postmap", domain);
    strbuf_add_span(&name, domain);
    strbuf_add_str(&cure, "postconf -e \"mydestination = $(postconf -h mydestination), \"");
    cure_add_word(&cure, strbuf_str(&name));
    strbuf_add_str(&cure, " && postfix reload");
    findings_say(&c->p->doctor->findings,
                 list->select == SELECT_RECIPIENT ? FINDING_MEND : FINDING_ADVICE,
                 "domain-not-here", strbuf_str(&cure),
                 "list \"%.*s\": Postfix does not take mail for %.*s (mydestination, "
                 "virtual_alias_domains, virtual_mailbox_domains, relay_domains, transport_maps)",
                 (int)list->id.n, list->id.p, (int)domain.n, domain.p);
    strbuf_free(&cure);
    strbuf_free(&name);
}

static void check_list(struct lists_check *c, const struct list *list)
{
    struct span domain = address_domain(list->mailbox);
    if (domain.n == 0)
        return;
    check_domain(c, list, domain);
    if (list->select != SELECT_RECIPIENT) {
        check_not_expanded(c, list, domain);
        return;
    }
    check_expanded(c, list, domain);
    check_other_domains(c, list, domain);
}

/* A line of aliases or virtual aliases that leads to a list by a name that it does not have. */
static void check_name(struct lists_check *c, struct span key, struct span target)
{
    const struct list_index *index = &c->p->doctor->settings->index;
    struct span here = c->local_domain, domain = address_domain(target);
    bool target_is_local = domain.n == 0 || is_local(c, domain);
    const struct list *list = list_by_address(index, target);
    if (list == NULL && target_is_local)
        list = list_by_name(index, address_local(target));
    if (list == NULL || span_find(key, '@') == 0)
        return;
    domain = address_domain(key);
    if (domain.n == 0) /* an alias, or a virtual alias of local names: of the domain of the list */
        domain = is_local(c, address_domain(list->mailbox)) ? address_domain(list->mailbox) : here;
    if (list_at_address(index, address_local(key), domain) != NULL || c->said_named++ >= SAID_MAX)
        return; /* also where it is another list, of lists */
    struct strbuf cure = STRBUF_INIT;
    begin_aliases(&cure, list);
    strbuf_addf(&cure, "\"%.*s@%.*s\"}   (in the list's section)", (int)address_local(key).n, key.p,
                (int)domain.n, domain.p);
    if (!span_is_printable_ascii(key) || has_octet(key, '"') || has_octet(key, '\\'))
        strbuf_reset(&cure); /* it would have to be written in another way there */
    bool expands = list->select == SELECT_RECIPIENT;
    findings_say(&c->p->doctor->findings, expands ? FINDING_MEND : FINDING_ADVICE,
                 "address-not-in-aliases", strbuf_str(&cure),
                 "list \"%.*s\": Postfix leads %.*s to it, but that is not among the list's "
                 "addresses: such mail %s",
                 (int)list->id.n, list->id.p, (int)key.n, key.p,
                 expands ? "reaches the members unstamped" : "reaches the list manager as it came");
    strbuf_free(&cure);
}

static void check_names(struct lists_check *c, const struct postfix_table *table)
{
    for (const struct table_entry *entry = table->all; entry != NULL; entry = entry->next) {
        struct span value = entry->value, word;
        if (span_find(value, '|') < value.n) /* what stands after may be arguments of a program */
            continue;
        while (next_word(&value, ", \t", &word))
            check_name(c, entry->key, word);
    }
}

/* The tables of a service of its own (doc/postfix.md, recipe 4) lead to lists as well. */
static void add_virtual_of_services(struct lists_check *c)
{
    struct span rest = c->p->values.master;
    struct postfix_service service;
    while (next_service(&c->p->values, &rest, &service)) {
        bool is_own;
        struct span value = postfix_value(&c->p->values, "virtual_alias_maps", &service, &is_own);
        if (is_own)
            postfix_table_add(&c->tables[VIRTUAL], c->p, "postmap", value);
    }
}

static void add_tables(struct lists_check *c)
{
    static const struct {
        const char *parameter;
        int table;
        const char *program;
    } parts[] = {
        {"alias_maps", ALIASES, "postalias"},
        {"virtual_alias_maps", VIRTUAL, "postmap"},
        {"virtual_alias_domains", VIRTUAL, "postmap"},
        {"mydestination", LOCAL, "postmap"},
        {"virtual_mailbox_domains", DOMAINS, "postmap"},
        {"relay_domains", DOMAINS, "postmap"},
        {"transport_maps", DOMAINS, "postmap"},
    };
    struct span value_before = {0};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        struct span value = postfix_value(&c->p->values, parts[i].parameter, NULL, NULL);
        if (span_eq(value, value_before))
            continue; /* virtual_alias_domains is virtual_alias_maps by default */
        value_before = value;
        postfix_table_add(&c->tables[parts[i].table], c->p, parts[i].program, value);
    }
    add_virtual_of_services(c);
}

void postfix_check_lists(const struct postfix *postfix)
{
    struct lists_check c = {.p = postfix};
    struct span destination = postfix_value(&postfix->values, "mydestination", NULL, NULL);
    next_word(&destination, ", \t", &c.local_domain);
    for (int i = 0; i < TABLES; i++)
        postfix_table_init(&c.tables[i]);
    add_tables(&c);
    for (size_t i = 0; i < postfix->doctor->settings->index.count; i++)
        check_list(&c, postfix->doctor->settings->index.lists[i]);
    check_names(&c, &c.tables[ALIASES]);
    check_names(&c, &c.tables[VIRTUAL]);
    for (int i = 0; i < TABLES; i++)
        postfix_table_free(&c.tables[i]);
}

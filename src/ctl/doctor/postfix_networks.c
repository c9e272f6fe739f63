/* postfix_networks - mynetworks and recipient_delimiter beside `trusted` and ours. */
#include "ctl/doctor/postfix_networks.h"

#include "mail/address.h"

static bool trusts(const struct postfix *p, struct span address)
{
    struct client client = {.has_address = true};
    return trust_address_parse(address, &client.address) &&
           trust_matches(&p->doctor->settings->trusted, &client);
}

/* Is a listener of the list manager's own trusted (doc/postfix.md, recipe 6)? */
static bool trusts_a_listener(const struct postfix *p)
{
    struct span rest = p->values.master;
    struct postfix_service service;
    while (next_service(&p->values, &rest, &service)) {
        struct client client = {
            .daemon_name = postfix_value(&p->values, "milter_macro_daemon_name", &service, NULL)};
        if (client.daemon_name.n > 0 && trust_matches(&p->doctor->settings->trusted, &client))
            return true;
    }
    return false;
}

/* "[::1]/128" -> "::1"; the first address of a network in mynetworks. .n = 0: it is none. */
static struct span network_address(struct span word)
{
    struct trust_address ignored;
    if (word.p[0] == '[')
        word = span_sub(word, 1, span_find(word, ']') - 1);
    word = span_sub(word, 0, span_find(word, '/'));
    return trust_address_parse(word, &ignored) ? word : span_of("", 0);
}

/* Lists of a list manager are found by their List-Id or sender from clients that are trusted. */
static void check_trusted(const struct postfix *p)
{
    static const char cure[] =
        "trusted = {\"127.0.0.0/8\", \"::1\", \"local\"}   (in mlmilter.conf)";
    struct span networks = postfix_value(&p->values, "mynetworks", NULL, NULL), word;
    struct strbuf missing = STRBUF_INIT;
    bool any = trusts(p, span_cstr("127.0.0.1")) || trusts_a_listener(p);
    bool is_listener = !trusts(p, span_cstr("127.0.0.1")) && any;
    while (next_word(&networks, ", \t", &word)) {
        struct span address = network_address(word);
        struct span loopback = span_cstr("127.");
        bool is_trusted =
            address.n == 0 || trusts(p, address) || span_starts_nocase(address, loopback);
        any |= address.n > 0 && trusts(p, address);
        if (is_trusted || span_eq(address, span_cstr("::1")) ||
            span_starts_nocase(address, span_cstr("::ffff:")))
            continue;
        strbuf_add_str(&missing, missing.len > 0 ? ", " : "");
        strbuf_add_span(&missing, word);
    }
    if (!any)
        findings_say(
            &p->doctor->findings, FINDING_MEND, "nobody-trusted", cure,
            "no list manager of this host is believed: `trusted` has neither loopback nor a "
            "network of mynetworks");
    else if (missing.len > 0 && !is_listener)
        findings_say(
            &p->doctor->findings, FINDING_ADVICE, "network-not-trusted", NULL,
            "hosts of %s may relay through Postfix (mynetworks) but are not in `trusted`: a "
            "list manager there would not be believed",
            strbuf_str(&missing));
    strbuf_free(&missing);
    if (trusts(p, span_cstr("192.0.2.1")) && trusts(p, span_cstr("203.0.113.1")))
        findings_say(&p->doctor->findings, FINDING_MEND, "everybody-trusted", cure,
                     "`trusted` has the whole Internet: everybody can speak for the lists");
}

static bool has_octet(struct span set, char c)
{
    return span_find(set, c) < set.n;
}

/* Has a list an address of its own with the delimiter in it, as mlmmj's all have? */
static const struct list *list_that_needs(const struct settings *settings, char delimiter)
{
    for (size_t i = 0; i < settings->index.count; i++) {
        const struct list *list = settings->index.lists[i];
        for (uint32_t j = 0; j < list->command_address_count; j++)
            if (has_octet(address_local(list->command_addresses[j]), delimiter))
                return list;
    }
    return NULL;
}

static void check_delimiter(const struct postfix *p)
{
    struct span theirs = postfix_value(&p->values, "recipient_delimiter", NULL, NULL);
    struct span ours = p->doctor->settings->recipient_delimiter;
    struct strbuf cure = STRBUF_INIT;
    const struct list *list = NULL;
    char missing = '\0';
    for (size_t i = 0; i < theirs.n && missing == '\0'; i++)
        missing = has_octet(ours, theirs.p[i]) ? '\0' : theirs.p[i];
    for (size_t i = 0; i < ours.n && list == NULL; i++)
        list =
            has_octet(theirs, ours.p[i]) ? NULL : list_that_needs(p->doctor->settings, ours.p[i]);
    if (missing != '\0') {
        strbuf_addf(&cure, "recipient_delimiter = \"%.*s\"   (in mlmilter.conf)", (int)theirs.n,
                    theirs.p);
        findings_say(&p->doctor->findings, FINDING_MEND, "recipient-delimiter", strbuf_str(&cure),
                     "Postfix delivers team%cx to team (recipient_delimiter is \"%.*s\"), and "
                     "mlmilter takes it for another address (its own is \"%.*s\")",
                     missing, (int)theirs.n, theirs.p, (int)ours.n, ours.p);
    } else if (list != NULL) {
        cure_postconf(&cure, NULL, "recipient_delimiter", ours);
        findings_say(
            &p->doctor->findings, FINDING_ADVICE, "recipient-delimiter", strbuf_str(&cure),
            "list \"%.*s\" has addresses with \"%.*s\" in them, which Postfix does not take "
            "for the list's: its recipient_delimiter is \"%.*s\"",
            (int)list->id.n, list->id.p, (int)ours.n, ours.p, (int)theirs.n, theirs.p);
    }
    strbuf_free(&cure);
}

void postfix_check_networks(const struct postfix *postfix)
{
    if (postfix->doctor->settings->index.count > postfix->doctor->settings->index.recipient_lists)
        check_trusted(postfix);
    check_delimiter(postfix);
}

/* postfix - asks postconf(1), and has each part of what it says looked at. */
#include "ctl/doctor/postfix.h"

#include "ctl/doctor/check_daemon.h"
#include "ctl/doctor/cure.h"
#include "ctl/doctor/postfix_lists.h"
#include "ctl/doctor/postfix_milters.h"
#include "ctl/doctor/run_program.h"
#include "mail/address.h"

enum { MAIN, MASTER, OVERRIDES, UNUSED, RUNNING, QUESTIONS };

static const char *const questions[QUESTIONS][4] = {
    [MAIN] = {"postconf", "-x"},       [MASTER] = {"postconf", "-M"},
    [OVERRIDES] = {"postconf", "-xP"}, [UNUSED] = {"postconf", "-n"},
    [RUNNING] = {"postfix", "status"},
};

/* "postconf: warning: /etc/postfix/main.cf: unused parameter: smtpd_milter=inet:..." */
static void check_unused(struct doctor *d, struct span warnings)
{
    struct span line, word, name;
    while (next_line(&warnings, &line)) {
        while (next_word(&line, " ", &word) && !span_eq(word, span_cstr("parameter:")))
            continue;
        if (!next_word(&line, " =", &name) || !text_contains(name, "milter"))
            continue;
        struct strbuf cure = STRBUF_INIT;
        strbuf_addf(&cure, "postconf -X %.*s", (int)name.n, name.p);
        findings_say(&d->findings, FINDING_ADVICE, "parameter-unknown", strbuf_str(&cure),
                     "main.cf sets %.*s, and Postfix knows no such parameter", (int)name.n, name.p);
        strbuf_free(&cure);
    }
}

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
    bool listens = trusts_a_listener(p), any = listens || trusts(p, span_cstr("127.0.0.1"));
    while (next_word(&networks, ", \t", &word)) {
        struct span address = network_address(word);
        if (address.n == 0)
            continue;
        if (trusts(p, address)) {
            any = true;
        } else if (!span_starts_nocase(address, span_cstr("127.")) &&
                   !span_starts_nocase(address, span_cstr("::"))) {
            strbuf_add_str(&missing, missing.len > 0 ? ", " : "");
            strbuf_add_span(&missing, word);
        }
    }
    if (!any)
        findings_say(
            &p->doctor->findings, FINDING_MEND, "nobody-trusted", cure,
            "no list manager of this host is believed: `trusted` has neither loopback nor a "
            "network of mynetworks");
    else if (missing.len > 0 && !listens)
        findings_say(
            &p->doctor->findings, FINDING_ADVICE, "network-not-trusted", NULL,
            "hosts of %s may relay through Postfix (mynetworks) but are not in `trusted`: a "
            "list manager there would not be believed",
            strbuf_str(&missing));
    strbuf_free(&missing);
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
        cure_add_postconf(&cure, NULL, "recipient_delimiter", ours);
        findings_say(
            &p->doctor->findings, FINDING_ADVICE, "recipient-delimiter", strbuf_str(&cure),
            "list \"%.*s\" has addresses with \"%.*s\" in them, which Postfix does not take "
            "for the list's: its recipient_delimiter is \"%.*s\"",
            (int)list->id.n, list->id.p, (int)ours.n, ours.p, (int)theirs.n, theirs.p);
    }
    strbuf_free(&cure);
}

static void check_networks(const struct postfix *p)
{
    if (p->doctor->settings->index.count > p->doctor->settings->index.recipient_lists)
        check_trusted(p);
    check_delimiter(p);
}

static void check(struct doctor *d, const struct program *answers)
{
    struct postfix p = {.doctor = d};
    p.values.main = strbuf_span(&answers[MAIN].said);
    p.values.master = strbuf_span(&answers[MASTER].said);
    p.values.overrides = strbuf_span(&answers[OVERRIDES].said);
    p.folder = postfix_value(&p.values, "queue_directory", NULL, NULL);
    d->mail_owner =
        arena_strdup(&d->findings.arena, postfix_value(&p.values, "mail_owner", NULL, NULL));
    if (answers[RUNNING].fault == NULL && answers[RUNNING].status != 0)
        findings_say(&d->findings, FINDING_MEND, "postfix-not-running", "postfix start",
                     "Postfix is not running");
    check_unused(d, strbuf_span(&answers[UNUSED].said));
    if (d->settings == NULL)
        return;
    p.ours = milter_place(span_cstr(d->settings->socket));
    check_reach(d);
    postfix_check_milters(&p);
    check_networks(&p);
    postfix_check_lists(&p);
}

void doctor_postfix(struct doctor *d)
{
    struct program answers[QUESTIONS] = {0};
    bool is_there = d->sendmail_cf == NULL; /* whoever names that file has no Postfix */
    for (int i = 0; i < QUESTIONS && is_there; i++) {
        const char *const *question = questions[i];
        if (i == RUNNING && !d->is_root)
            answers[i].fault = "is for root";
        else
            program_run(question, i == UNUSED ? PROGRAM_ERR : PROGRAM_OUT, &program_limits,
                        &answers[i]);
        if (i == MAIN && answers[i].fault == NULL && answers[i].status != 0)
            answers[i].fault = "fails";
        is_there = answers[MAIN].fault == NULL;
        if (answers[i].fault != NULL && !answers[i].is_absent)
            findings_say(&d->findings, FINDING_UNSEEN, "postfix-unseen", NULL, "%s %s %s",
                         question[0], question[1], answers[i].fault);
    }
    if (is_there)
        check(d, answers);
    for (int i = 0; i < QUESTIONS; i++)
        program_free(&answers[i]);
}

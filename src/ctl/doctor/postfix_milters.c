/* postfix_milters - ours among smtpd_milters and non_smtpd_milters, and the milter_... parameters.
 */
#include "ctl/doctor/postfix_milters.h"

#include "ctl/doctor/cure.h"

/* A list of milters, and where ours is in it. */
struct look {
    const char *parameter;
    const struct postfix_service *service; /* NULL: main.cf */
    struct span value;
    struct milters milters;
    size_t at; /* ours or what is near it; milters.count: neither */
    enum milter_match match;
};

static void look_at(const struct postfix *p, struct look *look, bool is_chrooted)
{
    milters_parse(look->value, &look->milters);
    look->at = look->milters.count;
    look->match = MILTER_OTHER;
    for (size_t i = 0; i < look->milters.count && look->match != MILTER_OURS; i++) {
        struct milter_place *theirs = &look->milters.items[i].place;
        enum milter_match match = milter_matches(&p->ours, theirs, p->folder, is_chrooted);
        if (match <= look->match)
            continue;
        look->match = match;
        look->at = i;
    }
}

/* The line that puts ours into the list, where it should be; with a default_action of its own if
 * one is given. */
static void cure_list(const struct postfix *p, const struct look *look, bool is_moved,
                      const char *action, struct strbuf *cure)
{
    struct strbuf ours = STRBUF_INIT, value = STRBUF_INIT;
    if (is_moved) {
        strbuf_add_span(&ours, look->milters.items[look->at].text);
    } else {
        strbuf_add_str(&ours, action != NULL ? "{ " : "");
        milter_spell(&ours, &p->ours, p->folder);
        if (action != NULL)
            strbuf_addf(&ours, ", default_action=%s }", action);
    }
    milters_with(&value, &look->milters, look->at, is_moved, strbuf_span(&ours));
    cure_add_postconf(cure, look->service, look->parameter, strbuf_span(&value));
    strbuf_free(&ours);
    strbuf_free(&value);
}

/* Says a sentence about the list, and frees the cure. */
static void say(const struct postfix *p, const struct look *look, enum finding_kind kind,
                const char *name, const char *sentence, struct strbuf *cure)
{
    const struct postfix_service *service = look->service;
    struct span who = service == NULL ? span_of("", 0) : service->name;
    findings_say(&p->doctor->findings, kind, name, cure->len == 0 ? NULL : strbuf_str(cure),
                 "%s: %s%s%.*s is \"%.*s\"", sentence, look->parameter,
                 service == NULL ? "" : " of the service ", (int)who.n, who.p, (int)look->value.n,
                 look->value.p);
    strbuf_free(cure);
}

/* A signer that comes before ours signs what we then change. Whether it signs or only verifies is
 * its own configuration's secret. */
static void check_order(const struct postfix *p, const struct look *look)
{
    struct strbuf cure = STRBUF_INIT;
    size_t signer = look->milters.count;
    for (size_t i = 0; i < look->milters.count; i++)
        if (i != look->at && milter_signs(&look->milters.items[i].place))
            signer = i;
    if (signer >= look->at)
        return;
    cure_list(p, look, true, NULL, &cure);
    say(p, look, FINDING_ADVICE, "milter-after-signer",
        "a milter that usually signs comes before mlmilter, so its signatures do not cover what "
        "mlmilter inserts, unless it only verifies",
        &cure);
}

/* What happens to mail while the daemon is away. */
static void check_action(const struct postfix *p, const struct look *look)
{
    struct span action = look->milters.items[look->at].default_action;
    struct strbuf cure = STRBUF_INIT;
    bool is_general = action.n == 0;
    if (is_general)
        action = postfix_value(&p->values, "milter_default_action", look->service, NULL);
    if (action.n == 0 || span_eq_nocase(action, span_cstr("tempfail")))
        return;
    if (is_general && look->service == NULL && look->milters.count == 1)
        cure_add_postconf(&cure, NULL, "milter_default_action", span_cstr("tempfail"));
    else
        cure_list(p, look, false, "tempfail", &cure);
    bool passes = span_eq_nocase(action, span_cstr("accept"));
    findings_say(&p->doctor->findings, passes ? FINDING_ADVICE : FINDING_MEND,
                 "milter-default-action", strbuf_str(&cure),
                 "while mlmilter is away, Postfix does not put mail off but %s: "
                 "its %s is \"%.*s\"",
                 passes ? "lets it pass, not stamped or half of it" : "refuses or holds it",
                 is_general ? "milter_default_action" : "default_action", (int)action.n, action.p);
    strbuf_free(&cure);
}

/* A socket that a chrooted smtpd cannot see, by this name or at all. */
static void say_chroot(const struct postfix *p, const struct look *look)
{
    struct strbuf cure = STRBUF_INIT, relative = STRBUF_INIT;
    milter_spell(&relative, &p->ours, p->folder);
    if (strbuf_str(&relative)[sizeof "unix:" - 1] != '/')
        cure_list(p, look, false, NULL, &cure);
    else
        strbuf_addf(&cure,
                    "socket = \"unix:%.*s/mlmilter/mlmilter.sock\" in mlmilter.conf, and "
                    "unix:mlmilter/mlmilter.sock in %s",
                    (int)p->folder.n, p->folder.p, look->parameter);
    strbuf_free(&relative);
    say(p, look, FINDING_MEND, "milter-outside-chroot",
        "Postfix' smtpd is chrooted to its queue directory and cannot see mlmilter's socket there",
        &cure);
}

/* What there is to say of a list that should have ours. */
static void check_list(const struct postfix *p, struct look *look, bool is_chrooted,
                       enum finding_kind kind, const char *name, const char *sentence)
{
    struct strbuf cure = STRBUF_INIT;
    look_at(p, look, false);
    if (look->match == MILTER_OURS && is_chrooted)
        look_at(p, look, true);
    else if (look->match != MILTER_OURS) {
        look_at(p, look, is_chrooted);
        is_chrooted = false;
    }
    if (look->match == MILTER_OURS) {
        say(p, look, FINDING_FINE, "milter-attached", "Postfix asks mlmilter", &cure);
        check_order(p, look);
        check_action(p, look);
    } else if (is_chrooted) {
        say_chroot(p, look);
    } else if (look->match == MILTER_NEAR) {
        cure_list(p, look, false, NULL, &cure);
        struct strbuf text = STRBUF_INIT;
        strbuf_addf(&text, "mlmilter listens on \"%s\", Postfix asks another place",
                    p->doctor->settings->socket);
        say(p, look, FINDING_MEND, "milter-misspelt", strbuf_str(&text), &cure);
        strbuf_free(&text);
    } else {
        cure_list(p, look, false, NULL, &cure);
        say(p, look, kind, name, sentence, &cure);
    }
}

static bool is_off(const struct postfix *p, const struct postfix_service *service)
{
    return value_has_word(postfix_value(&p->values, "receive_override_options", service, NULL),
                          "no_milters");
}

/* What the smtpd services of master.cf do with the list of main.cf. */
struct use {
    bool inherited, inherited_by_chrooted;
    bool elsewhere; /* a service with a list of its own has ours */
};

/* Takes the next smtpd; look->value is its list, *is_own whether it has one. */
static bool next_smtpd(const struct postfix *p, struct span *rest, struct postfix_service *service,
                       struct look *look, bool *is_own)
{
    while (next_service(&p->values, rest, service)) {
        if (!span_eq(service->command, span_cstr("smtpd")))
            continue;
        *look = (struct look){.parameter = "smtpd_milters", .service = service};
        look->value = postfix_value(&p->values, look->parameter, service, is_own);
        return true;
    }
    return false;
}

static struct use find_use(const struct postfix *p)
{
    struct use use = {0};
    struct span rest = p->values.master;
    struct postfix_service service;
    struct look look;
    bool is_own;
    while (next_smtpd(p, &rest, &service, &look, &is_own)) {
        look_at(p, &look, service.is_chrooted);
        use.inherited |= !is_own;
        use.inherited_by_chrooted |= !is_own && service.is_chrooted;
        use.elsewhere |= is_own && look.match == MILTER_OURS;
    }
    return use;
}

/* A listener that no stranger reaches: what comes back from a content filter is looked at a second
 * time there, and believed like loopback, unless it is the list manager's own. */
static void check_return(const struct postfix *p, const struct postfix_service *service)
{
    bool own_filter;
    struct span filter = postfix_value(&p->values, "content_filter", service, &own_filter);
    struct client client = {
        .daemon_name = postfix_value(&p->values, "milter_macro_daemon_name", service, NULL)};
    struct client loopback = {.has_address = true};
    struct strbuf cure = STRBUF_INIT, options = STRBUF_INIT;
    trust_address_parse(span_cstr("127.0.0.1"), &loopback.address);
    if (!own_filter || filter.n > 0 || trust_matches(&p->doctor->settings->trusted, &client) ||
        !trust_matches(&p->doctor->settings->trusted, &loopback))
        return;
    strbuf_add_span(&options, postfix_value(&p->values, "receive_override_options", service, NULL));
    strbuf_add_str(&options, options.len > 0 ? ",no_milters" : "no_milters");
    cure_add_postconf(&cure, service, "receive_override_options", strbuf_span(&options));
    findings_say(
        &p->doctor->findings, FINDING_MEND, "reinjection-filtered", strbuf_str(&cure),
        "the service %.*s takes back what a content filter gives it, and has mlmilter: all "
        "mail comes from this host there, so that a stranger's List-Id would be believed",
        (int)service->name.n, service->name.p);
    strbuf_free(&cure);
    strbuf_free(&options);
}

/* The milters of a service are switched off where strangers or users send mail. */
static void say_off(const struct postfix *p, const struct postfix_service *service, bool is_own)
{
    struct span options = postfix_value(&p->values, "receive_override_options", service, NULL),
                word;
    struct strbuf rest = STRBUF_INIT, cure = STRBUF_INIT;
    while (next_word(&options, ", \t", &word))
        if (!span_eq_nocase(word, span_cstr("no_milters"))) {
            strbuf_add_str(&rest, rest.len > 0 ? "," : "");
            strbuf_add_span(&rest, word);
        }
    cure_add_postconf(&cure, is_own ? service : NULL, "receive_override_options",
                      strbuf_span(&rest));
    findings_say(&p->doctor->findings, FINDING_MEND, "milters-off", strbuf_str(&cure),
                 "the service %.*s asks no milter: its receive_override_options has no_milters",
                 (int)service->name.n, service->name.p);
    strbuf_free(&rest);
    strbuf_free(&cure);
}

static void check_services(const struct postfix *p, const struct use *use)
{
    struct span rest = p->values.master;
    struct postfix_service service;
    struct look look;
    bool is_own, options_own;
    while (next_smtpd(p, &rest, &service, &look, &is_own)) {
        bool loopback = service_is_loopback(&service) && !span_eq(service.type, span_cstr("pass"));
        postfix_value(&p->values, "receive_override_options", &service, &options_own);
        look_at(p, &look, service.is_chrooted);
        if (is_off(p, &service)) {
            if (!loopback || !options_own)
                say_off(p, &service, options_own);
        } else if (loopback && look.match == MILTER_OURS) {
            check_return(p, &service);
        }
        if (is_own && !is_off(p, &service) && !(loopback && look.match == MILTER_OTHER))
            check_list(
                p, &look, service.is_chrooted,
                service_is_submission(&service) || use->elsewhere ? FINDING_ADVICE : FINDING_MEND,
                "service-not-attached",
                "this service does not ask mlmilter, so what is posted through it reaches the "
                "list with every forged field");
    }
}

/* What mail from sendmail(1) meets: local users' posts, and the copies of list managers that send
 * this way. */
static void check_local(const struct postfix *p)
{
    struct look look = {.parameter = "non_smtpd_milters"};
    struct span rest = p->values.master;
    struct postfix_service service = {0};
    while (next_service(&p->values, &rest, &service) &&
           !span_eq(service.command, span_cstr("cleanup")))
        service.is_chrooted = false;
    look.value = postfix_value(&p->values, look.parameter, NULL, NULL);
    look_at(p, &look, service.is_chrooted);
    if (look.match == MILTER_OURS &&
        span_eq(look.value, postfix_value(&p->values, "smtpd_milters", NULL, NULL)))
        return; /* all was said of smtpd_milters */
    check_list(p, &look, service.is_chrooted,
               p->doctor->settings->index.recipient_lists > 0 ? FINDING_MEND : FINDING_ADVICE,
               "local-mail-not-attached",
               "Postfix does not ask mlmilter about mail from sendmail(1): posts of users of this "
               "host, and of list managers that send this way, are not stamped");
}

static void check_limits(const struct postfix *p)
{
    static const struct {
        const char *parameter;
        unsigned least;
        const char *cure;
        const char *why;
    } limits[] = {
        {"milter_connect_timeout", 5, "30s", "what a busy host may need"},
        {"milter_command_timeout", 5, "30s", "what a busy host may need"},
        {"milter_content_timeout", 15, "300s", "what a post may wait for its number"},
    };
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        struct span value = postfix_value(&p->values, limits[i].parameter, NULL, NULL);
        struct strbuf cure = STRBUF_INIT;
        unsigned has;
        if (!postfix_seconds(value, &has) || has >= limits[i].least)
            continue;
        cure_add_postconf(&cure, NULL, limits[i].parameter, span_cstr(limits[i].cure));
        findings_say(&p->doctor->findings, FINDING_MEND, "milter-limit", strbuf_str(&cure),
                     "%s is %.*s, which is less than %s: mail is put off for nothing",
                     limits[i].parameter, (int)value.n, value.p, limits[i].why);
        strbuf_free(&cure);
    }
}

void postfix_check_milters(struct postfix *postfix)
{
    struct use use = find_use(postfix);
    struct look look = {.parameter = "smtpd_milters"};
    look.value = postfix_value(&postfix->values, look.parameter, NULL, NULL);
    if (use.inherited || postfix->values.master.n == 0)
        check_list(postfix, &look, use.inherited_by_chrooted,
                   use.elsewhere ? FINDING_ADVICE : FINDING_MEND, "milter-not-attached",
                   "Postfix does not ask mlmilter");
    check_services(postfix, &use);
    if (!use.elsewhere)
        check_local(postfix);
    check_limits(postfix);
}

/* postfix - asks postconf(1), and has each part of what it says looked at. */
#include "ctl/doctor/postfix.h"

#include "ctl/doctor/postfix_lists.h"
#include "ctl/doctor/postfix_milters.h"
#include "ctl/doctor/postfix_networks.h"
#include "ctl/doctor/run_program.h"

enum { MAIN, MASTER, OVERRIDES, UNUSED, RUNNING, QUESTIONS };

static const char *const questions[QUESTIONS][32] = {
    [MAIN] = {"postconf",
              "-x",
              "smtpd_milters",
              "non_smtpd_milters",
              "milter_default_action",
              "milter_protocol",
              "milter_connect_timeout",
              "milter_command_timeout",
              "milter_content_timeout",
              "milter_macro_daemon_name",
              "receive_override_options",
              "content_filter",
              "mynetworks",
              "recipient_delimiter",
              "alias_maps",
              "virtual_alias_maps",
              "virtual_alias_domains",
              "virtual_mailbox_domains",
              "relay_domains",
              "mydestination",
              "transport_maps",
              "mail_owner",
              "queue_directory",
              "compatibility_level",
              NULL},
    [MASTER] = {"postconf", "-M", NULL},
    [OVERRIDES] = {"postconf", "-x", "-P", NULL},
    [UNUSED] = {"postconf", "-n", NULL},
    [RUNNING] = {"postfix", "status", NULL},
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

static void check(struct doctor *d, const struct program *answers)
{
    struct postfix p = {.doctor = d};
    p.values.main = strbuf_span(&answers[MAIN].said);
    p.values.master = strbuf_span(&answers[MASTER].said);
    p.values.overrides = strbuf_span(&answers[OVERRIDES].said);
    p.folder = postfix_value(&p.values, "queue_directory", NULL, NULL);
    d->postfix.queue_directory = arena_strdup(&d->findings.arena, p.folder);
    d->postfix.mail_owner =
        arena_strdup(&d->findings.arena, postfix_value(&p.values, "mail_owner", NULL, NULL));
    if (answers[RUNNING].fault == NULL && answers[RUNNING].status != 0)
        findings_say(&d->findings, FINDING_MEND, "postfix-not-running", "postfix start",
                     "Postfix is not running");
    check_unused(d, strbuf_span(&answers[UNUSED].said));
    if (d->settings == NULL)
        return;
    p.ours = milter_place(span_cstr(d->settings->socket));
    postfix_check_milters(&p);
    postfix_check_networks(&p);
    postfix_check_lists(&p);
}

void doctor_postfix(struct doctor *d)
{
    struct program answers[QUESTIONS] = {0};
    bool is_there = d->sendmail_cf == NULL; /* whoever names that file has no Postfix */
    for (int i = 0; i < QUESTIONS && is_there; i++) {
        const char *const *question = questions[i];
        if (i == RUNNING && !d->is_root) {
            answers[i].fault = "is for root";
        } else if (program_run(question, i == UNUSED ? PROGRAM_ERR : PROGRAM_OUT, &program_limits,
                               &answers[i]) != 0) {
            d->findings.out_of_memory = true;
        } else if (i == MAIN && answers[i].fault == NULL && answers[i].status != 0) {
            answers[i].fault = "fails";
        }
        is_there = !d->findings.out_of_memory && answers[MAIN].fault == NULL;
        if (answers[i].fault != NULL && !answers[i].is_absent)
            findings_say(&d->findings, FINDING_UNSEEN, "postfix-unseen", NULL, "%s %s %s",
                         question[0], question[1], answers[i].fault);
    }
    if (is_there)
        check(d, answers);
    for (int i = 0; i < QUESTIONS; i++)
        program_free(&answers[i]);
}

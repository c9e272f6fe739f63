/* sendmail - our filter in sendmail.cf: there, used, in its place, and put off when we are away. */
#include "ctl/doctor/sendmail.h"

#include "config/files/read_file.h"
#include "config/settings.h"
#include "ctl/doctor/findings.h"
#include "ctl/doctor/milters.h"
#include "ctl/doctor/sendmail_aliases.h"
#include "ctl/doctor/sendmail_cf.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define TIMES      "C:10s;S:10s;R:30s;E:1m"
#define ANSWER_MIN 10 /* seconds that a post may wait for its number (doc/sendmail.md, part 1) */

/* The line of sendmail.mc that does all right. */
static void add_line(struct strbuf *cure, const struct settings *settings, struct span name)
{
    strbuf_addf(cure,
                "INPUT_MAIL_FILTER(`%.*s', `S=%s, F=T, T=" TIMES "')dnl   (in sendmail.mc; then "
                "make -C /etc/mail and a restart)",
                (int)name.n, name.p, settings->socket);
}

/* Ours, or what is near it. */
static enum milter_match find_filter(struct span cf, const struct settings *settings,
                                     struct cf_filter *found)
{
    struct milter_place ours = milter_place(span_cstr(settings->socket));
    enum milter_match best = MILTER_OTHER;
    struct cf_filter filter;
    while (best != MILTER_OURS && cf_next_filter(&cf, &filter)) {
        struct milter_place theirs = milter_place(filter.socket);
        enum milter_match match = milter_matches(&ours, &theirs, span_of("", 0), false);
        if (match == MILTER_OTHER && span_eq_nocase(filter.name, span_cstr("mlmilter")))
            match = MILTER_NEAR;
        if (match <= best)
            continue;
        best = match;
        *found = filter;
    }
    return best;
}

/* The first filter before ours, in the order of names, that usually signs. */
static bool signer_before(struct span cf, struct span names, struct span ours,
                          struct cf_filter *signer)
{
    size_t place, our_place;
    cf_names_filter(names, ours, &our_place);
    while (cf_next_filter(&cf, signer)) {
        struct milter_place at = milter_place(signer->socket);
        if (milter_signs(&at) && cf_names_filter(names, signer->name, &place) && place < our_place)
            return true;
    }
    return false;
}

static void check_use(struct doctor *d, struct span cf, const struct cf_filter *ours)
{
    struct span names = cf_option(cf, "InputMailFilters");
    struct strbuf cure = STRBUF_INIT;
    struct cf_filter signer;
    size_t place;
    add_line(&cure, d->settings, ours->name);
    if (!cf_names_filter(names, ours->name, &place)) {
        if (!cf_listener_has(cf, ours->name))
            findings_say(
                &d->findings, FINDING_MEND, "filter-not-used", strbuf_str(&cure),
                "sendmail.cf has the filter %.*s, and InputMailFilters (\"%.*s\") does not "
                "name it: MAIL_FILTER alone does not",
                (int)ours->name.n, ours->name.p, (int)names.n, names.p);
    } else if (signer_before(cf, names, ours->name, &signer)) {
        strbuf_reset(&cure);
        strbuf_addf(&cure, "move the INPUT_MAIL_FILTER line of %.*s after that of %.*s",
                    (int)signer.name.n, signer.name.p, (int)ours->name.n, ours->name.p);
        findings_say(&d->findings, FINDING_ADVICE, "milter-after-signer", strbuf_str(&cure),
                     "%.*s, which usually signs, comes before mlmilter, so its signatures do not "
                     "cover what mlmilter inserts, unless it only verifies",
                     (int)signer.name.n, signer.name.p);
    }
    strbuf_free(&cure);
}

static void check_away(struct doctor *d, const struct cf_filter *ours)
{
    struct strbuf cure = STRBUF_INIT;
    unsigned seconds;
    char flag = ours->flags.n > 0 ? ours->flags.p[0] : '\0';
    add_line(&cure, d->settings, ours->name);
    if (flag != 'T' && flag != '4')
        findings_say(&d->findings, flag == 'R' ? FINDING_MEND : FINDING_ADVICE, "filter-flag",
                     strbuf_str(&cure),
                     "while mlmilter is away, Sendmail does not put mail off but "
                     "%s: the filter %.*s has %s",
                     flag == 'R' ? "refuses it" : "lets it pass unstamped", (int)ours->name.n,
                     ours->name.p, flag == 'R' ? "F=R" : "no F=T");
    if (cf_seconds(ours->times, 'R', &seconds) && seconds < ANSWER_MIN)
        findings_say(
            &d->findings, FINDING_MEND, "milter-limit", strbuf_str(&cure),
            "Sendmail waits %u seconds for mlmilter's answer, which is less than a post may "
            "wait for its number: mail is put off for nothing",
            seconds);
    strbuf_free(&cure);
}

/* Sendmail refuses a socket when others can write to a folder on the way to it. */
static void check_folders(struct doctor *d, struct span path)
{
    for (size_t end = path.n; end > 1; end--) {
        struct strbuf folder = STRBUF_INIT, cure = STRBUF_INIT;
        struct stat status;
        if (path.p[end - 1] != '/')
            continue;
        strbuf_add(&folder, path.p, end - 1);
        if (stat(strbuf_str(&folder), &status) == 0 &&
            (status.st_mode & (S_IWGRP | S_IWOTH)) != 0 && (status.st_mode & S_ISVTX) == 0) {
            strbuf_addf(&cure, "chmod go-w %s", strbuf_str(&folder));
            findings_say(&d->findings, FINDING_MEND, "socket-folder-unsafe", strbuf_str(&cure),
                         "others than its owner can write to %s, on the way to mlmilter's socket: "
                         "Sendmail refuses such a socket",
                         strbuf_str(&folder));
        }
        strbuf_free(&folder);
        strbuf_free(&cure);
    }
}

static void check(struct doctor *d, struct span cf)
{
    struct cf_filter filter = {0};
    struct strbuf cure = STRBUF_INIT;
    enum milter_match match = find_filter(cf, d->settings, &filter);
    add_line(&cure, d->settings, match == MILTER_OTHER ? span_cstr("mlmilter") : filter.name);
    if (match == MILTER_OTHER)
        findings_say(&d->findings, FINDING_MEND, "milter-not-attached", strbuf_str(&cure),
                     "sendmail.cf has no filter with the socket \"%s\"", d->settings->socket);
    else if (match == MILTER_NEAR)
        findings_say(&d->findings, FINDING_MEND, "milter-misspelt", strbuf_str(&cure),
                     "mlmilter listens on \"%s\", and the filter %.*s of sendmail.cf has \"%.*s\"",
                     d->settings->socket, (int)filter.name.n, filter.name.p, (int)filter.socket.n,
                     filter.socket.p);
    strbuf_free(&cure);
    sendmail_check_aliases(d, cf);
    if (match == MILTER_OTHER)
        return;
    check_use(d, cf, &filter);
    check_away(d, &filter);
    check_folders(d, milter_place(filter.socket).path);
}

void doctor_sendmail(struct doctor *d)
{
    static const struct file_rules rules = {.octets_max = (size_t)4 << 20,
                                            .too_large = "is too large for a sendmail.cf"};
    const char *path = d->sendmail_cf != NULL ? d->sendmail_cf : "/etc/mail/sendmail.cf";
    struct file_text file;
    if (d->sendmail_cf == NULL && (d->mail_owner != NULL || access(path, F_OK) != 0))
        return;
    if (!read_file(AT_FDCWD, path, &rules, &file))
        findings_say(&d->findings, FINDING_UNSEEN, "sendmail-unseen", NULL, "%s: %s", path,
                     file.fault);
    else if (d->settings != NULL)
        check(d, span_of(file.text, file.length));
    free(file.text);
}

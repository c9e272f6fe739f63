/* The daemon that runs, or why none does: see check_daemon.h. */
#include "ctl/doctor/check_daemon.h"

#include "config/files/find_files.h"
#include "config/socket_fault.h"
#include "ctl/daemon_status.h"
#include "ctl/doctor/cure.h"
#include "ctl/doctor/path_trial.h"
#include "ctl/doctor/probe.h"
#include "ctl/doctor/service_manager.h"
#include "system/paths.h"

#include <errno.h>
#include <grp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* What a start makes is the folder alone, by root alone. */
static void check_folder(struct doctor *d, const char *path, const char *name, const char *key)
{
    struct span folder = path_folder(span_cstr(path));
    struct strbuf text = STRBUF_INIT;
    struct strbuf stop = STRBUF_INIT;
    struct strbuf cure = STRBUF_INIT;
    enum path_stop found;
    if (folder.n < 2)
        return;
    strbuf_add_span(&text, span_sub(folder, 0, folder.n - 1));
    found = path_trial(strbuf_str(&text), W_OK | X_OK, &stop);
    if (found == PATH_MISSING && !(d->is_root && span_eq(strbuf_span(&stop), strbuf_span(&text)))) {
        strbuf_add_str(&cure, "mkdir -p ");
        cure_add_word(&cure, strbuf_str(&text));
        findings_say(&d->findings, FINDING_MEND, name, strbuf_str(&cure),
                     "the folder of %s, %s, is not there, and a start does not make all of it", key,
                     strbuf_str(&text));
    } else if (found == PATH_DENIED) {
        findings_say(&d->findings, d->is_root ? FINDING_MEND : FINDING_UNSEEN, name, NULL,
                     "%s, the folder of %s, cannot be written by this user: %s", strbuf_str(&text),
                     key, strbuf_str(&stop));
    }
    strbuf_free(&text);
    strbuf_free(&stop);
    strbuf_free(&cure);
}

static void check_start(struct doctor *d)
{
    const char *socket = d->settings->socket;
    const char *group =
        socket[socket_path(span_cstr(socket))] != '\0' ? d->settings->socket_group : NULL;
    struct strbuf cure = STRBUF_INIT;
    check_folder(d, d->settings->pid_file, "pid-folder", "pid_file");
    check_folder(d, socket + socket_path(span_cstr(socket)), "socket-folder", "socket");
    if (group != NULL && service_lacks_group(d->config_path, group, d->settings->user)) {
        service_add_group(&cure, group);
        service_add_start(&cure, d->config_path);
        findings_say(&d->findings, FINDING_MEND, "socket-group-not-joined", strbuf_str(&cure),
                     "mlmilter does not run: its unit starts it as \"%s\", who is not in the group "
                     "\"%s\" and cannot give it the socket (socket_group)",
                     d->settings->user, group);
    } else {
        service_add_start(&cure, d->config_path);
        findings_say(&d->findings, FINDING_MEND, "daemon-not-running", strbuf_str(&cure),
                     "mlmilter does not run: nobody has the lock of %s", d->settings->pid_file);
    }
    strbuf_free(&cure);
}

/* As the status file writes it (mlmilter(8): FILES), so that texts can be compared. */
static void format_time(time_t when, char *text, size_t size)
{
    struct tm tm;
    text[0] = '\0';
    if (gmtime_r(&when, &tm) != NULL)
        (void)strftime(text, size, "%Y-%m-%dT%H:%M:%SZ", &tm);
}

/* The first file of the configuration that was changed after the moment; NULL: none was. */
static const char *newer_file(struct doctor *d, const char *moment)
{
    for (const struct watched_path *at = d->settings->watched.first; at != NULL; at = at->next) {
        const char **paths;
        size_t count;
        bool missing;
        if (!find_files(NULL, span_cstr(at->pattern), &d->findings.arena, &paths, &count, &missing))
            continue;
        for (size_t i = 0; i < count; i++) {
            struct stat st;
            char changed[32];
            if (stat(paths[i], &st) != 0)
                continue;
            format_time(st.st_mtime, changed, sizeof changed);
            if (strcmp(changed, moment) > 0)
                return paths[i];
        }
    }
    return NULL;
}

/* The configuration that is in force, and the one in the files, which is right. */
static void check_load(struct doctor *d, const struct daemon_status *status)
{
    struct span load = daemon_status_value(status, "load");
    struct span error = daemon_status_value(status, "error");
    struct span moment = daemon_status_value(status, "load-time");
    const char *since = arena_strdup(&d->findings.arena, moment);
    struct strbuf cure = STRBUF_INIT;
    const char *newer;
    cure_add_tool(&cure, d->config_path, "reload");
    if (span_eq(load, span_cstr("refused"))) {
        findings_say(&d->findings, FINDING_MEND, "reload-refused", strbuf_str(&cure),
                     "the daemon refused the configuration at its last load (%s) and goes on with "
                     "an older one:\n%.*s",
                     since, (int)error.n, error.p != NULL ? error.p : "");
    } else if (!d->settings->watch && moment.n > 0 && (newer = newer_file(d, since)) != NULL) {
        findings_say(&d->findings, FINDING_MEND, "reload-needed", strbuf_str(&cure),
                     "%s was changed after the daemon read it (%s)", newer, since);
    }
    strbuf_free(&cure);
}

/* false: it listens elsewhere. */
static bool check_place(struct doctor *d, const struct daemon_status *status, const char *restart)
{
    struct span theirs = daemon_status_value(status, "socket");
    struct span ours = span_cstr(d->settings->socket);
    size_t at = socket_path(ours);
    size_t their_at = socket_path(theirs);
    char *path = at < ours.n ? path_absolute(ours.p + at) : NULL;
    bool same = theirs.n == 0 ||
                (path != NULL ? span_eq(span_cstr(path), span_sub(theirs, their_at, theirs.n))
                              : span_eq(ours, theirs));
    free(path);
    if (!same)
        findings_say(
            &d->findings, FINDING_MEND, "socket-differs", restart,
            "the daemon listens on \"%.*s\", and `socket` is \"%s\": only a start heeds it",
            (int)theirs.n, theirs.p, ours.p);
    return same;
}

static void check_answer(struct doctor *d, const char *restart)
{
    static const struct {
        const char *name, *text;
        enum finding_kind kind;
    } answers[] = {
        [PROBE_MILTER] = {"socket", "a milter answers", FINDING_FINE},
        [PROBE_MISSING] = {"socket-missing", "it is not there: it was removed", FINDING_MEND},
        [PROBE_DENIED] = {"socket-unseen", "this user may not connect", FINDING_UNSEEN},
        [PROBE_REFUSED] = {"socket-refused", "nobody listens there", FINDING_MEND},
        [PROBE_SILENT] = {"socket-silent", "nobody answers", FINDING_MEND},
        [PROBE_STRANGE] = {"socket-no-milter", "what answers is no milter", FINDING_MEND},
        [PROBE_NAMED] = {"socket-unseen", "not tried, as its host is a name", FINDING_UNSEEN},
        [PROBE_FAILED] = {"socket-failed", "no connection", FINDING_MEND},
    };
    enum probe_answer answer = probe_socket(d->settings->socket);
    const char *why = answer == PROBE_FAILED ? strerror(errno) : NULL;
    findings_say(&d->findings, answers[answer].kind, answers[answer].name,
                 answers[answer].kind == FINDING_MEND ? restart : NULL, "socket \"%s\": %s%s%s",
                 d->settings->socket, answers[answer].text, why != NULL ? ": " : "",
                 why != NULL ? why : "");
}

static void check_running(struct doctor *d, const struct daemon_status *status)
{
    struct span lists = daemon_status_value(status, "lists");
    struct strbuf restart = STRBUF_INIT;
    service_add_restart(&restart, d->config_path, status->pid);
    d->daemon_pid = status->pid;
    findings_say(&d->findings, FINDING_FINE, "daemon", NULL,
                 "mlmilter runs as pid %ld, lists: %.*s", (long)status->pid, (int)lists.n,
                 lists.n > 0 ? lists.p : "");
    check_load(d, status);
    if (check_place(d, status, strbuf_str(&restart)))
        check_answer(d, strbuf_str(&restart));
    strbuf_free(&restart);
}

static void advise(struct doctor *d)
{
    const struct settings *s = d->settings;
    const char *open = socket_hint(span_cstr(s->socket));
    struct findings *f = &d->findings;
    if (s->dry_run)
        findings_say(f, FINDING_ADVICE, "dry-run", NULL,
                     "dry_run is true: mlmilter decides and logs, and changes no message");
    if (open != NULL)
        findings_say(f, FINDING_ADVICE, "socket-open", NULL, "socket \"%s\" %s", s->socket, open);
    if ((s->socket_mode & 0002) != 0 && s->socket[socket_path(span_cstr(s->socket))] != '\0')
        findings_say(
            f, FINDING_ADVICE, "socket-mode-open", NULL,
            "socket_mode is 0%o: every user of this host may say to mlmilter that they are "
            "the MTA",
            s->socket_mode);
    if (service_has_unit(d->config_path) && !service_is_enabled())
        findings_say(f, FINDING_ADVICE, "unit-not-enabled", "systemctl enable mlmilter",
                     "mlmilter.service is installed, and will not be started with the host");
}

void check_daemon(struct doctor *doctor)
{
    struct daemon_status status = {.path = NULL};
    daemon_status_read(&status, doctor->settings->pid_file);
    if (status.found == DAEMON_RUNS)
        check_running(doctor, &status);
    else if (status.found == DAEMON_IS_NOT_THERE)
        check_start(doctor);
    else
        findings_say(&doctor->findings, FINDING_UNSEEN, "daemon-unseen", NULL,
                     "whether mlmilter runs cannot be seen: %s: %s", doctor->settings->pid_file,
                     strerror(status.error));
    daemon_status_free(&status);
    advise(doctor);
}

/* The folder, or the socket itself. */
static void say_denied(struct doctor *d, const struct account *mta, const char *path,
                       const char *stop)
{
    struct group *group = getgrgid(mta->gid);
    struct strbuf cure = STRBUF_INIT;
    if (strcmp(path, stop) != 0 || group == NULL) {
        path_trial_cure(&cure, path, stop, W_OK, mta);
    } else if (d->settings->socket_group != NULL) { /* a second line is an error */
        strbuf_addf(&cure, "socket_group = \"%s\"   (in mlmilter.conf, for \"%s\")\n",
                    group->gr_name, d->settings->socket_group);
        service_add_restart(&cure, d->config_path, d->daemon_pid);
    } else {
        service_add_socket_group(&cure, d->config_path, group->gr_name, d->daemon_pid);
    }
    findings_say(&d->findings, FINDING_MEND, "socket-denied", strbuf_str(&cure),
                 "Postfix' user \"%s\" cannot connect to %s: it may not %s %s", mta->name, path,
                 strcmp(path, stop) != 0 ? "enter" : "write to", stop);
    strbuf_free(&cure);
}

void check_reach(struct doctor *doctor)
{
    const char *path = doctor->settings->socket + socket_path(span_cstr(doctor->settings->socket));
    const char *mail_owner = doctor->mail_owner;
    struct account mta = {NULL, 0, 0};
    struct strbuf stop = STRBUF_INIT;
    enum path_stop found = PATH_FREE;
    if (*path == '\0' || mail_owner == NULL || doctor->daemon_pid == 0)
        return;
    if (!doctor->is_root)
        findings_say(&doctor->findings, FINDING_UNSEEN, "reach-unseen", NULL,
                     "whether Postfix' user \"%s\" may connect to %s only root can try", mail_owner,
                     path);
    else if (account_find(mail_owner, &mta) == 0 && privileges_borrow(&mta) == 0) {
        found = path_trial(path, W_OK, &stop);
        if (privileges_return() != 0)
            doctor->is_root = false;
    }
    if (found == PATH_DENIED)
        say_denied(doctor, &mta, path, strbuf_str(&stop));
    account_free(&mta);
    strbuf_free(&stop);
}

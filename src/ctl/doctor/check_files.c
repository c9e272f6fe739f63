/* What the daemon's user may do, tried with its rights: see check_files.h. */
#include "ctl/doctor/check_files.h"

#include "config/files/find_files.h"
#include "config/load.h"
#include "config/store_kinds.h"
#include "ctl/doctor/cure.h"
#include "ctl/doctor/path_trial.h"
#include "store/drivers.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILES_TOLD 3

/* Root tries as the account, everybody else as themselves. */
static bool become(struct doctor *d, const struct account *account)
{
    if (!d->is_root || account->uid == 0 || privileges_borrow(account) == 0)
        return true;
    findings_say(&d->findings, FINDING_UNSEEN, "user-unseen", NULL,
                 "the rights of user \"%s\" cannot be taken: %s", account->name, strerror(errno));
    return false;
}

static void return_from(struct doctor *d, const struct account *account)
{
    if (d->is_root && account->uid != 0 && privileges_return() != 0)
        d->is_root = false; /* what is left is seen with fewer rights */
}

/* Can we try as the user? */
static bool check_user(struct doctor *d, struct account *account)
{
    const struct settings *s = d->settings;
    struct strbuf cure = STRBUF_INIT;
    int found = account_find(s->user, account);
    if (found > 0) {
        strbuf_add_str(&cure, "useradd --system --no-create-home --shell /usr/sbin/nologin ");
        cure_add_word(&cure, s->user);
        findings_say(&d->findings, d->is_root ? FINDING_MEND : FINDING_ADVICE, "user-missing",
                     strbuf_str(&cure), "user \"%s\"%s does not exist", s->user,
                     s->user_is_set ? "" : " (the default)");
        strbuf_free(&cure);
    } else if (found < 0) {
        findings_say(&d->findings, FINDING_UNSEEN, "user-unseen", NULL,
                     "user \"%s\" cannot be looked up: %s", s->user, strerror(errno));
    } else if (!d->is_root && account->uid != geteuid()) {
        findings_say(&d->findings, FINDING_UNSEEN, "user-unseen", NULL,
                     "what user \"%s\" may read and write only root can try", s->user);
    }
    return found == 0 && (d->is_root || account->uid == geteuid());
}

/* One that this one path needs; texts and cures grow with each that is denied. */
struct denied {
    struct strbuf text, cure, last;
    size_t count;
};

static void try_file(struct denied *denied, const char *path, const struct account *account)
{
    struct strbuf stop = STRBUF_INIT;
    if (path_trial(path, R_OK, &stop) == PATH_DENIED) {
        bool is_new = !span_eq(strbuf_span(&stop), strbuf_span(&denied->last));
        if (denied->count++ < FILES_TOLD)
            strbuf_addf(&denied->text, "\n%s", path);
        if (denied->count <= FILES_TOLD && is_new) {
            if (denied->cure.len > 0)
                strbuf_add_char(&denied->cure, '\n');
            path_trial_cure(&denied->cure, path, strbuf_str(&stop), R_OK, account);
        }
        strbuf_reset(&denied->last);
        strbuf_add_span(&denied->last, strbuf_span(&stop));
    }
    strbuf_free(&stop);
}

/* All files of the configuration, keys included; their names as we see them, root mostly. */
static void check_read(struct doctor *d, const struct account *account)
{
    struct denied denied = {STRBUF_INIT, STRBUF_INIT, STRBUF_INIT, 0};
    const struct watched_path *at = d->settings->watched.first;
    for (; at != NULL; at = at->next) {
        const char **paths;
        size_t count;
        bool missing;
        if (!find_files(NULL, span_cstr(at->pattern), &d->findings.arena, &paths, &count,
                        &missing) ||
            !become(d, account))
            continue;
        for (size_t i = 0; i < count; i++)
            try_file(&denied, paths[i], account);
        return_from(d, account);
    }
    if (denied.count > 0)
        findings_say(&d->findings, FINDING_MEND, "file-unreadable", strbuf_str(&denied.cure),
                     "user \"%s\" cannot read %zu file%s of the configuration:%s", account->name,
                     denied.count, denied.count == 1 ? "" : "s", strbuf_str(&denied.text));
    strbuf_free(&denied.text);
    strbuf_free(&denied.cure);
    strbuf_free(&denied.last);
}

static void check_key(struct doctor *d, const struct account *account)
{
    const char *path = d->settings->recipient_keys_path;
    struct strbuf cure = STRBUF_INIT;
    struct stat st;
    if (path == NULL)
        return;
    if (stat(path, &st) != 0 && errno == ENOENT) {
        strbuf_add_str(&cure, "(umask 077 && openssl rand -base64 32 > ");
        cure_add_word(&cure, path);
        strbuf_addf(&cure, ") && chown %s ", account->name);
        cure_add_word(&cure, path);
        findings_say(&d->findings, FINDING_MEND, "key-file-missing", strbuf_str(&cure),
                     "token_key_file %s is not there", path);
    } else if (errno = 0, stat(path, &st) == 0 && (st.st_mode & (S_IRWXO | S_IWGRP | S_IXGRP))) {
        strbuf_add_str(&cure, "chmod g-wx,o= ");
        cure_add_word(&cure, path);
        findings_say(&d->findings, FINDING_MEND, "key-file-open", strbuf_str(&cure),
                     "token_key_file %s is open to others (mode 0%o), so the daemon refuses it",
                     path, (unsigned)st.st_mode & 0777);
    }
    strbuf_free(&cure);
}

/* What only the loader knows, as the daemon's user. */
static void check_load(struct doctor *d, const struct account *account)
{
    const struct settings_request request = {.path = d->config_path};
    struct strbuf check = STRBUF_INIT;
    struct strbuf line = STRBUF_INIT;
    struct diagnostics diagnostics;
    if (findings_count(&d->findings, FINDING_MEND) > 0 || !become(d, account))
        return;
    diagnostics_init(&diagnostics);
    settings_free(settings_load(&request, &diagnostics));
    return_from(d, account);
    cure_add_tool(&check, d->config_path, "check");
    if (diagnostics.errors > 0 && diagnostics.count > 0) {
        diagnostics_format(&diagnostics, 0, &line);
        findings_say(&d->findings, FINDING_MEND, "configuration-wrong-for-user", strbuf_str(&check),
                     "as user \"%s\", the daemon refuses the configuration:\n%s", account->name,
                     strbuf_str(&line));
    }
    diagnostics_free(&diagnostics);
    strbuf_free(&line);
    strbuf_free(&check);
}

/* false: something is said. */
static bool try_store_path(struct doctor *d, const struct account *account, const char *path,
                           int mode)
{
    struct strbuf stop = STRBUF_INIT;
    struct strbuf cure = STRBUF_INIT;
    bool is_folder = (mode & X_OK) != 0;
    enum path_stop found = path_trial(path, mode, &stop);
    if (found == PATH_MISSING && is_folder) {
        strbuf_addf(&cure, "install -d -m 750 -o %s ", account->name);
        cure_add_word(&cure, path);
        findings_say(&d->findings, FINDING_MEND, "store-folder-missing", strbuf_str(&cure),
                     "the folder of the store, %s, is not there", path);
    } else if (found == PATH_DENIED) {
        path_trial_cure(&cure, path, strbuf_str(&stop), mode, account);
        findings_say(&d->findings, FINDING_MEND,
                     is_folder ? "store-folder-denied" : "store-file-denied", strbuf_str(&cure),
                     "user \"%s\" cannot write %s, as the store needs", account->name, path);
    }
    strbuf_free(&stop);
    strbuf_free(&cure);
    return found != PATH_DENIED && (found != PATH_MISSING || !is_folder);
}

/* SQLite writes the file, and makes others beside it. */
static bool try_store_files(struct doctor *d, const struct account *account, const char *path)
{
    static const char *const endings[] = {"", "-wal", "-shm"};
    struct span folder = path_folder(span_cstr(path));
    struct strbuf name = STRBUF_INIT;
    bool usable;
    strbuf_add_span(&name, folder.n > 1 ? span_sub(folder, 0, folder.n - 1) : folder);
    usable = try_store_path(d, account, name.len > 0 ? strbuf_str(&name) : ".", R_OK | W_OK | X_OK);
    for (size_t i = 0; usable && i < sizeof endings / sizeof *endings; i++) {
        strbuf_reset(&name);
        strbuf_addf(&name, "%s%s", path, endings[i]);
        usable = try_store_path(d, account, strbuf_str(&name), R_OK | W_OK);
    }
    strbuf_free(&name);
    return usable;
}

/* Only read: a store that is not there yet is like an empty one. */
static void check_store(struct doctor *d, const struct account *account)
{
    const struct settings *s = d->settings;
    const char *path = s->store + store_key_path(span_cstr(s->store));
    struct store_error error;
    struct store *store;
    uint64_t last;
    if (!s->needs_store || !become(d, account))
        return;
    if (*path == '\0' || try_store_files(d, account, path)) {
        store = store_new(s->store, &error);
        if (store == NULL || store_counter(store, s->index.lists[0]->id, &last, &error) != 0)
            findings_say(&d->findings, FINDING_MEND, "store-failing", NULL,
                         "the store does not answer user \"%s\": %s", account->name, error.text);
        store_free(store);
    }
    return_from(d, account);
}

void check_files(struct doctor *doctor)
{
    struct account account = {NULL, 0, 0};
    if (check_user(doctor, &account)) {
        check_read(doctor, &account);
        check_key(doctor, &account);
        check_load(doctor, &account);
        check_store(doctor, &account);
    }
    account_free(&account);
}

/* state_files - see state_files.h */
#include "daemon/state_files.h"

#include "daemon/listener.h"
#include "daemon/log.h"
#include "daemon/probes.h"
#include "daemon/snapshot.h"
#include "system/paths.h"
#include "text/visible.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#define MODE 0600

static int pid_fd = -1;
static char *status_path; /* NULL: no files */
static int64_t started;
static bool is_failing; /* the last write of the status failed, and that was logged */

/* Locks the file. Returns 0, 1 with the process that has locked it, or -1 with errno. */
static int lock(int fd, pid_t *holder)
{
    struct flock want = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (fcntl(fd, F_SETLK, &want) == 0)
        return 0;
    if (errno != EACCES && errno != EAGAIN)
        return -1;
    *holder = fcntl(fd, F_GETLK, &want) == 0 && want.l_type != F_UNLCK ? want.l_pid : 0;
    return 1;
}

static int write_pid(int fd)
{
    char text[32];
    int n = snprintf(text, sizeof text, "%ld\n", (long)getpid());
    return pwrite(fd, text, (size_t)n, 0) == n ? 0 : -1;
}

/* Locks and writes the open file. Returns as state_files_open does. */
static int use(int fd, uid_t user, pid_t *holder, const char **error)
{
    struct stat st;
    int result;
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_nlink > 1 ||
        (st.st_uid != 0 && st.st_uid != geteuid() && st.st_uid != user)) {
        *error = "it is a link, not a regular file, or another user's";
        return -1;
    }
    result = lock(fd, holder);
    if (result == 0 && (fchmod(fd, MODE) != 0 || ftruncate(fd, 0) != 0 || write_pid(fd) != 0))
        result = -1;
    *error = strerror(errno);
    return result;
}

int state_files_open(const char *pid_file, uid_t user, pid_t *holder, const char **error)
{
    int fd = open(pid_file, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, MODE);
    int result;
    *error = errno == ELOOP ? "it is a symbolic link" : strerror(errno);
    if (fd < 0)
        return -1;
    result = use(fd, user, holder, error);
    if (result != 0) {
        close(fd);
        return result;
    }
    pid_fd = fd;
    status_path = path_of_status(pid_file);
    started = (int64_t)time(NULL);
    probes_start();
    (void)unlink(status_path);
    return 0;
}

void state_files_touch(void)
{
    if (pid_fd >= 0)
        (void)write_pid(pid_fd);
}

void state_files_close(void)
{
    if (pid_fd < 0)
        return;
    (void)unlink(status_path);
    if (ftruncate(pid_fd, 0) == 0)
        close(pid_fd);
    pid_fd = -1;
}

/* ---- the status file ---- */

static void add_text(struct strbuf *out, const char *key, const char *value)
{
    strbuf_addf(out, "%s: ", key);
    visible_add(out, span_cstr(value));
    strbuf_add_char(out, '\n');
}

/* Adds a time in ISO 8601, UTC. */
static void add_time(struct strbuf *out, const char *key, int64_t seconds)
{
    time_t when = (time_t)seconds;
    char text[32] = "";
    struct tm tm;
    if (gmtime_r(&when, &tm) != NULL)
        (void)strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &tm);
    add_text(out, key, text);
}

/* Adds what the operator must know of the store. */
static void add_store(struct strbuf *text)
{
    struct store_news news;
    snapshot_store_news(&news);
    if (news.is_created)
        add_text(text, "store-created", "yes");
    if (!news.is_failing)
        return;
    add_time(text, "store-failed", news.failed);
    add_text(text, "store-error", news.error.text);
}

static void add_all(struct strbuf *text, const struct load_report *load)
{
    const struct snapshot *now = snapshot_in_force();
    strbuf_addf(text, "pid: %ld\n", (long)getpid());
    add_text(text, "version", PACKAGE_VERSION);
    add_text(text, "configuration", load->path);
    add_text(text, "socket", listener_socket());
    add_time(text, "started", started);
    add_time(text, "written", (int64_t)time(NULL));
    strbuf_addf(text, "generation: %u\nlists: %zu\n", now->generation, now->settings->index.count);
    add_text(text, "fingerprint", now->settings->fingerprint);
    add_store(text);
    add_text(text, "load", load->is_refused ? "refused" : "in force");
    add_time(text, "load-time", load->time);
    if (load->warning != NULL)
        add_text(text, "warning", load->warning);
    strbuf_addf(text, "load-clock: %" PRId64 "\nerrors: %zu\n", load->clock, load->errors);
    probes_add(text);
    strbuf_add_span(text, strbuf_span(&load->lines));
}

void state_files_write_status(const struct load_report *load)
{
    struct strbuf text = STRBUF_INIT;
    bool failed = false;
    add_all(&text, load); /* logs news of the store, also without a file */
    if (status_path != NULL)
        failed = replace_file(status_path, strbuf_span(&text), MODE) != 0;
    if (failed && !is_failing)
        log_printf(LOG_WARNING, "warning: %s cannot be written: %s", status_path, strerror(errno));
    if (!failed && is_failing)
        log_printf(LOG_INFO, "%s is written again", status_path);
    is_failing = failed;
    strbuf_free(&text);
}

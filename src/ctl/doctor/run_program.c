/* run_program - starts a program, reads what it says, and ends it when that takes too long. */
#include "ctl/doctor/run_program.h"

#include "system/monotonic.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define FOLDERS "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
#define PAUSE   5 /* milliseconds between two looks for a program that said all but has not ended */

const struct program_limits program_limits = {10000, (size_t)64 << 20};

/* The program's path; "" when no folder has it. */
static void find(const char *name, struct strbuf *path)
{
    struct span rest = span_cstr(FOLDERS);
    while (rest.n > 0) {
        struct span folder = span_sub(rest, 0, span_find(rest, ':'));
        rest = span_sub(rest, folder.n + 1, rest.n);
        strbuf_reset(path);
        strbuf_add_span(path, folder);
        strbuf_addf(path, "/%s", name);
        if (access(strbuf_str(path), X_OK) == 0)
            return;
    }
    strbuf_reset(path);
}

/* The stream goes to fd, all else nowhere. 0 or an errno. */
static int spawn_with(const char *path, const char *const *argv, char **environment, int stream,
                      int fd, pid_t *pid)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t none, ignored;
    sigemptyset(&none);
    sigemptyset(&ignored);
    sigaddset(&ignored, SIGPIPE); /* by mlmilterctl */
    int error = posix_spawn_file_actions_init(&files);
    if (error != 0)
        return error;
    error = posix_spawnattr_init(&attributes);
    if (error == 0) {
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK |
                                                  POSIX_SPAWN_SETSIGDEF);
        posix_spawnattr_setsigmask(&attributes, &none);
        posix_spawnattr_setsigdefault(&attributes, &ignored);
        for (int i = 0; i <= PROGRAM_ERR && error == 0; i++)
            error = i == stream
                        ? posix_spawn_file_actions_adddup2(&files, fd, i)
                        : posix_spawn_file_actions_addopen(&files, i, "/dev/null", O_RDWR, 0);
        if (error == 0)
            error = posix_spawn(pid, path, &files, &attributes,
                                (char *const *)(uintptr_t)argv, /* POSIX has an older type for it */
                                environment);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&files);
    return error;
}

static int spawn(const char *path, const char *const *argv, int stream, int fd, pid_t *pid)
{
    char search[] = "PATH=" FOLDERS, locale[] = "LC_ALL=C";
    const char *config = getenv("MAIL_CONFIG");
    struct strbuf setting = STRBUF_INIT;
    strbuf_addf(&setting, "MAIL_CONFIG=%s", config == NULL ? "" : config);
    char *environment[] = {search, locale, config == NULL ? NULL : setting.data, NULL};
    int error = spawn_with(path, argv, environment, stream, fd, pid);
    strbuf_free(&setting);
    return error;
}

/* Reads to the end of the pipe, then waits for the program's. NULL, or why not. */
static const char *listen_to(int fd, pid_t pid, const struct program_limits *limits,
                             struct program *program)
{
    int64_t deadline = monotonic_now() + limits->patience;
    struct pollfd pipe_end = {fd, POLLIN, 0};
    bool is_open = true;
    int how;
    while (is_open || waitpid(pid, &how, WNOHANG) != pid) {
        char buffer[8192];
        int64_t left = deadline - monotonic_now();
        if (left <= 0)
            return "does not end";
        if (!is_open) {
            monotonic_sleep(PAUSE);
        } else if (poll(&pipe_end, 1, (int)left) > 0) {
            ssize_t size = read(fd, buffer, sizeof buffer);
            if (size > 0)
                strbuf_add(&program->said, buffer, (size_t)size);
            is_open = size > 0 || (size < 0 && errno == EINTR);
        }
        if (program->said.len > limits->octets)
            return "says too much";
    }
    program->status = WIFEXITED(how) ? WEXITSTATUS(how) : -1;
    return NULL;
}

void program_run(const char *const *argv, enum program_stream stream,
                 const struct program_limits *limits, struct program *program)
{
    struct strbuf path = STRBUF_INIT;
    int ends[2] = {-1, -1};
    pid_t pid;
    *program = (struct program){.status = -1, .said = STRBUF_INIT};
    find(argv[0], &path);
    program->is_absent = path.len == 0;
    if (program->is_absent || pipe(ends) != 0 || fcntl(ends[0], F_SETFD, FD_CLOEXEC) != 0 ||
        fcntl(ends[1], F_SETFD, FD_CLOEXEC) != 0 ||
        spawn(strbuf_str(&path), argv, (int)stream, ends[1], &pid) != 0) {
        program->fault = program->is_absent ? "is not there" : "cannot be started";
    } else {
        close(ends[1]);
        ends[1] = -1;
        program->fault = listen_to(ends[0], pid, limits, program);
        if (program->fault != NULL) /* it is not waited for: we end soon, too */
            kill(-pid, SIGKILL);
    }
    for (int i = 0; i < 2; i++)
        if (ends[i] >= 0)
            close(ends[i]);
    strbuf_free(&path);
}

void program_free(struct program *program)
{
    strbuf_free(&program->said);
}

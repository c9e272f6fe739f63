/*
 * A call of the system's that fails, loaded in front of the C library (LD_PRELOAD).
 *
 *     FAILING_CALL   its name
 *     FAILING_AT     the how many-th of the process
 *     FAILING_ERROR  the errno
 *     FAILING_TOLD   a file that anybody may write to: an octet is written when the call has failed
 *
 * Only what the program calls itself counts, not what libraries do. glibc only.
 */
#undef _FORTIFY_SOURCE
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <link.h>
#include <pthread.h>
#include <pwd.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *failing_call;
static int failing_at, failing_error;
static atomic_int calls;
static uintptr_t program_begin = UINTPTR_MAX, program_end;

/* The first one is the program. */
static int find_program(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size;
    (void)data;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        uintptr_t begin = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
        uintptr_t end = begin + info->dlpi_phdr[i].p_memsz;

        if (info->dlpi_phdr[i].p_type != PT_LOAD)
            continue;
        program_begin = begin < program_begin ? begin : program_begin;
        program_end = end > program_end ? end : program_end;
    }
    return 1;
}

/* Not for env(1), which starts the program. */
__attribute__((constructor)) static void begin(void)
{
    const char *at = getenv("FAILING_AT"), *error = getenv("FAILING_ERROR");

    if (at == NULL || error == NULL || strncmp(program_invocation_short_name, "mlmilter", 8) != 0)
        return;
    failing_at = atoi(at);
    failing_error = atoi(error);
    dl_iterate_phdr(find_program, NULL);
    failing_call = getenv("FAILING_CALL");
}

static void tell(void)
{
    const char *path = getenv("FAILING_TOLD");
    int fd = path != NULL ? (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CLOEXEC) : -1;

    if (fd >= 0) {
        (void)syscall(SYS_write, fd, "x", 1);
        (void)syscall(SYS_close, fd);
    }
}

/* For tests/coverage/exit.c. */
void end_of_failures(void)
{
    failing_call = NULL;
}

static int fails(const char *name, const void *caller)
{
    if (failing_call == NULL || strcmp(name, failing_call) != 0 ||
        (uintptr_t)caller < program_begin || (uintptr_t)caller >= program_end ||
        atomic_fetch_add(&calls, 1) + 1 != failing_at)
        return 0;
    tell();
    errno = failing_error;
    return 1;
}

/* A function of the C library that may fail now. */
#define MAY_FAIL(type, result, name, parameters, arguments)                                        \
    type name parameters                                                                           \
    {                                                                                              \
        static type(*_Atomic real) parameters;                                                     \
                                                                                                   \
        if (fails(#name, __builtin_return_address(0)))                                             \
            return result;                                                                         \
        if (real == NULL)                                                                          \
            real = (type(*) parameters)dlsym(RTLD_NEXT, #name);                                    \
        return real arguments;                                                                     \
    }

MAY_FAIL(int, -1, socket, (int domain, int type, int protocol), (domain, type, protocol))
MAY_FAIL(int, -1, setsockopt, (int s, int level, int option, const void *p, socklen_t n),
         (s, level, option, p, n))
MAY_FAIL(ssize_t, -1, send, (int s, const void *p, size_t n, int flags), (s, p, n, flags))
MAY_FAIL(int, -1, pipe, (int fds[2]), (fds))
MAY_FAIL(pid_t, -1, fork, (void), ())
MAY_FAIL(pid_t, -1, setsid, (void), ())
MAY_FAIL(int, -1, chdir, (const char *path), (path))
MAY_FAIL(int, -1, dup2, (int from, int to), (from, to))
MAY_FAIL(int, -1, fchmod, (int file, mode_t mode), (file, mode))
MAY_FAIL(int, -1, fchown, (int file, uid_t owner, gid_t group), (file, owner, group))
MAY_FAIL(int, -1, fchownat, (int folder, const char *path, uid_t owner, gid_t group, int flags),
         (folder, path, owner, group, flags))
MAY_FAIL(int, -1, mkdir, (const char *path, mode_t mode), (path, mode))
MAY_FAIL(int, -1, rename, (const char *from, const char *to), (from, to))
MAY_FAIL(int, -1, unlink, (const char *path), (path))
MAY_FAIL(int, -1, ftruncate, (int file, off_t size), (file, size))
MAY_FAIL(int, -1, fstat, (int file, struct stat *status), (file, status))
MAY_FAIL(int, -1, stat, (const char *path, struct stat *status), (path, status))
MAY_FAIL(int, -1, lstat, (const char *path, struct stat *status), (path, status))
MAY_FAIL(int, -1, fstatat, (int folder, const char *path, struct stat *status, int flags),
         (folder, path, status, flags))
MAY_FAIL(int, -1, statvfs, (const char *path, struct statvfs *status), (path, status))
MAY_FAIL(ssize_t, -1, read, (int file, void *p, size_t n), (file, p, n))
MAY_FAIL(ssize_t, -1, pwrite, (int file, const void *p, size_t n, off_t at), (file, p, n, at))
MAY_FAIL(ssize_t, -1, readlink, (const char *path, char *p, size_t n), (path, p, n))
MAY_FAIL(char *, NULL, getcwd, (char *p, size_t n), (p, n))
MAY_FAIL(DIR *, NULL, opendir, (const char *path), (path))
MAY_FAIL(DIR *, NULL, fdopendir, (int file), (file))
MAY_FAIL(struct dirent *, NULL, readdir, (DIR * dir), (dir))
MAY_FAIL(FILE *, NULL, fdopen, (int file, const char *mode), (file, mode))
MAY_FAIL(FILE *, NULL, fopen, (const char *path, const char *mode), (path, mode))
MAY_FAIL(struct passwd *, NULL, getpwnam, (const char *name), (name))
MAY_FAIL(struct group *, NULL, getgrnam, (const char *name), (name))
MAY_FAIL(int, -1, getgroups, (int n, gid_t *groups), (n, groups))
MAY_FAIL(int, -1, setgroups, (size_t n, const gid_t *groups), (n, groups))
MAY_FAIL(int, -1, initgroups, (const char *name, gid_t group), (name, group))
MAY_FAIL(int, -1, setegid, (gid_t group), (group))
MAY_FAIL(int, -1, seteuid, (uid_t user), (user))
MAY_FAIL(int, -1, setresgid, (gid_t a, gid_t b, gid_t c), (a, b, c))
MAY_FAIL(int, -1, setresuid, (uid_t a, uid_t b, uid_t c), (a, b, c))
MAY_FAIL(int, -1, setrlimit, (__rlimit_resource_t what, const struct rlimit *limit), (what, limit))
MAY_FAIL(int, -1, sigaction, (int number, const struct sigaction *now, struct sigaction *before),
         (number, now, before))
MAY_FAIL(int, -1, inotify_init1, (int flags), (flags))
MAY_FAIL(int, -1, inotify_add_watch, (int file, const char *path, uint32_t mask),
         (file, path, mask))
MAY_FAIL(int, failing_error, pthread_create,
         (pthread_t * thread, const pthread_attr_t *how, void *(*run)(void *), void *argument),
         (thread, how, run, argument))

/* Not to the log, and not to a pipe, where it cannot happen. */
ssize_t write(int file, const void *p, size_t n)
{
    if (file != STDERR_FILENO && syscall(SYS_lseek, file, 0, SEEK_CUR) >= 0 &&
        fails("write", __builtin_return_address(0)))
        return -1;
    return (ssize_t)syscall(SYS_write, file, p, n);
}

/* These calls have one parameter more in some cases. */

int open(const char *path, int flags, ...)
{
    va_list ap;
    mode_t mode;

    if (fails("open", __builtin_return_address(0)))
        return -1;
    va_start(ap, flags);
    mode = (flags & O_CREAT) != 0 ? va_arg(ap, mode_t) : 0;
    va_end(ap);
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int openat(int folder, const char *path, int flags, ...)
{
    va_list ap;
    mode_t mode;

    if (fails("openat", __builtin_return_address(0)))
        return -1;
    va_start(ap, flags);
    mode = (flags & O_CREAT) != 0 ? va_arg(ap, mode_t) : 0;
    va_end(ap);
    return (int)syscall(SYS_openat, folder, path, flags, mode);
}

int fcntl(int file, int command, ...)
{
    static int (*_Atomic real)(int, int, ...);
    va_list ap;
    void *argument;

    if (fails("fcntl", __builtin_return_address(0)))
        return -1;
    va_start(ap, command);
    argument = va_arg(ap, void *);
    va_end(ap);
    if (real == NULL)
        real = (int (*)(int, int, ...))dlsym(RTLD_NEXT, "fcntl");
    return real(file, command, argument);
}

int prctl(int option, ...)
{
    va_list ap;
    unsigned long a[4];

    if (fails("prctl", __builtin_return_address(0)))
        return -1;
    va_start(ap, option);
    for (int i = 0; i < 4; i++)
        a[i] = va_arg(ap, unsigned long);
    va_end(ap);
    return (int)syscall(SYS_prctl, option, a[0], a[1], a[2], a[3]);
}

/*
 * shim - surroundings that fail a program, loaded in front of the C library (LD_PRELOAD): memory
 * runs out at the n-th request, somebody sets the clock, a file system does not answer, a call
 * fails.
 *
 * $SHIM_CONTROL is a file of nine 64-bit numbers that both sides have mapped
 * (tests/lib/shim.py):
 *
 *     0  from which request on none is granted, counted from when the count was set to 0; 0: never
 *     1  1: only that one is refused
 *     2  requests counted
 *     3  requests refused
 *     4  seconds that the real-time clock is wrong by
 *     5  how often it was asked
 *     6  1: who opens a file whose name begins with "hanging" waits until it is 0
 *     7  how many have waited, or do
 *     8  how often a file was flushed to the disk
 *
 * Requests of all threads and libraries count, but for those of $SHIM_GRANTED (a part of a
 * library's name), which are granted.
 *
 *     FAILING_CALL   the name of a call of the system's
 *     FAILING_AT     the how many-th of the process
 *     FAILING_ERROR  the errno
 *     FAILING_TOLD   a file that anybody may write to: a byte is written when the call has failed
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
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum {
    FAIL_AT,
    ONLY_ONE,
    COUNTED,
    REFUSED,
    CLOCK_OFFSET,
    CLOCK_ASKED,
    HANG,
    HUNG,
    FLUSHED,
    NUMBERS
};

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *p, size_t size);

static _Atomic int64_t none[NUMBERS];
static _Atomic int64_t *control = none;
static const char *granted;
static const char *failing_call;

__attribute__((constructor)) static void open_control(void)
{
    const char *path = getenv("SHIM_CONTROL");
    int fd = path != NULL ? open(path, O_RDWR | O_CLOEXEC) : -1;
    void *mapped;

    granted = getenv("SHIM_GRANTED");
    if (fd < 0)
        return;
    mapped = mmap(NULL, sizeof none, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (mapped != MAP_FAILED)
        control = mapped;
}

/* libConfuse (3.3) keeps pointers to what it has freed when memory is out: its own requests are
 * always granted (config/read/parse.c has nothing to answer with). */
static int find_granted(const void *caller)
{
    char name[80] = "";
    const char *end, *list = granted;
    Dl_info info;

    if (dladdr(caller, &info) == 0 || info.dli_fname == NULL)
        return 0;
    for (; list != NULL && *list != '\0'; list = *end == ':' ? end + 1 : end) {
        end = strchrnul(list, ':');
        if ((size_t)(end - list) >= sizeof name)
            continue;
        memcpy(name, list, (size_t)(end - list));
        name[end - list] = '\0';
        if (strstr(info.dli_fname, name) != NULL)
            return 1;
    }
    return strstr(info.dli_fname, "libconfuse") != NULL;
}

/* dladdr takes longer than all else that a request costs: what it said is remembered. */
static int is_granted(const void *caller)
{
    static _Atomic uintptr_t answers[4096]; /* an address and, in the lowest bit, the answer */
    _Atomic uintptr_t *answer = &answers[(uintptr_t)caller % 4096];
    uintptr_t known = atomic_load(answer);

    if (known >> 1 != (uintptr_t)caller) {
        known = (uintptr_t)caller << 1 | (uintptr_t)find_granted(caller);
        atomic_store(answer, known);
    }
    return (int)(known & 1);
}

/* For tests/coverage/exit.c. */
void end_of_failures(void)
{
    control = none;
    failing_call = NULL;
}

static int refuses(const void *caller)
{
    int64_t at = control[FAIL_AT];
    int64_t count;

    if (at == 0 || is_granted(caller))
        return 0;
    count = atomic_fetch_add(&control[COUNTED], 1) + 1;
    if (control[ONLY_ONE] != 0 ? count != at : count < at)
        return 0;
    atomic_fetch_add(&control[REFUSED], 1);
    errno = ENOMEM;
    return 1;
}

void *malloc(size_t size)
{
    return refuses(__builtin_return_address(0)) ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return refuses(__builtin_return_address(0)) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *p, size_t size)
{
    return refuses(__builtin_return_address(0)) ? NULL : __libc_realloc(p, size);
}

char *strdup(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = refuses(__builtin_return_address(0)) ? NULL : __libc_malloc(size);

    return copy != NULL ? memcpy(copy, text, size) : NULL;
}

/* ---- the clock ------------------------------------------------------------------------------ */

int clock_gettime(clockid_t clock, struct timespec *t)
{
    int result = (int)syscall(SYS_clock_gettime, clock, t);

    if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) {
        atomic_fetch_add(&control[CLOCK_ASKED], 1);
        t->tv_sec += (time_t)control[CLOCK_OFFSET];
    }
    return result;
}

time_t time(time_t *out)
{
    struct timespec t;

    clock_gettime(CLOCK_REALTIME, &t);
    if (out != NULL)
        *out = t.tv_sec;
    return t.tv_sec;
}

int gettimeofday(struct timeval *restrict out, void *restrict zone)
{
    struct timespec t;

    (void)zone;
    clock_gettime(CLOCK_REALTIME, &t);
    out->tv_sec = t.tv_sec;
    out->tv_usec = t.tv_nsec / 1000;
    return 0;
}

/* A wait until a moment of the real-time clock ends earlier or later when that is set meanwhile;
 * the kernel's own is not, so this looks at it every hundredth of a second. */
int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex,
                           const struct timespec *until)
{
    static int (*real)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);

    if (real == NULL)
        *(void **)&real = dlsym(RTLD_NEXT, "pthread_cond_timedwait");
    /* A moment of the monotonic clock is far from any of the real-time clock. */
    if (until->tv_sec < 1000000000)
        return real(condition, mutex, until);
    for (;;) {
        struct timespec now, slice;
        int result;

        clock_gettime(CLOCK_REALTIME, &now);
        if (now.tv_sec > until->tv_sec ||
            (now.tv_sec == until->tv_sec && now.tv_nsec >= until->tv_nsec))
            return ETIMEDOUT;
        (void)syscall(SYS_clock_gettime, CLOCK_REALTIME, &slice);
        slice.tv_nsec += 10 * 1000000;
        if (slice.tv_nsec >= 1000000000) {
            slice.tv_nsec -= 1000000000;
            slice.tv_sec++;
        }
        result = real(condition, mutex, &slice);
        if (result != ETIMEDOUT)
            return result;
    }
}

/* ---- flushes -------------------------------------------------------------------------------- */

static int count_flush(int result)
{
    if (result == 0)
        atomic_fetch_add(&control[FLUSHED], 1);
    return result;
}

int fsync(int fd)
{
    return count_flush((int)syscall(SYS_fsync, fd));
}

int fdatasync(int fd)
{
    return count_flush((int)syscall(SYS_fdatasync, fd));
}

/* ---- calls that fail ------------------------------------------------------------------------ */

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
__attribute__((constructor)) static void begin_failing(void)
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
MAY_FAIL(int, -1, mkdir, (const char *path, mode_t mode), (path, mode))
MAY_FAIL(int, -1, rename, (const char *from, const char *to), (from, to))
MAY_FAIL(int, -1, unlink, (const char *path), (path))
MAY_FAIL(int, -1, ftruncate, (int file, off_t size), (file, size))
MAY_FAIL(int, -1, fstat, (int file, struct stat *status), (file, status))
MAY_FAIL(int, -1, stat, (const char *path, struct stat *status), (path, status))
MAY_FAIL(int, -1, fstatat, (int folder, const char *path, struct stat *status, int flags),
         (folder, path, status, flags))
MAY_FAIL(ssize_t, -1, read, (int file, void *p, size_t n), (file, p, n))
MAY_FAIL(ssize_t, -1, pwrite, (int file, const void *p, size_t n, off_t at), (file, p, n, at))
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

/* The argument behind this one, which some calls have. */
#define MORE(type, before)                                                                         \
    ({                                                                                             \
        va_list list;                                                                              \
        type more;                                                                                 \
        va_start(list, before);                                                                    \
        more = va_arg(list, type);                                                                 \
        va_end(list);                                                                              \
        more;                                                                                      \
    })

int open(const char *path, int flags, ...)
{
    if (fails("open", __builtin_return_address(0)))
        return -1;
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, MORE(mode_t, flags));
}

/* Files of delegates are opened by this call, whose file system may not answer. */
int openat(int folder, const char *path, int flags, ...)
{
    const struct timespec a_moment = {0, 10 * 1000000};

    if (fails("openat", __builtin_return_address(0)))
        return -1;
    if (strncmp(path, "hanging", 7) == 0 && control[HANG] != 0) {
        atomic_fetch_add(&control[HUNG], 1);
        while (control[HANG] != 0) /* no signal ends it, as with a server that is away */
            (void)nanosleep(&a_moment, NULL);
    }
    return (int)syscall(SYS_openat, folder, path, flags, MORE(mode_t, flags));
}

int fcntl(int file, int command, ...)
{
    static int (*_Atomic real)(int, int, ...);

    if (fails("fcntl", __builtin_return_address(0)))
        return -1;
    if (real == NULL)
        real = (int (*)(int, int, ...))dlsym(RTLD_NEXT, "fcntl");
    return real(file, command, MORE(void *, command));
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

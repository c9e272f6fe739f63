/*
 * shim - surroundings that fail the daemon, loaded in front of the C library (LD_PRELOAD): memory
 * runs out at the n-th request, somebody sets the clock, and a file system does not answer.
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
 * glibc only. Requests of all threads and libraries count, but for those of $SHIM_GRANTED (a part
 * of a library's name), which are granted.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
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

/* ---- a file system that does not answer ----------------------------------------------------- */

/* Files of delegates are opened by this call. */
int openat(int folder, const char *path, int flags, ...)
{
    const struct timespec a_moment = {0, 10 * 1000000};
    mode_t mode = 0;
    va_list list;

    if ((flags & O_CREAT) != 0) {
        va_start(list, flags);
        mode = va_arg(list, mode_t);
        va_end(list);
    }
    if (strncmp(path, "hanging", 7) == 0 && control[HANG] != 0) {
        atomic_fetch_add(&control[HUNG], 1);
        while (control[HANG] != 0) /* no signal ends it, as with a server that is away */
            (void)nanosleep(&a_moment, NULL);
    }
    return (int)syscall(SYS_openat, folder, path, flags, mode);
}

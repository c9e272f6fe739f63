/* paths - see paths.h */
#include "system/paths.h"

#include "text/memory.h"
#include "text/strbuf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Flags to look below a folder that may not be readable. */
#ifndef O_SEARCH /* POSIX */
#define O_SEARCH O_PATH
#endif
#define TO_SEARCH (O_SEARCH | O_DIRECTORY | O_CLOEXEC)

char *path_absolute(const char *path)
{
    struct strbuf name = STRBUF_INIT;
    char *here;
    if (path[0] == '/')
        return memory_copy(path);
    here = getcwd(NULL, 0);
    if (here == NULL)
        return NULL;
    strbuf_add_str(&name, here);
    free(here);
    strbuf_add_char(&name, '/');
    strbuf_add_str(&name, path);
    return name.data;
}

char *path_of_status(const char *pid_file)
{
    const char *slash = strrchr(pid_file, '/');
    struct strbuf name = STRBUF_INIT;
    if (slash != NULL)
        strbuf_add(&name, pid_file, (size_t)(slash - pid_file) + 1);
    strbuf_add_str(&name, "mlmilter.status");
    return name.data;
}

/* Opens a component of a path: of a folder (AT_FDCWD: the current one), which it closes. */
static int open_component(int folder, const char *name, int flags)
{
    struct stat st;
    int fd = openat(folder, name, flags | O_NOFOLLOW, 0);
    int saved = errno;
    if (fd < 0 && saved == ENOTDIR && fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
        S_ISLNK(st.st_mode))
        saved = ELOOP;
    if (folder >= 0)
        close(folder);
    errno = saved;
    return fd;
}

int path_open_real(const char *path, int flags)
{
    char *names = memory_copy(path), *name = names, *end;
    int fd = AT_FDCWD, saved;
    if (path[0] == '/')
        fd = openat(AT_FDCWD, "/", name[strspn(name, "/")] != '\0' ? TO_SEARCH : flags, 0);
    while (fd != -1 && *(name += strspn(name, "/")) != '\0') {
        end = name + strcspn(name, "/");
        bool is_last = end[strspn(end, "/")] == '\0';
        char *next = *end != '\0' ? end + 1 : end;
        *end = '\0';
        fd = open_component(fd, name, is_last ? flags : TO_SEARCH);
        name = next;
    }
    saved = fd == AT_FDCWD ? ENOENT : errno;
    free(names);
    errno = saved;
    return fd == AT_FDCWD ? -1 : fd;
}

/* Sets mode and owner of a new directory, unless another user has put one in its place since. */
static int give_directory(const char *directory, mode_t mode, uid_t uid, gid_t gid)
{
    struct stat st;
    int result = -1;
    int saved;
    int fd = open(directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return -1;
    if (fstat(fd, &st) == 0 && (st.st_uid != geteuid() || fchmod(fd, mode) == 0))
        result = st.st_uid == geteuid() ? fchown(fd, uid, gid) : 0;
    saved = errno;
    close(fd);
    errno = saved;
    return result;
}

int path_make_directory(const char *path, mode_t mode, uid_t uid, gid_t gid)
{
    const char *slash = strrchr(path, '/');
    char *directory;
    int result = 0;
    if (slash == NULL || slash == path)
        return 0;
    directory = memory_copy(path);
    directory[slash - path] = '\0';
    if (mkdir(directory, mode) == 0)
        result = give_directory(directory, mode, uid, gid);
    else if (errno != EEXIST)
        result = -1;
    free(directory);
    return result;
}

/* ---- replacing a file ---- */

static int write_all(int fd, struct span text)
{
    while (text.n > 0) {
        ssize_t n = write(fd, text.p, text.n);
        if (n < 0 && errno != EINTR)
            return -1;
        if (n > 0)
            text = span_sub(text, (size_t)n, text.n);
    }
    return 0;
}

/* Creates the file anew: an existing one may be a link, or somebody else may have it open. */
static int write_new(const char *path, struct span text, mode_t mode)
{
    int result = -1;
    int saved;
    int fd;
    if (unlink(path) != 0 && errno != ENOENT)
        return -1;
    fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
    if (fd < 0)
        return -1;
    if (fchmod(fd, mode) == 0 && write_all(fd, text) == 0)
        result = 0;
    saved = errno;
    if (close(fd) != 0 && result == 0)
        return -1;
    errno = saved;
    return result;
}

int replace_file(const char *path, struct span text, mode_t mode)
{
    struct strbuf name = STRBUF_INIT;
    int result;
    int saved;
    strbuf_addf(&name, "%s.new", path);
    result = write_new(strbuf_str(&name), text, mode);
    if (result == 0)
        result = rename(strbuf_str(&name), path);
    saved = errno;
    if (result != 0)
        (void)unlink(strbuf_str(&name));
    strbuf_free(&name);
    errno = saved;
    return result;
}

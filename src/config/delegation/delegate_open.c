/* delegate_open - opens a file without following a link, reads it while it stands still. */
#include "config/delegation/delegated_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LINK "is a symbolic link, and none is followed here (expected the file itself)"

/* How often a file that changes is read. */
#define ATTEMPTS 3

enum { CHANGED = -1 }; /* beside enum delegate_file_result */

static enum delegate_file_result failed(struct delegate_file *out, const char *fault)
{
    out->fault = fault;
    return DELEGATE_FILE_FAULT;
}

static enum delegate_file_result failed_call(struct delegate_file *out)
{
    if (errno == ENOENT || errno == ENOTDIR)
        return DELEGATE_FILE_GONE;
    if (errno == ENOMEM)
        return DELEGATE_FILE_NO_MEMORY;
    return failed(out, errno == ELOOP ? LINK : strerror(errno));
}

/* NULL: it may be read. */
static const char *status_fault(const struct stat *status)
{
    if (S_ISLNK(status->st_mode))
        return LINK;
    if (!S_ISREG(status->st_mode))
        return "is not a regular file";
    /* Its other name may be one that its owner must not read. */
    if (status->st_nlink > 1)
        return "has a second name (expected a file without hard links)";
    if (status->st_size < 0 || (uintmax_t)status->st_size > DELEGATE_FILE_MAX)
        return "is too large (expected at most 1 MiB)";
    return NULL;
}

/* The octets that fstat saw, and no more: a file that grows is told by its status. */
static int read_text(int file, struct delegate_file *out)
{
    size_t expected = (size_t)out->status.st_size;
    while (out->length < expected) {
        ssize_t got = read(file, out->text + out->length, expected - out->length);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return (int)failed_call(out);
        if (got == 0)
            return CHANGED;
        out->length += (size_t)got;
    }
    return DELEGATE_FILE_READ;
}

static bool is_same(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec &&
           a->st_ctim.tv_sec == b->st_ctim.tv_sec && a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

static int read_open(int file, struct delegate_file *out)
{
    struct stat after;
    if (fstat(file, &out->status) != 0)
        return (int)failed_call(out);
    const char *fault = status_fault(&out->status);
    if (fault != NULL)
        return (int)failed(out, fault);
    out->text = malloc((size_t)out->status.st_size + 1);
    if (out->text == NULL)
        return DELEGATE_FILE_NO_MEMORY;
    int result = read_text(file, out);
    if (result != DELEGATE_FILE_READ)
        return result;
    if (fstat(file, &after) != 0)
        return (int)failed_call(out);
    return is_same(&out->status, &after) ? DELEGATE_FILE_READ : CHANGED;
}

/* The last component, in an open folder. It is looked at before it is opened: to open a device can
 * do something, and to open a socket says nothing about it. */
static int read_in(int folder, const char *name, struct delegate_file *out)
{
    *out = (struct delegate_file){.text = NULL};
    if (fstatat(folder, name, &out->status, AT_SYMLINK_NOFOLLOW) != 0)
        return (int)failed_call(out);
    const char *fault = status_fault(&out->status);
    if (fault != NULL)
        return (int)failed(out, fault);
    int file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    if (file < 0)
        return (int)failed_call(out);
    int result = read_open(file, out);
    close(file);
    if (result != DELEGATE_FILE_READ) {
        free(out->text);
        out->text = NULL;
    }
    return result;
}

static int open_folder(int above, const char *name)
{
    struct stat status;
    int folder = openat(above, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder >= 0 || errno != ENOTDIR)
        return folder;
    /* With O_DIRECTORY a link is "not a directory" too (Linux). */
    bool link = fstatat(above, name, &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(status.st_mode);
    errno = link ? ELOOP : ENOTDIR;
    return -1;
}

/* Opens the folder of what is left of the path, and closes the one given. -1: errno. */
static int descend(int folder, const char **left)
{
    for (const char *slash = strchr(*left, '/'); folder >= 0 && slash != NULL;
         slash = strchr(*left, '/')) {
        char name[256]; /* NAME_MAX, and more on no system that is known */
        size_t n = (size_t)(slash - *left);
        int next = -1;
        if (n < sizeof name) {
            memcpy(name, *left, n);
            name[n] = '\0';
            next = open_folder(folder, name);
        } else {
            errno = ENAMETOOLONG;
        }
        int error = errno;
        close(folder);
        errno = error;
        folder = next;
        *left = slash + 1;
    }
    return folder;
}

static int read_once(const struct delegate_pattern *pattern, const char *path,
                     struct delegate_file *out)
{
    const char *left = path + strlen(pattern->folder);
    *out = (struct delegate_file){.text = NULL};
    int folder = open(pattern->folder[0] != '\0' ? pattern->folder : ".",
                      O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder >= 0)
        folder = descend(folder, &left);
    if (folder < 0)
        return (int)failed_call(out);
    int result = read_in(folder, left, out);
    close(folder);
    return result;
}

enum delegate_file_result delegate_file_read(const struct delegate_pattern *pattern,
                                             const char *path, struct delegate_file *out)
{
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        int result = read_once(pattern, path, out);
        if (result != CHANGED)
            return (enum delegate_file_result)result;
    }
    return failed(out, "changes while it is read");
}

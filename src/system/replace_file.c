/* Writing beside a file and renaming. */
#include "system/replace_file.h"

#include "text/strbuf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

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

/* The new file must not be one that somebody else has open or a link to elsewhere. */
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

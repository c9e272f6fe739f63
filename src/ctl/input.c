/* Reads with read(2), so that a message may hold any octets and come from a pipe. */
#include "ctl/input.h"

#include "ctl/report.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

#define INPUT_BLOCK 65536

static int read_all(int fd, const char *name, struct strbuf *out)
{
    char block[INPUT_BLOCK];
    for (;;) {
        ssize_t n = read(fd, block, sizeof block);
        if (n == 0)
            return EX_OK;
        if (n > 0) {
            strbuf_add(out, block, (size_t)n);
        } else if (errno != EINTR) {
            report_error("%s: %s", name, strerror(errno));
            return EX_OSERR;
        }
    }
}

/* A person who gave no file wonders why nothing happens. */
static int read_standard_input(struct strbuf *out)
{
    if (isatty(STDIN_FILENO))
        report_error("reading the message from the terminal; Ctrl-D ends it");
    return read_all(STDIN_FILENO, "standard input", out);
}

int input_read(const char *path, struct strbuf *out)
{
    int fd;
    int status;
    if (path == NULL || strcmp(path, "-") == 0)
        return read_standard_input(out);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        report_error("%s: %s", path, strerror(errno));
        return EX_OSERR;
    }
    status = read_all(fd, path, out);
    close(fd);
    return status;
}

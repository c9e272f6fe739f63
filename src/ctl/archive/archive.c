/* Opens archives and handles an interrupt: see archive.h. */
#include "ctl/archive/archive.h"

#include "ctl/report.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sysexits.h>
#include <unistd.h>

int archive_each(const char *path, const struct archive_visitor *visitor)
{
    struct stat st;
    int status;
    int fd;
    if (strcmp(path, "-") == 0)
        return mbox_each(STDIN_FILENO, "standard input", visitor);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st) != 0) {
        report_error("%s: %s", path, strerror(errno));
        status = EX_OSERR;
    } else if (S_ISDIR(st.st_mode)) {
        status = maildir_each(fd, path, visitor);
    } else {
        status = mbox_each(fd, path, visitor);
    }
    if (fd >= 0)
        close(fd);
    return status;
}

int archive_all(char **paths, size_t count, const struct archive_visitor *visitor,
                struct progress *progress)
{
    int result = EX_OK;
    for (size_t i = 0; i < count; i++) {
        int status;
        progress_next_archive(progress);
        status = archive_each(paths[i], visitor);
        if (status == EX_OK && visitor->end != NULL)
            status = visitor->end(visitor->context, paths[i]);
        if (status == ARCHIVE_STOPPED || output_failed())
            return status;
        if (result == EX_OK)
            result = status;
    }
    return result;
}

static volatile sig_atomic_t is_interrupted;

static void on_interrupt(int number)
{
    (void)number;
    is_interrupted = 1;
}

void archive_catch_interrupt(void)
{
    struct sigaction action;
    if (sigaction(SIGINT, NULL, &action) != 0 || action.sa_handler == SIG_IGN)
        return;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_interrupt;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
}

bool archive_is_interrupted(void)
{
    return is_interrupted != 0;
}

int archive_end_by_interrupt(void)
{
    signal(SIGINT, SIG_DFL);
    raise(SIGINT);
    return EX_OSERR;
}

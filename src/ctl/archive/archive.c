/* Which kind of archive it is: see archive.h. Short, as mbox.c and maildir.c do the work. */
#include "ctl/archive/archive.h"

#include "ctl/archive/maildir.h"
#include "ctl/archive/mbox.h"
#include "ctl/report.h"

#include <errno.h>
#include <fcntl.h>
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

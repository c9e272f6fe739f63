/* Absolute names, and directories that a boot takes away or nobody has made yet. */
#include "system/paths.h"

#include "text/memory.h"
#include "text/strbuf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

/* Gives away what mkdir made, not what somebody may have put there since. */
static int give_directory(const char *directory, mode_t mode, uid_t uid, gid_t gid)
{
    struct stat st;
    int result = -1;
    int saved;
    int fd = open(directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return -1;
    if (fstat(fd, &st) == 0 && fchmod(fd, mode) == 0)
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

/* Absolute names, and directories that a boot takes away or nobody has made yet. */
#include "daemon/paths.h"

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
        return strdup(path);
    here = getcwd(NULL, 0);
    if (here == NULL)
        return NULL;
    strbuf_add_str(&name, here);
    free(here);
    strbuf_add_char(&name, '/');
    strbuf_add_str(&name, path);
    if (strbuf_failed(&name)) {
        strbuf_free(&name);
        errno = ENOMEM;
        return NULL;
    }
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

/* Makes the directories above the last one; they stay root's. */
static void make_parents(char *directory)
{
    mode_t saved = umask(022);

    for (char *slash = strchr(directory + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        (void)mkdir(directory, 0755); /* what went wrong shows with the last one */
        *slash = '/';
    }
    umask(saved);
}

int path_make_directory(const char *path, mode_t mode, uid_t uid, gid_t gid)
{
    const char *slash = strrchr(path, '/');
    char *directory;
    int result = 0;

    if (slash == NULL || slash == path)
        return 0;
    directory = strndup(path, (size_t)(slash - path));
    if (directory == NULL)
        return -1;
    make_parents(directory);
    if (mkdir(directory, mode) == 0)
        result = give_directory(directory, mode, uid, gid);
    else if (errno != EEXIST)
        result = -1;
    free(directory);
    return result;
}

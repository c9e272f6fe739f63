/* mlmilterctl doctor and import: become scripts in Python. */
#include "config/load.h"
#include "ctl/commands/commands.h"
#include "ctl/output.h"
#include "text/memory.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Returns the path of this program in a static buffer, or "" without /proc. */
static const char *own_path(void)
{
    static char path[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    path[n > 0 ? n : 0] = '\0';
    return path;
}

/* Returns the path of a script in a static buffer: below the program's folder in a build tree, else
 * where it is installed. */
static char *find_script(const char *name)
{
    static char path[PATH_MAX + 64];
    const char *program = own_path(), *slash = strrchr(program, '/');
    snprintf(path, sizeof path, "%.*s/ctl/scripts/%s", slash != NULL ? (int)(slash - program) : 0,
             program, name);
    if (access(path, F_OK) != 0)
        snprintf(path, sizeof path, MLMILTER_PKGLIBEXECDIR "/%s", name);
    return path;
}

/* Reports with errno that the script could not be run. */
static int report_failure(const char *path, const char *name)
{
    if (errno == ENOENT && access(path, F_OK) == 0)
        report_error("%s needs python3, 3.9 or later (Debian: apt-get install python3)", name);
    else
        report_error("%s: %s", path, strerror(errno));
    return EX_UNAVAILABLE;
}

int run_import(const struct options *o)
{
    char *domain = memory_copy(o->domain != NULL ? o->domain : "");
    char **argv = memory_new(o->argument_count + 3, sizeof *argv);
    argv[0] = find_script("import");
    argv[1] = domain;
    memcpy(argv + 2, o->arguments, o->argument_count * sizeof *argv);
    execv(argv[0], argv);
    int status = report_failure(argv[0], "import");
    free(argv);
    free(domain);
    return status;
}

int run_doctor(const struct options *o)
{
    const char *path = find_script("doctor");
    execl(path, path, own_path(), o->config_path, MAIN_FILE_DEFAULT, o->json ? "json" : "text",
          o->sendmail_cf, (char *)NULL);
    return report_failure(path, "doctor");
}

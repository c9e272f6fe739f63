/* mlmilterctl doctor and import: become scripts in Python. */
#include "config/load.h"
#include "ctl/commands/commands.h"
#include "ctl/output.h"
#include "text/memory.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

/* Returns the path of this program in a static buffer, or "" without /proc. */
static const char *own_path(void)
{
    static char path[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    path[n > 0 ? n : 0] = '\0';
    return path;
}

/* Appends the path of a script: below the program's folder in a build tree, else installed. */
static void add_script_path(struct strbuf *path, const char *name)
{
    const char *program = own_path();
    const char *slash = strrchr(program, '/');
    if (slash != NULL) {
        strbuf_addf(path, "%.*s/ctl/scripts/%s", (int)(slash - program), program, name);
        if (access(strbuf_str(path), F_OK) == 0)
            return;
    }
    strbuf_reset(path);
    strbuf_addf(path, MLMILTER_PKGLIBEXECDIR "/%s", name);
}

/* Replaces this process by the script. Returns after an error. */
static int run_script(const char *name, const char *const *arguments, size_t count)
{
    struct strbuf path = STRBUF_INIT;
    char **argv = memory_new(count + 2, sizeof *argv);
    add_script_path(&path, name);
    argv[0] = memory_copy(strbuf_str(&path));
    for (size_t i = 0; i < count; i++)
        argv[i + 1] = memory_copy(arguments[i]);
    execv(argv[0], argv);
    int error = errno;
    if (error == ENOENT && access(argv[0], F_OK) == 0)
        report_error("%s needs python3, 3.9 or later (Debian: apt-get install python3)", name);
    else
        report_error("%s: %s", argv[0], strerror(error));
    for (size_t i = 0; i <= count; i++)
        free(argv[i]);
    free(argv);
    strbuf_free(&path);
    return EX_UNAVAILABLE;
}

int run_import(const struct options *o)
{
    const char **arguments = memory_new(o->argument_count + 1, sizeof *arguments);
    arguments[0] = o->domain != NULL ? o->domain : "";
    memcpy(arguments + 1, o->arguments, o->argument_count * sizeof *arguments);
    int status = run_script("import", arguments, o->argument_count + 1);
    free(arguments);
    return status;
}

int run_doctor(const struct options *o)
{
    const char *const arguments[] = {own_path(), o->config_path, MAIN_FILE_DEFAULT,
                                     o->json ? "json" : "text", o->sendmail_cf};
    return run_script("doctor", arguments, o->sendmail_cf != NULL ? 5 : 4);
}

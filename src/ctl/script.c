/* mlmilterctl attach, detach, doctor, import and map: become scripts in Python. */
#include "ctl/tool.h"
#include "text/memory.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char program[PATH_MAX];   /* the path of mlmilterctl; "" without /proc */
static char path[PATH_MAX + 64]; /* of the script */

/* Sets both paths: a script is below the program's folder in a build tree, else where it is
 * installed. */
static void find_script(const char *name)
{
    ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    const char *slash = n > 0 ? strrchr(program, '/') : NULL;
    snprintf(path, sizeof path, "%.*s/ctl/scripts/%s", slash != NULL ? (int)(slash - program) : 0,
             program, name);
    if (access(path, F_OK) != 0)
        snprintf(path, sizeof path, MLMILTER_PKGLIBEXECDIR "/%s", name);
}

/* Reports with errno that the script could not be run. */
static int report_failure(const char *name)
{
    if (errno == ENOENT && access(path, F_OK) == 0)
        report_error("%s needs python3, 3.9 or later (Debian: apt-get install python3)", name);
    else
        report_error("%s: %s", path, strerror(errno));
    return EX_UNAVAILABLE;
}

int run_import(const struct options *o)
{
    char **argv = memory_new(o->argument_count + 3, sizeof *argv);
    find_script("import");
    argv[0] = path;
    argv[1] = memory_copy(o->domain != NULL ? o->domain : "");
    memcpy(argv + 2, o->arguments, o->argument_count * sizeof *argv);
    execv(path, argv);
    int status = report_failure("import");
    free(argv[1]);
    free(argv);
    return status;
}

int become_pages(const struct options *o, const char *format, bool wants_date)
{
    char **argv = memory_new(o->argument_count + 8, sizeof *argv);
    struct strbuf option = STRBUF_INIT;
    if (o->list != NULL || o->to != NULL)
        strbuf_addf(&option, "--%s=%s", o->list != NULL ? "list" : "to",
                    o->list != NULL ? o->list : o->to);
    find_script("pages");
    const char *const first[] = {
        path,
        program,
        o->config_path,
        strbuf_str(&option),
        format,
        o->prefix != NULL ? o->prefix : "/",
        wants_date ? "dates" : "",
    };
    memcpy(argv, first, sizeof first);
    memcpy(argv + 7, o->arguments, o->argument_count * sizeof *argv);
    execv(path, argv);
    int status = report_failure("map --from-pages");
    strbuf_free(&option);
    free(argv);
    return status;
}

int run_doctor(const struct options *o)
{
    find_script("doctor");
    execl(path, path, program, o->config_path, MAIN_FILE_DEFAULT, o->json ? "json" : "text",
          o->sendmail_cf != NULL ? o->sendmail_cf : "", strbuf_str(&o->ignored), (char *)NULL);
    return report_failure("doctor");
}

/* attach and detach */
int run_attach(const struct options *o)
{
    const char *answer = o->show ? "show" : o->yes ? "yes" : "ask";
    find_script("attach");
    execl(path, path, program, o->config_path, MAIN_FILE_DEFAULT, o->command->name, answer,
          (char *)NULL);
    return report_failure(o->command->name);
}

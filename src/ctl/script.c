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

/* Becomes a script, whose own arguments, to a NULL, precede those of the command. Returns an exit
 * status after a message. */
static int become(const char *name, const char *const *own, const struct options *o)
{
    size_t count = 0;
    while (own[count] != NULL)
        count++;
    static char **argv;
    argv = memory_new(count + o->argument_count + 2, sizeof *argv);
    find_script(name);
    argv[0] = path;
    memcpy(argv + 1, own, count * sizeof *argv);
    memcpy(argv + 1 + count, o->arguments, o->argument_count * sizeof *argv);
    execv(path, argv);
    if (errno == ENOENT && access(path, F_OK) == 0)
        report_error("%s%s needs python3, 3.9 or later (Debian: apt-get install python3)",
                     o->command->name, o->from_pages ? " --from-pages" : "");
    else
        report_error("%s: %s", path, strerror(errno));
    return EX_UNAVAILABLE;
}

#define BECOME(name, o, ...) become(name, (const char *const[]){__VA_ARGS__, NULL}, o)

int run_import(const struct options *o)
{
    return BECOME("import", o, o->domain != NULL ? o->domain : "");
}

int become_pages(const struct options *o, const char *format, bool wants_date)
{
    static struct strbuf option;
    if (o->list != NULL || o->to != NULL)
        strbuf_addf(&option, "--%s=%s", o->list != NULL ? "list" : "to",
                    o->list != NULL ? o->list : o->to);
    return BECOME("pages", o, program, o->config_path, strbuf_str(&option), format,
                  o->prefix != NULL ? o->prefix : "/", wants_date ? "dates" : "");
}

int run_doctor(const struct options *o)
{
    return BECOME("doctor", o, program, o->config_path, MAIN_FILE_DEFAULT,
                  o->json ? "json" : "text", o->sendmail_cf != NULL ? o->sendmail_cf : "",
                  strbuf_str(&o->ignored));
}

/* attach and detach */
int run_attach(const struct options *o)
{
    return BECOME("attach", o, program, o->config_path, MAIN_FILE_DEFAULT, o->command->name,
                  o->show  ? "show"
                  : o->yes ? "yes"
                           : "ask");
}

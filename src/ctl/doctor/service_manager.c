/* systemd where it has our unit, else the program itself: see service_manager.h. */
#include "ctl/doctor/service_manager.h"

#include "config/load.h"
#include "ctl/doctor/cure.h"
#include "ctl/doctor/run_program.h"

#include <glob.h>
#include <grp.h>
#include <pwd.h>
#include <string.h>
#include <unistd.h>

#define UNIT "mlmilter.service"

static bool exists(const char *pattern)
{
    glob_t found;
    bool any = glob(pattern, GLOB_NOSORT, NULL, &found) == 0;
    if (any)
        globfree(&found);
    return any;
}

bool service_has_unit(const char *config_path)
{
    return strcmp(config_path, MAIN_FILE_DEFAULT) == 0 &&
           access("/run/systemd/system", F_OK) == 0 &&
           (exists("/etc/systemd/system/" UNIT) || exists("/usr/lib/systemd/system/" UNIT) ||
            exists("/usr/local/lib/systemd/system/" UNIT) || exists("/lib/systemd/system/" UNIT));
}

bool service_is_enabled(void)
{
    return exists("/etc/systemd/system/*.wants/" UNIT);
}

static void add_program(struct strbuf *cure, const char *config_path)
{
    strbuf_add_str(cure, "mlmilter");
    if (strcmp(config_path, MAIN_FILE_DEFAULT) != 0) {
        strbuf_add_str(cure, " -c ");
        cure_add_word(cure, config_path);
    }
}

void service_add_start(struct strbuf *cure, const char *config_path)
{
    if (service_has_unit(config_path))
        strbuf_add_str(cure, "systemctl start mlmilter");
    else
        add_program(cure, config_path);
}

void service_add_restart(struct strbuf *cure, const char *config_path, pid_t pid)
{
    if (service_has_unit(config_path)) {
        strbuf_add_str(cure, "systemctl restart mlmilter");
        return;
    }
    if (pid > 0)
        strbuf_addf(cure, "kill %ld; sleep 5; ", (long)pid);
    add_program(cure, config_path);
}

/* Is the group one of those that the unit adds to its user's (drop-ins included)? */
static bool unit_has_group(const char *group)
{
    static const char *const argv[] = {"systemctl", "show",     "--property=SupplementaryGroups",
                                       "--value",   "mlmilter", NULL};
    struct program program;
    bool has = true; /* what cannot be asked is not complained about */
    program_run(argv, PROGRAM_OUT, &program_limits, &program);
    if (program.fault == NULL && !program.is_absent && program.status == 0) {
        size_t n = strlen(group);
        has = false;
        for (const char *at = strbuf_str(&program.said); *at != '\0' && !has;) {
            size_t word = strcspn(at, " \n");
            has = word == n && memcmp(at, group, n) == 0;
            at += word;
            at += strspn(at, " \n");
        }
    }
    program_free(&program);
    return has;
}

bool service_lacks_group(const char *config_path, const char *group, const char *user)
{
    const struct group *found = getgrnam(group);
    const struct passwd *account;
    if (!service_has_unit(config_path) || found == NULL)
        return false;
    for (char *const *member = found->gr_mem; *member != NULL; member++)
        if (strcmp(*member, user) == 0)
            return false;
    account = getpwnam(user);
    return !(account != NULL && account->pw_gid == found->gr_gid) && !unit_has_group(group);
}

void service_add_group(struct strbuf *cure, const char *group)
{
    strbuf_addf(cure,
                "mkdir -p /etc/systemd/system/" UNIT ".d && printf "
                "'[Service]\\nSupplementaryGroups=%s\\n' > /etc/systemd/system/" UNIT
                ".d/socket-group.conf && systemctl daemon-reload\n",
                group);
}

void service_add_socket_group(struct strbuf *cure, const char *config_path, const char *group,
                              pid_t pid)
{
    strbuf_addf(cure, "echo 'socket_group = \"%s\"' >> ", group);
    cure_add_word(cure, config_path);
    strbuf_add_char(cure, '\n');
    if (service_has_unit(config_path)) /* the unit starts no part as root */
        service_add_group(cure, group);
    service_add_restart(cure, config_path, pid);
}

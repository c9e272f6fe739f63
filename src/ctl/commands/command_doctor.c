/* mlmilterctl doctor: what on this host stands between it and a stamped post (RULINGS 91)? */
#include "ctl/colour.h"
#include "ctl/commands/commands.h"
#include "ctl/doctor/check_configuration.h"
#include "ctl/doctor/check_daemon.h"
#include "ctl/doctor/check_files.h"
#include "ctl/doctor/postfix.h"
#include "ctl/doctor/sendmail.h"
#include "ctl/report.h"

#include <sysexits.h>
#include <unistd.h>

enum { OPTION_JSON, OPTION_SENDMAIL_CF, OPTIONS };

static const struct option options[] = {
    {"json", no_argument, NULL, OPTION_JSON},
    {"sendmail-cf", required_argument, NULL, OPTION_SENDMAIL_CF},
    {NULL, 0, NULL, 0}};

/* In the order in which things must be mended. */
static void look(struct doctor *doctor)
{
    struct settings *settings = check_configuration(doctor);
    doctor->settings = settings;
    if (settings != NULL) {
        check_files(doctor);
        check_daemon(doctor);
    }
    doctor_postfix(doctor);
    doctor_sendmail(doctor);
    settings_free(settings);
    doctor->settings = NULL;
}

static int write_findings(const struct findings *findings, bool json)
{
    struct strbuf text = STRBUF_INIT;
    if (json)
        findings_write(findings, FINDINGS_JSON, &text);
    else
        findings_write(findings, colour_wanted(STDOUT_FILENO) ? FINDINGS_COLOURED : FINDINGS_TEXT,
                       &text);
    int status = write_and_free(&text);
    return status == EX_OK && findings_count(findings, FINDING_MEND) > 0 ? EXIT_NO : status;
}

static int run_doctor(struct invocation *invocation, int argc, char **argv)
{
    const char *values[OPTIONS] = {NULL};
    struct doctor doctor = {.is_root = geteuid() == 0};
    int status = command_values(invocation, options, values, argc, argv);
    if (status != EX_OK)
        return status;
    if (optind < argc)
        return usage_error(invocation);
    doctor.config_path = invocation->config_path;
    doctor.sendmail_cf = values[OPTION_SENDMAIL_CF];
    findings_init(&doctor.findings);
    look(&doctor);
    status = write_findings(&doctor.findings, values[OPTION_JSON] != NULL);
    findings_free(&doctor.findings);
    return status;
}

const struct command command_doctor = {
    "doctor", run_doctor,
    "  doctor [--json] [--sendmail-cf FILE]\n"
    "          what on this host stands between it and a stamped post, and what to type;\n"
    "          best run as root; changes nothing\n"};

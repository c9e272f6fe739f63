/*
 * filter - two milters with nothing in them, to hold beside mlmilter
 *
 *   filter accept SOCKET   asks for no step at all and accepts each message at its end: the least
 *                          that any milter costs
 *   filter insert SOCKET   is sent recipients and header fields, replies to none of them, and
 * inserts ten fixed fields at the end: the least that mlmilter's job costs with libmilter
 *
 * SOCKET as libmilter names it: unix:PATH or inet:PORT@HOST. It ends with SIGTERM.
 */
#include <libmilter/mfapi.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sysexits.h>

/* Steps that none of them uses. */
#define UNUSED                                                                                     \
    (SMFIP_NOCONNECT | SMFIP_NOHELO | SMFIP_NOMAIL | SMFIP_NOBODY | SMFIP_NOEOH | SMFIP_NOUNKNOWN)

static const struct {
    const char *name, *value;
} fields[] = {
    {"Message-ID-Hash", "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"},
    {"Archived-At", "<https://lists.example.org/club/ABCDEFGHIJKLMNOPQRSTUVWXYZ234567>"},
    {"List-Id", "The Club <club.example.org>"},
    {"List-Help", "<mailto:club-request@example.org?subject=help>"},
    {"List-Subscribe", "<mailto:club-join@example.org>"},
    {"List-Unsubscribe", "<mailto:club-leave@example.org>"},
    {"List-Post", "<mailto:club@example.org>"},
    {"List-Owner", "<mailto:club-owner@example.org>"},
    {"List-Archive", "<https://lists.example.org/club>"},
    {"X-List-Sequence", "4711"},
};

/* Set once, before libmilter starts a thread. */
static unsigned long steps;

static sfsistat on_negotiate(SMFICTX *ctx, unsigned long actions, unsigned long offered,
                             unsigned long a, unsigned long b, unsigned long *wanted_actions,
                             unsigned long *wanted, unsigned long *c, unsigned long *d)
{
    (void)ctx, (void)a, (void)b;
    *wanted_actions = actions & SMFIF_ADDHDRS;
    *wanted = offered & steps;
    *c = *d = 0;
    return SMFIS_CONTINUE;
}

static sfsistat on_recipient(SMFICTX *ctx, char **arguments)
{
    (void)ctx, (void)arguments;
    return SMFIS_NOREPLY;
}

static sfsistat on_header(SMFICTX *ctx, char *name, char *value)
{
    (void)ctx, (void)name, (void)value;
    return SMFIS_NOREPLY;
}

static sfsistat accept_it(SMFICTX *ctx)
{
    (void)ctx;
    return SMFIS_ACCEPT;
}

static sfsistat insert_fields(SMFICTX *ctx)
{
    for (size_t i = sizeof fields / sizeof *fields; i-- > 0;) {
        char name[32], value[128]; /* libmilter takes them without const */
        (void)snprintf(name, sizeof name, "%s", fields[i].name);
        (void)snprintf(value, sizeof value, "%s", fields[i].value);
        if (smfi_insheader(ctx, 1, name, value) != MI_SUCCESS)
            return SMFIS_TEMPFAIL;
    }
    return SMFIS_ACCEPT;
}

int main(int argc, char **argv)
{
    static char name[] = "filter";
    struct smfiDesc filter = {.xxfi_name = name,
                              .xxfi_version = SMFI_VERSION,
                              .xxfi_flags = SMFIF_ADDHDRS,
                              .xxfi_negotiate = on_negotiate,
                              .xxfi_eom = insert_fields};
    bool accepts = argc == 3 && strcmp(argv[1], "accept") == 0;
    if (argc != 3 || (!accepts && strcmp(argv[1], "insert") != 0)) {
        fprintf(stderr, "usage: filter accept | insert SOCKET\n");
        return EX_USAGE;
    }
    if (accepts) {
        steps = UNUSED | SMFIP_NORCPT | SMFIP_NODATA | SMFIP_NOHDRS;
        filter.xxfi_eom = accept_it;
    } else {
        steps = UNUSED | SMFIP_NODATA | SMFIP_NR_RCPT | SMFIP_NR_HDR;
        filter.xxfi_envrcpt = on_recipient;
        filter.xxfi_header = on_header;
    }
    umask(0); /* an MTA of another user connects */
    if (smfi_register(filter) != MI_SUCCESS || smfi_setconn(argv[2]) != MI_SUCCESS ||
        smfi_opensocket(1) != MI_SUCCESS)
        return EX_UNAVAILABLE;
    return smfi_main() == MI_SUCCESS ? 0 : EX_SOFTWARE;
}

/*
 * callbacks - see callbacks.h: each passes a command to the session and returns the verdict
 *
 * The negotiated steps cause the least traffic (measured with Postfix 3.7.11, libmilter 8.17.1):
 * - The MTA awaits a reply only to RCPT, to DATA and at the end of the message (NR_*).
 * - RCPT has a reply: without it Postfix keeps RCPTs in a buffer, sends it when it is full, and so
 *   cuts a packet; the rest comes when the client goes on (RULINGS 99).
 * - DATA has a reply: mail of no list is accepted there, and its header is never sent; and without
 *   that reply Postfix runs into Nagle's algorithm, 42 ms a message over TCP.
 * - The end of the header comes, without a reply: libmilter has no transition from DATA to the end
 *   of the message, so a message without any field would never be answered.
 */
#include "milter/callbacks.h"

#include "daemon/log.h"
#include "daemon/metrics.h"
#include "libmilter/connection.h"
#include "mail/field_name.h"
#include "milter/session.h"

#include <libmilter/mfapi.h>
#include <stddef.h>
#include <sys/socket.h>
#include <syslog.h>

#define ACTIONS (SMFIF_ADDHDRS | SMFIF_CHGHDRS)
#define STEPS                                                                                      \
    (SMFIP_NOHELO | SMFIP_NOUNKNOWN | SMFIP_NOBODY | SMFIP_NR_CONN | SMFIP_NR_MAIL |               \
     SMFIP_NR_HDR | SMFIP_NR_EOH)

/* Without these functions any client could end the daemon, or use the trust of another client. */
#define UNGUARDED "libmilter does not call the functions of this program (see doc/libmilter.md)"

/* Returns a text as char *, the type that libmilter declares even for what it only reads. */
static char *libmilter_text(const char *text)
{
    union {
        const char *theirs;
        char *ours;
    } u = {text};
    return u.ours;
}

/* Returns the session of a connection; creates it in the first callback. */
static struct session *session_of(SMFICTX *ctx)
{
    struct session *s = smfi_getpriv(ctx);
    if (s == NULL) {
        s = session_new();
        (void)smfi_setpriv(ctx, s);
    }
    return s;
}

static const char *macro(SMFICTX *ctx, const char *name)
{
    return smfi_getsymval(ctx, libmilter_text(name));
}

/* Returns the status that continues, without a reply if that was negotiated for this step. */
static sfsistat go_on(const struct session *s, unsigned long no_reply_bit)
{
    return (s->granted & no_reply_bit) != 0 ? SMFIS_NOREPLY : SMFIS_CONTINUE;
}

/* Sends a reply. A lone "%" makes Sendmail answer 554 in place of 451 (measured): it is doubled. If
 * libmilter does not take the text, the MTA has its own for 4xx and 5xx. */
static sfsistat answer(SMFICTX *ctx, struct session *s, const struct verdict *v)
{
    struct strbuf *text = &s->text;
    strbuf_reset(text);
    for (const char *p = v->text; *p != '\0'; p++) {
        if (*p == '%')
            strbuf_add_char(text, '%');
        strbuf_add_char(text, *p);
    }
    (void)smfi_setreply(ctx, libmilter_text(v->code), libmilter_text(v->status),
                        libmilter_text(strbuf_str(text)));
    return v->code[0] == '5' ? SMFIS_REJECT : SMFIS_TEMPFAIL;
}

/* Asks for the macros that each stage reads, in place of those that the MTA's operator configured.
 * A Sendmail whose confMILTER_MACROS_EOM lacks {msg_id} adds a second Message-ID to the plan's
 * (measured with 8.17.1). Sendmail uses the list of EOM only with one of EOH. */
static void ask_for_macros(SMFICTX *ctx)
{
    (void)smfi_setsymlist(ctx, SMFIM_CONNECT, libmilter_text("{daemon_name}"));
    (void)smfi_setsymlist(ctx, SMFIM_ENVFROM, libmilter_text("i {auth_authen}"));
    (void)smfi_setsymlist(ctx, SMFIM_ENVRCPT, libmilter_text("i {rcpt_addr} {rcpt_mailer}"));
    (void)smfi_setsymlist(ctx, SMFIM_EOH, libmilter_text("i"));
    (void)smfi_setsymlist(ctx, SMFIM_EOM, libmilter_text("i {msg_id}"));
}

/* Refuses a connection, with a line in the log when it closes. */
static sfsistat refuse(const char *reason)
{
    connection_refuse(reason);
    return SMFIS_REJECT;
}

static sfsistat on_negotiate(SMFICTX *ctx, unsigned long actions, unsigned long steps,
                             unsigned long unused2, unsigned long unused3,
                             unsigned long *our_actions, unsigned long *our_steps,
                             unsigned long *our2, unsigned long *our3)
{
    struct session *s = session_of(ctx);
    (void)unused2, (void)unused3;
    if (!connection_is_guarded())
        return refuse(UNGUARDED);
    if ((actions & ACTIONS) != ACTIONS)
        return refuse("the MTA does not let a filter add and change header fields");
    s->is_negotiated = true;
    s->granted = steps & STEPS;
    *our_actions = ACTIONS | (actions & SMFIF_SETSYMLIST);
    if ((actions & SMFIF_SETSYMLIST) != 0)
        ask_for_macros(ctx);
    *our_steps = s->granted;
    *our2 = *our3 = 0;
    return SMFIS_CONTINUE;
}

static sfsistat on_connect(SMFICTX *ctx, char *host_name, _SOCK_ADDR *address)
{
    struct session *s = session_of(ctx);
    session_client(s, host_name, address);
    return go_on(s, SMFIP_NR_CONN);
}

static sfsistat on_mail(SMFICTX *ctx, char **argv)
{
    struct session *s = session_of(ctx);
    const char *authenticated = macro(ctx, "{auth_authen}");
    if (!s->is_negotiated)
        return SMFIS_TEMPFAIL; /* libmilter takes MAIL without it (seen) */
    session_begin(s, argv[0], macro(ctx, "{daemon_name}"),
                  authenticated != NULL && *authenticated != '\0');
    session_record_probe(s, argv);
    if (!connection_is_guarded())
        s->fault = UNGUARDED;
    return go_on(s, SMFIP_NR_MAIL);
}

static sfsistat on_recipient(SMFICTX *ctx, char **argv)
{
    struct session *s = session_of(ctx);
    const char *rcpt_addr = macro(ctx, "{rcpt_addr}"), *rcpt_mailer = macro(ctx, "{rcpt_mailer}");
    struct verdict v;
    s->queue_id = macro(ctx, "i");
    v = session_recipient(s, argv[0], rcpt_addr, rcpt_mailer);
    return v.kind == VERDICT_REPLY ? answer(ctx, s, &v) : SMFIS_CONTINUE;
}

/* Ends the message with its verdict. */
static sfsistat finish(SMFICTX *ctx, struct session *s, const struct verdict *v)
{
    sfsistat status = v->kind == VERDICT_REPLY ? answer(ctx, s, v) : SMFIS_ACCEPT;
    session_end(s);
    return status;
}

static sfsistat on_data(SMFICTX *ctx)
{
    struct session *s = session_of(ctx);
    struct verdict v;
    s->queue_id = macro(ctx, "i");
    v = session_check(s, true);
    return v.kind == VERDICT_CONTINUE ? SMFIS_CONTINUE : finish(ctx, s, &v);
}

/* Takes a field. The refusal of a header that is too large is sent at the end of the message:
 * Postfix hangs after an unexpected reply (measured). */
static sfsistat on_header(SMFICTX *ctx, char *name, char *value)
{
    struct session *s = session_of(ctx);
    session_field(s, name, value);
    return go_on(s, SMFIP_NR_HDR);
}

static sfsistat on_end_of_header(SMFICTX *ctx)
{
    return go_on(session_of(ctx), SMFIP_NR_EOH);
}

static int delete_field(SMFICTX *ctx, const struct edit *edit)
{
    char *name = libmilter_text(field_name_text(edit->name));
    return smfi_chgheader(ctx, name, (int)edit->index, NULL) == MI_SUCCESS ? 0 : -1;
}

/* Inserts a field at the top, or replaces the Message-ID or Date that Sendmail would add: it takes
 * one of smfi_addheader as its own, and with one of smfi_insheader sends two (measured with 8.17.1,
 * with and without Resent- fields; RULINGS 115, 128). */
static int insert_field(SMFICTX *ctx, const struct edit *edit, bool mta_adds)
{
    char *name = libmilter_text(field_name_text(edit->name)), *text = libmilter_text(edit->text);
    bool is_default = mta_adds && (edit->name == FIELD_MESSAGE_ID || edit->name == FIELD_DATE);
    int result = is_default ? smfi_addheader(ctx, name, text) : smfi_insheader(ctx, 1, name, text);
    return result == MI_SUCCESS ? 0 : -1;
}

/* Makes all edits of the plan. mta_adds: the MTA is Sendmail, which reports the Message-ID that it
 * would add. They leave together with SMFIS_ACCEPT, or not at all
 * (libmilter/connection.h). Returns 0, or -1 if libmilter does not take one; then the message must
 * not be accepted.
 *
 * Measured: Postfix renumbers the copies of a field after each deletion, Sendmail does not, and an
 * inserted copy counts in Sendmail. So all deletions come first, each name from its last copy to
 * its first, as in the plan. Only the places 0, 1 and a huge one mean the same to both. Place 1 is
 * below the MTA's own Received. Of several insertions there the last one comes out on top, so they
 * go from the last to the first. */
static int apply_edits(SMFICTX *ctx, const struct plan *plan, bool mta_adds)
{
    for (size_t i = 0; i < plan->edit_count; i++)
        if (plan->edits[i].op == EDIT_DELETE && delete_field(ctx, &plan->edits[i]) != 0)
            return -1;
    for (size_t i = plan->edit_count; i-- > 0;)
        if (plan->edits[i].op == EDIT_INSERT && insert_field(ctx, &plan->edits[i], mta_adds) != 0)
            return -1;
    return 0;
}

static sfsistat on_end_of_message(SMFICTX *ctx)
{
    struct session *s = session_of(ctx);
    const struct plan *plan;
    const char *msg_id;
    struct verdict v;
    s->queue_id = macro(ctx, "i");
    msg_id = macro(ctx, "{msg_id}");
    plan = session_decide(s, msg_id);
    v = session_outcome(s, plan == NULL || apply_edits(ctx, plan, msg_id != NULL) == 0);
    return finish(ctx, s, &v);
}

/* Ends the message. libmilter calls it also after its end, twice, or without one (measured). */
static sfsistat on_abort(SMFICTX *ctx)
{
    session_end(session_of(ctx));
    return SMFIS_CONTINUE;
}

/* Logs why libmilter closes the connection, as libmilter does not (RULINGS 99). */
static void log_closing(const struct session *s)
{
    const char *fault = connection_fault();
    if (fault == NULL)
        return;
    log_printf(LOG_ERR, "error: connection of the MTA closed%s: %s",
               s != NULL && s->snapshot != NULL ? " in the middle of a message" : "", fault);
    metrics_count(COUNT_ERROR_PROTOCOL, 1);
}

static sfsistat on_close(SMFICTX *ctx)
{
    struct session *s = smfi_getpriv(ctx);
    log_closing(s);
    session_free(s);
    (void)smfi_setpriv(ctx, NULL);
    return SMFIS_CONTINUE;
}

int callbacks_register(void)
{
    static char name[] = "mlmilter";
    struct smfiDesc filter = {
        .xxfi_name = name,
        .xxfi_version = SMFI_VERSION,
        .xxfi_flags = ACTIONS,
        .xxfi_connect = on_connect,
        .xxfi_envfrom = on_mail,
        .xxfi_envrcpt = on_recipient,
        .xxfi_header = on_header,
        .xxfi_eoh = on_end_of_header,
        .xxfi_eom = on_end_of_message,
        .xxfi_abort = on_abort,
        .xxfi_close = on_close,
        .xxfi_data = on_data,
        .xxfi_negotiate = on_negotiate,
    };
    return smfi_register(filter) == MI_SUCCESS ? 0 : -1;
}

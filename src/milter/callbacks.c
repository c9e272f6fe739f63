/*
 * What libmilter calls.  Each function tells the session what came and gives its answer back.
 *
 * Negotiation is for the least traffic (measured with Postfix 3.7.11 and libmilter 8.17.1):
 * - No reply is awaited where we have nothing to say (NR_*), so that a message takes few packets of
 *   ours: to RCPT and DATA, and the edits and the answer at its end.
 * - RCPT is always answered. Without a reply Postfix keeps RCPTs in a buffer, sends it when it is
 *   full, and so cuts a packet; the rest comes when the client goes on (RULINGS 99).
 * - DATA is kept, with a reply: mail that cannot be ours is accepted there and its header never
 *   sent; and without that reply Postfix runs into Nagle's algorithm, 42 ms a message over TCP.
 * - The end of the header is kept, without a reply: libmilter has no transition from DATA to the
 *   end of the message, so a message without any field would never be answered.
 */
#include "milter/callbacks.h"

#include "libmilter/gaps.h"
#include "libmilter/packets_in.h"
#include "libmilter/packets_out.h"
#include "milter/apply_edits.h"
#include "milter/session.h"

#include <libmilter/mfapi.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/socket.h>

#define ACTIONS (SMFIF_ADDHDRS | SMFIF_CHGHDRS)
#define STEPS                                                                                      \
    (SMFIP_NOHELO | SMFIP_NOUNKNOWN | SMFIP_NOBODY | SMFIP_NR_CONN | SMFIP_NR_MAIL |               \
     SMFIP_NR_HDR | SMFIP_NR_EOH)

/* libmilter gives its callbacks nothing but the connection. Set once, before it starts. */
static const struct milter_host *host;

static struct session *session_of(SMFICTX *ctx)
{
    return smfi_getpriv(ctx);
}

static const char *macro(SMFICTX *ctx, const char *name)
{
    return smfi_getsymval(ctx, libmilter_text(name));
}

static const char *queue_id(SMFICTX *ctx)
{
    return macro(ctx, "i");
}

/* To go on, with the word that was agreed upon for this step. */
static sfsistat go_on(const struct session *s, unsigned long no_reply_bit)
{
    return (s->granted & no_reply_bit) != 0 ? SMFIS_NOREPLY : SMFIS_CONTINUE;
}

/* A lone "%" makes Sendmail answer 554 to what is a 451 (measured): it is doubled. When the text
 * cannot be set, the MTA's own text for the same class of reply will do. */
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

/* What is read of the macros of each stage. Which ones an MTA sends is for its operator to
 * configure: a Sendmail whose confMILTER_MACROS_EOM lacks {msg_id} adds a Message-ID of its own
 * beside ours (measured with 8.17.1). An MTA that lets a filter choose sends these instead.
 * Sendmail uses the list of EOM only with one of EOH. */
static void ask_for_macros(SMFICTX *ctx)
{
    (void)smfi_setsymlist(ctx, SMFIM_CONNECT, libmilter_text("{daemon_name}"));
    (void)smfi_setsymlist(ctx, SMFIM_ENVFROM, libmilter_text("i {auth_authen}"));
    (void)smfi_setsymlist(ctx, SMFIM_ENVRCPT, libmilter_text("i {rcpt_addr} {rcpt_mailer}"));
    (void)smfi_setsymlist(ctx, SMFIM_EOH, libmilter_text("i"));
    (void)smfi_setsymlist(ctx, SMFIM_EOM, libmilter_text("i {msg_id}"));
}

/* The message is decided, and libmilter sends the answer when the callback returns. */
static void end_message(struct session *s)
{
    if (host->begin_answer(host->self))
        packets_out_answer_due(host->end_answer, host->self);
    else
        packets_out_no_answer();
    session_end(s);
}

/* Has libmilter called our function by now (gaps.h)? If not, the log says so, once. */
static bool is_met(enum gap gap)
{
    char line[300];
    if (gap_complaint(gap, line, sizeof line))
        host->log(host->self, HOST_LOG_ERROR, line);
    return gap_is_met(gap);
}

static sfsistat on_negotiate(SMFICTX *ctx, unsigned long actions, unsigned long steps,
                             unsigned long unused2, unsigned long unused3,
                             unsigned long *our_actions, unsigned long *our_steps,
                             unsigned long *our2, unsigned long *our3)
{
    struct session *s = session_of(ctx);
    (void)unused2;
    (void)unused3;
    (void)is_met(GAP_CONNECTIONS);
    if (!is_met(GAP_PACKETS_IN))
        return SMFIS_REJECT;
    if ((actions & ACTIONS) != ACTIONS) {
        host->log(host->self, HOST_LOG_ERROR,
                  "error: the MTA does not let a filter add and change header fields");
        host->count(host->self, COUNT_ERROR_PROTOCOL, 1);
        return SMFIS_REJECT;
    }
    if (s == NULL)
        s = session_new(host);
    s->granted = steps & STEPS;
    *our_actions = ACTIONS | (actions & SMFIF_SETSYMLIST);
    if ((actions & SMFIF_SETSYMLIST) != 0)
        ask_for_macros(ctx);
    *our_steps = s->granted;
    *our2 = *our3 = 0;
    if (smfi_setpriv(ctx, s) != MI_SUCCESS) {
        session_free(s);
        return SMFIS_REJECT;
    }
    return SMFIS_CONTINUE;
}

static sfsistat on_connect(SMFICTX *ctx, char *host_name, _SOCK_ADDR *address)
{
    struct session *s = session_of(ctx);
    if (s == NULL)
        return SMFIS_TEMPFAIL;
    session_client(s, host_name, address);
    return go_on(s, SMFIP_NR_CONN);
}

static sfsistat on_mail(SMFICTX *ctx, char **argv)
{
    struct session *s = session_of(ctx);
    const char *authenticated = macro(ctx, "{auth_authen}");
    (void)is_met(GAP_PACKETS_OUT); /* the answer to the negotiation has left */
    (void)is_met(GAP_READ_AHEAD);  /* and this was waited for behind it */
    if (s == NULL)
        return SMFIS_TEMPFAIL;
    s->rcpt_macro = NULL; /* libmilter has freed it: the next may stand in the same place */
    session_begin(s, argv[0], macro(ctx, "{daemon_name}"),
                  authenticated != NULL && *authenticated != '\0');
    return go_on(s, SMFIP_NR_MAIL);
}

/* Checks {rcpt_addr} of a RCPT: libmilter keeps that of the previous RCPT if it runs out of memory
 * (seen). It frees the old macros after it has read the new ones, so their addresses differ. */
static void check_rcpt_macro(struct session *s, const char *rcpt_addr)
{
    if (rcpt_addr != NULL && rcpt_addr == s->rcpt_macro)
        s->incomplete = true;
    s->rcpt_macro = rcpt_addr;
}

static sfsistat on_recipient(SMFICTX *ctx, char **argv)
{
    struct session *s = session_of(ctx);
    const char *rcpt_addr = macro(ctx, "{rcpt_addr}"), *rcpt_mailer = macro(ctx, "{rcpt_mailer}");
    struct verdict v;
    if (s == NULL)
        return SMFIS_TEMPFAIL;
    check_rcpt_macro(s, rcpt_addr);
    v = session_recipient(s, argv[0], rcpt_addr, rcpt_mailer, queue_id(ctx));
    return v.kind == VERDICT_REPLY ? answer(ctx, s, &v) : SMFIS_CONTINUE;
}

static sfsistat on_data(SMFICTX *ctx)
{
    struct session *s = session_of(ctx);
    struct verdict v;
    sfsistat status;
    if (s == NULL)
        return SMFIS_TEMPFAIL;
    v = session_data(s, queue_id(ctx));
    if (v.kind == VERDICT_CONTINUE)
        return SMFIS_CONTINUE;
    status = v.kind == VERDICT_REPLY ? answer(ctx, s, &v) : SMFIS_ACCEPT;
    end_message(s);
    return status;
}

/* Where no reply is awaited, anything but going on makes Postfix hang (measured): what went wrong
 * is answered at the end. */
static sfsistat on_header(SMFICTX *ctx, char *name, char *value)
{
    struct session *s = session_of(ctx);
    if (s == NULL)
        return SMFIS_TEMPFAIL;
    session_field(s, name, value);
    return go_on(s, SMFIP_NR_HDR);
}

static sfsistat on_end_of_header(SMFICTX *ctx)
{
    struct session *s = session_of(ctx);
    return s == NULL ? SMFIS_TEMPFAIL : go_on(s, SMFIP_NR_EOH);
}

static enum session_outcome make_edits(SMFICTX *ctx, const struct plan *plan,
                                       struct strbuf *packets)
{
    int sent;
    if (plan == NULL)
        return SESSION_DONE;
    if (!host->begin_edits(host->self))
        return SESSION_CUT_OFF;
    sent = apply_edits(ctx, plan, packets);
    host->end_edits(host->self);
    return sent == 0 ? SESSION_DONE : SESSION_FAILED;
}

static sfsistat on_end_of_message(SMFICTX *ctx)
{
    struct session *s = session_of(ctx);
    const struct plan *plan;
    struct verdict v;
    sfsistat status;
    if (s == NULL)
        return SMFIS_TEMPFAIL;
    plan = session_decide(s, macro(ctx, "{msg_id}"), queue_id(ctx));
    v = session_outcome(s, make_edits(ctx, plan, &s->packets), queue_id(ctx));
    status = v.kind == VERDICT_REPLY ? answer(ctx, s, &v) : SMFIS_ACCEPT;
    end_message(s);
    return status;
}

/* Comes after the end of a message, twice, or without a message, too (measured). */
static sfsistat on_abort(SMFICTX *ctx)
{
    struct session *s = session_of(ctx);
    if (s != NULL)
        session_end(s);
    return SMFIS_CONTINUE;
}

/* libmilter closes a connection without a line in a log that the operator reads (RULINGS 99). */
static void log_closing(const struct session *s)
{
    const char *fault = packets_in_fault();
    char line[200];
    if (fault == NULL)
        return;
    snprintf(line, sizeof line, "error: connection of the MTA closed%s: %s",
             s != NULL && s->in_message ? " in the middle of a message" : "", fault);
    host->log(host->self, HOST_LOG_ERROR, line);
    host->count(host->self, COUNT_ERROR_PROTOCOL, 1);
}

static sfsistat on_close(SMFICTX *ctx)
{
    log_closing(session_of(ctx));
    packets_in_forget();
    packets_out_no_answer();
    session_free(session_of(ctx));
    (void)smfi_setpriv(ctx, NULL);
    return SMFIS_CONTINUE;
}

int callbacks_register(const struct milter_host *new_host)
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
    host = new_host;
    return smfi_register(filter) == MI_SUCCESS ? 0 : -1;
}

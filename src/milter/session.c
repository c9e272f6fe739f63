/* session - see session.h */
#include "milter/session.h"

#include "daemon/log.h"
#include "daemon/metrics.h"
#include "mail/address.h"
#include "plan/plan_print.h"
#include "store/question.h"
#include "system/monotonic.h"
#include "text/memory.h"

#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <syslog.h>
#include <time.h>

/* Postfix shows no queue id before the first accepted recipient; its own log says so in this word.
 */
#define NO_QUEUE_ID "NOQUEUE"

#define ARENA_CHUNK ((size_t)8 * 1024)

static struct verdict verdict_of(enum verdict_kind kind)
{
    return (struct verdict){.kind = kind};
}

static struct verdict reply(const char *code, const char *status, const char *text)
{
    return (struct verdict){VERDICT_REPLY, code, status, text};
}

/* ---- counting ------------------------------------------------------------------------------- */

static void count_not_ours(bool early)
{
    metrics_count(COUNT_NOT_OURS, 1);
    if (early)
        metrics_count(COUNT_ACCEPTED_EARLY, 1);
}

static enum count outcome_of(enum role role, enum plan_action action, bool dry_run)
{
    static const enum count rows[2][4] = {
        {COUNT_DISTRIBUTION_ACCEPT, COUNT_DISTRIBUTION_REJECT, COUNT_DISTRIBUTION_TEMPFAIL,
         COUNT_DISTRIBUTION_DRY_RUN},
        {COUNT_FEED_ACCEPT, COUNT_FEED_REJECT, COUNT_FEED_TEMPFAIL, COUNT_FEED_DRY_RUN}};
    size_t column = dry_run ? 3 : action == ACTION_TEMPFAIL ? 2 : action == ACTION_REJECT ? 1 : 0;
    return rows[role == ROLE_FEED ? 1 : 0][column];
}

/* Returns the reason of a refusal, in the order of plan_build. */
static enum count refusal_of(const struct decided *d)
{
    switch (d->post.fault) {
    case POST_TOO_LARGE:
        return COUNT_REFUSED_TOO_LARGE;
    case POST_NO_ID:
        return COUNT_REFUSED_NO_MESSAGE_ID;
    case POST_SEVERAL_IDS:
        return COUNT_REFUSED_SEVERAL_MESSAGE_IDS;
    case POST_FINE:
        break;
    }
    return d->plan.action == ACTION_REJECT ? COUNT_REFUSED_REUSED_MESSAGE_ID : COUNT_REFUSED_STORE;
}

/* Counts a decision that is carried out. With dry_run nothing is refused, removed or added. */
static void count_decision(const struct decided *d, bool dry_run)
{
    metrics_count(outcome_of(d->selection.role, d->plan.action, dry_run), 1);
    if (d->plan.has_error)
        metrics_count(COUNT_ERROR_POST, 1);
    if (dry_run)
        return;
    if (d->plan.action != ACTION_ACCEPT)
        metrics_count(refusal_of(d), 1);
    metrics_count(COUNT_FIELDS_REMOVED, d->plan.removed);
    metrics_count(COUNT_FIELDS_ADDED, d->plan.added);
}

/* Counts a message that is deferred for a reason other than a decision. */
static void count_deferred(enum role role, enum count reason)
{
    metrics_count(
        role == ROLE_NONE ? COUNT_UNDECIDED_TEMPFAIL : outcome_of(role, ACTION_TEMPFAIL, false), 1);
    metrics_count(reason, 1);
}

/* ---- the connection ------------------------------------------------------------------------- */

struct session *session_new(void)
{
    struct session *s = memory_new(1, sizeof *s);
    metrics_count(COUNT_CONNECTION_OPENED, 1);
    envelope_init(&s->envelope);
    header_init(&s->header);
    arena_init(&s->arena, ARENA_CHUNK);
    strbuf_init(&s->text);
    return s;
}

void session_free(struct session *s)
{
    if (s == NULL)
        return;
    session_end(s);
    envelope_free(&s->envelope);
    metrics_count(COUNT_CONNECTION_CLOSED, 1);
    free(s);
}

/* Maps IPv4 into IPv6, for trust.h. */
static bool client_address(const struct sockaddr *from, struct trust_address *to)
{
    static const unsigned char mapped[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
    if (from->sa_family == AF_INET) {
        struct sockaddr_in in;
        memcpy(&in, from, sizeof in);
        memcpy(to->octets, mapped, sizeof mapped);
        memcpy(to->octets + sizeof mapped, &in.sin_addr, 4);
        return true;
    }
    if (from->sa_family == AF_INET6) {
        struct sockaddr_in6 in6;
        memcpy(&in6, from, sizeof in6);
        memcpy(to->octets, &in6.sin6_addr, sizeof to->octets);
        return true;
    }
    return false;
}

void session_client(struct session *s, const char *host_name, const struct sockaddr *address)
{
    memset(&s->client, 0, sizeof s->client);
    if (address != NULL)
        s->client.has_address = client_address(address, &s->client.address);
    else
        s->client.local = host_name != NULL && strcasecmp(host_name, "localhost") == 0;
}

void session_begin(struct session *s, const char *sender, const char *daemon_name,
                   bool authenticated)
{
    struct client client = s->client;
    session_end(s);
    s->in_message = true;
    s->snapshot = snapshot_hold();
    if (s->snapshot == NULL)
        return;
    client.daemon_name = span_cstr(daemon_name);
    client.authenticated = authenticated;
    envelope_begin(&s->envelope, s->snapshot->settings, &client, address_bare(span_cstr(sender)));
}

/* Begins a line about the message, in s->text, with its queue id. */
static struct strbuf *begin_line(struct session *s, const char *queue_id)
{
    strbuf_reset(&s->text);
    plan_print_word(&s->text,
                    span_cstr(queue_id != NULL && *queue_id != '\0' ? queue_id : NO_QUEUE_ID));
    strbuf_add_str(&s->text, ": ");
    return &s->text;
}

/* Sendmail 8.17 delivers to a refused recipient all the same when its path has a "," and no
 * brackets (RCPT TO:@x,@y:a@b): it looks for two addresses to drop (measured). */
static bool may_be_delivered(struct span argument)
{
    return span_find(argument, ',') < argument.n &&
           (argument.p[0] != '<' || argument.p[argument.n - 1] != '>');
}

/* Defers a recipient that must come in a transaction of its own (RULINGS 22). */
static struct verdict defer(struct session *s, const char *argument, const char *queue_id,
                            const char *note, const char *text)
{
    struct strbuf *line = begin_line(s, queue_id);
    strbuf_add_str(line, "recipient=<");
    plan_print_word(line, address_bare(span_cstr(argument)));
    strbuf_addf(line, "> action=defer note=\"%s\"", note);
    log_line(LOG_INFO, strbuf_str(&s->text));
    metrics_count(COUNT_RECIPIENT_DEFERRED, 1);
    s->deferral_ignored |= may_be_delivered(span_cstr(argument));
    return reply("452", "4.5.3", text);
}

struct verdict session_recipient(struct session *s, const char *argument, const char *mta_address,
                                 const char *mta_mailer, const char *queue_id)
{
    /* Postfix' cleanup sends no mailer (measured); its smtpd and Sendmail do. */
    struct rcpt rcpt = {span_cstr(argument), span_cstr(mta_address),
                        mta_address != NULL && mta_mailer == NULL};
    enum recipient_answer answer;
    if (!s->in_message || s->snapshot == NULL || s->fault != NULL)
        return verdict_of(VERDICT_CONTINUE);
    s->envelope.defers_nobody = s->snapshot->settings->dry_run;
    answer = envelope_add_recipient(&s->envelope, &rcpt);
    if (answer == RECIPIENT_LIST_DEFERRED)
        return defer(s, argument, queue_id,
                     "a second list, it must come in a transaction of its own",
                     "One mailing list at a time, please send to this one again");
    if (answer == RECIPIENT_PRIVATE_DEFERRED)
        return defer(s, argument, queue_id,
                     "a list and a private recipient, each must come in a transaction of its own",
                     "A mailing list and a person one at a time, please send to this one again");
    return verdict_of(VERDICT_CONTINUE);
}

void session_field(struct session *s, const char *name, const char *value)
{
    struct span field_name = span_cstr(name);
    struct span field_value = span_cstr(value);
    if (!s->in_message || s->snapshot == NULL || s->fault != NULL)
        return;
    header_add(&s->header, field_name, field_value, header_wire_octets(field_name, field_value));
}

/* Defers a message that cannot be decided. */
static struct verdict fail(struct session *s, const char *queue_id)
{
    bool dry_run = s->snapshot->settings->dry_run;
    strbuf_addf(begin_line(s, queue_id), "error: %s: message %s", s->fault,
                dry_run ? "passed unchanged (dry_run)" : "deferred");
    log_line(LOG_ERR, strbuf_str(&s->text));
    metrics_count(COUNT_ERROR_POST, 1);
    if (dry_run) {
        metrics_count(COUNT_UNDECIDED_ACCEPT, 1);
        return verdict_of(VERDICT_ACCEPT);
    }
    count_deferred(ROLE_NONE, COUNT_REFUSED_ERROR);
    return reply("451", "4.3.0", "Temporary failure in the mailing list filter, try again later");
}

/* Checks a message at DATA and at its end. Returns VERDICT_CONTINUE if it may belong to a list. */
static struct verdict check_message(struct session *s, const char *queue_id, bool early)
{
    if (!s->in_message) /* no MTA was seen to do that */
        return reply("451", "4.3.0", "Temporary failure in the mailing list filter");
    if (s->snapshot == NULL) {
        count_deferred(ROLE_NONE, COUNT_REFUSED_STOPPING);
        return reply("451", "4.3.2", "The mailing list filter is being stopped, please try again");
    }
    if (s->fault != NULL)
        return fail(s, queue_id);
    if (s->deferral_ignored)
        return reply("452", "4.5.3", "A recipient was refused, please send without it");
    if (envelope_may_be_ours(&s->envelope))
        return verdict_of(VERDICT_CONTINUE);
    count_not_ours(early);
    return verdict_of(VERDICT_ACCEPT);
}

struct verdict session_data(struct session *s, const char *queue_id)
{
    return check_message(s, queue_id, true);
}

/* Asks the store for decide(). With dry_run nothing is numbered (RULINGS 72). */
static void ask_store(void *self, struct decided *d)
{
    struct session *s = self;
    struct store_error error;
    int64_t start = monotonic_nanoseconds();
    int result = post_ask(s->snapshot->store, NULL, &d->selection, &d->post,
                          s->snapshot->settings->dry_run, &d->record, &error);
    if (s->snapshot->store != NULL)
        metrics_store_took((uint64_t)(monotonic_nanoseconds() - start));
    if (result == 0)
        return;
    strbuf_addf(begin_line(s, s->queue_id), "error: store: %s", error.text);
    log_line(LOG_ERR, strbuf_str(&s->text));
    metrics_count(COUNT_ERROR_STORE, 1);
    metrics_count(COUNT_STORE_FAILED, 1);
}

/* Decides a message that may belong to a list. */
static struct verdict find_verdict(struct session *s, const char *mta_message_id)
{
    const struct facts facts = {
        .settings = s->snapshot->settings,
        .envelope = &s->envelope,
        .header = &s->header,
        .mta_message_id = span_cstr(mta_message_id),
        .arrival = (int64_t)time(NULL),
    };
    const struct decide_store store = {ask_store, s};
    const struct plan *plan = &s->decided->plan;
    decide(&facts, NULL, &store, &s->arena, s->decided);
    if (s->decided->selection.role == ROLE_NONE)
        count_not_ours(false);
    if (plan->action == ACTION_ACCEPT || s->snapshot->settings->dry_run)
        return verdict_of(VERDICT_ACCEPT);
    return reply(plan->reply_code, plan->reply_status, plan->reply_text);
}

const struct plan *session_decide(struct session *s, const char *mta_message_id,
                                  const char *queue_id)
{
    s->queue_id = queue_id;
    s->verdict = check_message(s, queue_id, false);
    if (s->verdict.kind != VERDICT_CONTINUE)
        return NULL;
    s->decided = memory_new(1, sizeof *s->decided);
    s->verdict = find_verdict(s, mta_message_id);
    if (s->verdict.kind == VERDICT_REPLY || s->snapshot->settings->dry_run ||
        s->decided->plan.edit_count == 0)
        return NULL;
    return &s->decided->plan;
}

/* Logs the one line about a message of a list. */
static void log_decision(struct session *s, const char *queue_id)
{
    const struct plan *plan = &s->decided->plan;
    bool dry_run = s->snapshot->settings->dry_run;
    plan_print_log(begin_line(s, queue_id), &s->decided->selection, plan, dry_run);
    log_line(plan->has_error ? LOG_WARNING : LOG_INFO, strbuf_str(&s->text));
    count_decision(s->decided, dry_run);
}

struct verdict session_outcome(struct session *s, bool edits_made, const char *queue_id)
{
    if (!edits_made) {
        strbuf_add_str(begin_line(s, queue_id),
                       "error: libmilter does not take an edit: message deferred");
        log_line(LOG_ERR, strbuf_str(&s->text));
        metrics_count(COUNT_ERROR_EDITS, 1);
        count_deferred(s->decided->selection.role, COUNT_REFUSED_ERROR);
        return reply("451", "4.3.0",
                     "Temporary failure in the mailing list filter, try again later");
    }
    if (s->decided != NULL && s->decided->selection.role != ROLE_NONE)
        log_decision(s, queue_id);
    return s->verdict;
}

void session_end(struct session *s)
{
    if (!s->in_message)
        return;
    s->in_message = s->deferral_ignored = false;
    s->fault = s->queue_id = NULL;
    free(s->decided);
    s->decided = NULL;
    memset(&s->verdict, 0, sizeof s->verdict);
    header_free(&s->header);
    arena_free(&s->arena);
    arena_init(&s->arena, ARENA_CHUNK);
    strbuf_free(&s->text);
    snapshot_release(s->snapshot);
    s->snapshot = NULL;
}

/*
 * What is known of one connection and its message, and what to answer.  The thinking is done by
 * floor 4; here is what a daemon adds: limits, failures, dry_run, the log line.
 */
#include "milter/session.h"

#include "mail/address.h"
#include "milter/tally.h"
#include "plan/plan_print.h"
#include "store/post_store.h"
#include "system/monotonic.h"
#include "text/memory.h"

#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

/* Postfix shows no queue id before the first accepted recipient; its own log says so in this word.
 */
#define NO_QUEUE_ID "NOQUEUE"

/* Memory that a connection keeps from one message to the next. A usual post with its 26 fields
 * takes about 6 kB of text. */
#define KEEP_HEADER_FIELDS 256
#define KEEP_ARENA         ((size_t)64 * 1024)
#define KEEP_TEXT          ((size_t)8 * 1024)
#define ARENA_CHUNK        ((size_t)8 * 1024)

static struct verdict verdict_of(enum verdict_kind kind)
{
    return (struct verdict){.kind = kind};
}

static struct verdict reply(const char *code, const char *status, const char *text)
{
    return (struct verdict){VERDICT_REPLY, code, status, text};
}

static struct verdict stopping(struct session *s, enum role role)
{
    tally_not_done(s->host, role, false, COUNT_REFUSED_STOPPING);
    return reply("451", "4.3.2", "The mailing list filter is being stopped, please try again");
}

struct session *session_new(const struct milter_host *host)
{
    struct session *s = memory_new(1, sizeof *s);
    s->host = host;
    tally_one(host, COUNT_CONNECTION_OPENED);
    envelope_init(&s->envelope);
    header_init(&s->header);
    arena_init(&s->arena, ARENA_CHUNK);
    strbuf_init(&s->text);
    strbuf_init(&s->packets);
    return s;
}

void session_free(struct session *s)
{
    if (s == NULL)
        return;
    session_end(s);
    envelope_free(&s->envelope);
    header_free(&s->header);
    arena_free(&s->arena);
    strbuf_free(&s->text);
    strbuf_free(&s->packets);
    tally_one(s->host, COUNT_CONNECTION_CLOSED);
    free(s);
}

/* IPv4 is mapped into IPv6, as trust.h wants it. */
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
    s->held = s->host->acquire(s->host->self);
    if (s->held.settings == NULL)
        return;
    client.daemon_name = span_cstr(daemon_name);
    client.authenticated = authenticated;
    envelope_begin(&s->envelope, s->held.settings, &client, address_bare(span_cstr(sender)));
}

/* A line about the message, in s->text, begins with its queue id. */
static struct strbuf *begin_line(struct session *s, const char *queue_id)
{
    strbuf_reset(&s->text);
    plan_print_word(&s->text,
                    span_cstr(queue_id != NULL && *queue_id != '\0' ? queue_id : NO_QUEUE_ID));
    strbuf_add_str(&s->text, ": ");
    return &s->text;
}

static void end_line(struct session *s, enum host_log level)
{
    s->host->log(s->host->self, level, strbuf_str(&s->text));
}

/* Sendmail 8.17 delivers to a refused recipient all the same when its path has a "," and no
 * brackets (RCPT TO:@x,@y:a@b): it looks for two addresses to drop (measured). */
static bool may_be_delivered(struct span argument)
{
    return span_find(argument, ',') < argument.n &&
           (argument.p[0] != '<' || argument.p[argument.n - 1] != '>');
}

/* The recipient must come in a transaction of its own (RULINGS 22). */
static struct verdict defer(struct session *s, const char *argument, const char *queue_id,
                            const char *note, const char *text)
{
    struct strbuf *line = begin_line(s, queue_id);
    strbuf_add_str(line, "recipient=<");
    plan_print_word(line, address_bare(span_cstr(argument)));
    strbuf_addf(line, "> action=defer note=\"%s\"", note);
    end_line(s, HOST_LOG_INFO);
    tally_one(s->host, COUNT_RECIPIENT_DEFERRED);
    s->deferral_ignored |= may_be_delivered(span_cstr(argument));
    return reply("452", "4.5.3", text);
}

struct verdict session_recipient(struct session *s, const char *argument, const char *mta_address,
                                 const char *mta_mailer, const char *queue_id)
{
    /* Postfix' cleanup tells no mailer (measured), its smtpd and Sendmail do. */
    struct rcpt rcpt = {span_cstr(argument), span_cstr(mta_address),
                        mta_address != NULL && mta_mailer == NULL};
    enum recipient_answer answer;
    if (!s->in_message || s->held.settings == NULL || s->incomplete)
        return verdict_of(VERDICT_CONTINUE);
    s->envelope.defers_nobody = s->held.settings->dry_run;
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
    if (!s->in_message || s->held.settings == NULL || s->incomplete)
        return;
    /* Too large is no failure: the header remembers it, and the end of the message answers. */
    header_add(&s->header, field_name, field_value, header_wire_octets(field_name, field_value));
}

/* Defers a message that cannot be decided. */
static struct verdict failed(struct session *s, const char *queue_id, const char *why)
{
    bool dry_run = s->held.settings->dry_run;
    s->decided.selection.role = ROLE_NONE; /* there is no decision to log */
    strbuf_addf(begin_line(s, queue_id), "error: %s: message %s", why,
                dry_run ? "passed unchanged (dry_run)" : "deferred");
    end_line(s, HOST_LOG_ERROR);
    tally_one(s->host, COUNT_ERROR_POST);
    tally_not_done(s->host, ROLE_NONE, dry_run, COUNT_REFUSED_ERROR);
    if (dry_run)
        return verdict_of(VERDICT_ACCEPT);
    return reply("451", "4.3.0", "Temporary failure in the mailing list filter, try again later");
}

/* Checks a message at DATA and at its end. Returns VERDICT_CONTINUE if it may belong to a list. */
static struct verdict check_message(struct session *s, const char *queue_id, bool early)
{
    if (!s->in_message) /* nothing is known of it: no MTA and no libmilter was seen to do that */
        return reply("451", "4.3.0", "Temporary failure in the mailing list filter");
    if (s->held.settings == NULL)
        return stopping(s, ROLE_NONE);
    if (s->incomplete)
        return failed(s, queue_id, "libmilter lost {rcpt_addr} of a recipient");
    if (s->deferral_ignored)
        return reply("452", "4.5.3", "A recipient was refused, please send without it");
    if (envelope_may_be_ours(&s->envelope))
        return verdict_of(VERDICT_CONTINUE);
    tally_not_ours(s->host, early);
    return verdict_of(VERDICT_ACCEPT);
}

struct verdict session_data(struct session *s, const char *queue_id)
{
    return check_message(s, queue_id, true);
}

/* For decide(): the session whose store is asked. */
struct asker {
    struct session *session;
    const char *queue_id;
};

/* With dry_run nothing is counted (RULINGS 72). */
static void ask_store(void *self, struct decided *d)
{
    const struct asker *asker = self;
    struct session *s = asker->session;
    struct store_error error;
    int64_t start = monotonic_nanoseconds();
    int result = post_ask_store(s->held.store, &d->selection, &d->post, s->held.settings->dry_run,
                                &d->record, &error);
    if (s->held.store != NULL)
        s->host->store_took(s->host->self, (uint64_t)(monotonic_nanoseconds() - start));
    if (result == 0)
        return;
    strbuf_addf(begin_line(s, asker->queue_id), "error: store: %s", error.text);
    end_line(s, HOST_LOG_ERROR);
    tally_one(s->host, COUNT_ERROR_STORE);
    tally_one(s->host, COUNT_STORE_FAILED);
}

/* Of a message that may be ours. */
static struct verdict find_verdict(struct session *s, const char *mta_message_id,
                                   const char *queue_id)
{
    const struct facts facts = {
        .settings = s->held.settings,
        .envelope = &s->envelope,
        .header = &s->header,
        .mta_message_id = span_cstr(mta_message_id),
        .arrival = s->host->now(s->host->self),
    };
    struct asker asker = {s, queue_id};
    const struct decide_store store = {ask_store, &asker};
    const struct plan *plan = &s->decided.plan;
    decide(&facts, NULL, &store, &s->arena, &s->decided);
    if (s->decided.selection.role == ROLE_NONE)
        tally_not_ours(s->host, false);
    if (plan->action == ACTION_ACCEPT || s->held.settings->dry_run)
        return verdict_of(VERDICT_ACCEPT);
    return reply(plan->reply_code, plan->reply_status, plan->reply_text);
}

const struct plan *session_decide(struct session *s, const char *mta_message_id,
                                  const char *queue_id)
{
    s->verdict = check_message(s, queue_id, false);
    if (s->verdict.kind != VERDICT_CONTINUE)
        return NULL;
    s->verdict = find_verdict(s, mta_message_id, queue_id);
    if (s->verdict.kind == VERDICT_REPLY || s->held.settings->dry_run ||
        s->decided.plan.edit_count == 0)
        return NULL;
    return &s->decided.plan;
}

/* The one line about a message of ours. */
static void log_decision(struct session *s, const char *queue_id)
{
    const struct plan *plan = &s->decided.plan;
    bool dry_run = s->held.settings->dry_run;
    plan_print_log(begin_line(s, queue_id), &s->decided.selection, plan, dry_run);
    end_line(s, plan_has_error(plan) ? HOST_LOG_WARNING : HOST_LOG_INFO);
    tally_done(s->host, &s->decided, dry_run);
}

static struct verdict edits_failed(struct session *s, const char *queue_id)
{
    strbuf_add_str(begin_line(s, queue_id),
                   "error: an edit could not be sent to the MTA: message deferred");
    end_line(s, HOST_LOG_ERROR);
    tally_one(s->host, COUNT_ERROR_EDITS);
    tally_not_done(s->host, s->decided.selection.role, false, COUNT_REFUSED_ERROR);
    return reply("451", "4.3.0", "Temporary failure in the mailing list filter, try again later");
}

struct verdict session_outcome(struct session *s, enum session_outcome outcome,
                               const char *queue_id)
{
    if (outcome == SESSION_FAILED)
        return edits_failed(s, queue_id);
    if (outcome == SESSION_CUT_OFF)
        return stopping(s, s->decided.selection.role);
    if (s->decided.selection.role != ROLE_NONE)
        log_decision(s, queue_id);
    return s->verdict;
}

/* A large message must not leave its memory with a connection that then idles for hours. */
static void forget_memory(struct session *s)
{
    if (s->header.capacity > KEEP_HEADER_FIELDS)
        header_free(&s->header);
    else
        header_reset(&s->header);
    if (s->arena.used > KEEP_ARENA) {
        arena_free(&s->arena);
        arena_init(&s->arena, ARENA_CHUNK);
    } else {
        arena_reset(&s->arena);
    }
    if (s->text.cap > KEEP_TEXT)
        strbuf_free(&s->text);
    strbuf_reset(&s->text);
    if (s->packets.cap > KEEP_TEXT)
        strbuf_free(&s->packets);
}

void session_end(struct session *s)
{
    if (!s->in_message)
        return;
    s->in_message = s->incomplete = s->deferral_ignored = false;
    memset(&s->decided, 0, sizeof s->decided);
    memset(&s->verdict, 0, sizeof s->verdict);
    forget_memory(s);
    if (s->held.settings != NULL)
        s->host->release(s->host->self, s->held);
    memset(&s->held, 0, sizeof s->held);
}

/* session - see session.h */
#include "milter/session.h"

#include "daemon/log.h"
#include "daemon/metrics.h"
#include "daemon/probes.h"
#include "mail/address.h"
#include "plan/plan_print.h"
#include "store/store.h"
#include "system/monotonic.h"
#include "text/memory.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <syslog.h>
#include <time.h>

/* As in Postfix's own log: it has no queue id before the first accepted recipient. */
#define NO_QUEUE_ID "NOQUEUE"

#define FAILURE "Temporary failure in the mailing list filter"

#define ARENA_CHUNK ((size_t)8 * 1024)

static const struct verdict go_on = {.kind = VERDICT_CONTINUE};
static const struct verdict accepted = {.kind = VERDICT_ACCEPT};

static struct verdict reply(const char *code, const char *status, const char *text)
{
    return (struct verdict){VERDICT_REPLY, code, status, text};
}

/* ---- counting ------------------------------------------------------------------------------- */

static void count_not_ours(bool early)
{
    metrics_count(COUNT_NOT_OURS, 1);
    metrics_count(COUNT_ACCEPTED_EARLY, early ? 1 : 0);
}

/* Counts a message of a list by what was done. */
static void count_message(enum role role, enum plan_action action, bool dry_run)
{
    enum count first = role == ROLE_FEED ? COUNT_FEED : COUNT_DISTRIBUTION;
    metrics_count(first + (dry_run ? ACTION_TEMPFAIL + 1 : action), 1);
}

/* Returns the reason of a refusal; tries the reasons in the order of decide(). */
static enum count refusal_of(const struct decided *d)
{
    static const enum count faults[] = {[POST_TOO_LARGE] = COUNT_REFUSED_TOO_LARGE,
                                        [POST_STRAY_CR] = COUNT_REFUSED_STRAY_CR,
                                        [POST_NO_ID] = COUNT_REFUSED_NO_MESSAGE_ID,
                                        [POST_SEVERAL_IDS] = COUNT_REFUSED_SEVERAL_MESSAGE_IDS};
    if (d->post.fault != POST_FINE)
        return faults[d->post.fault];
    return d->plan.action == ACTION_REJECT ? COUNT_REFUSED_REUSED_MESSAGE_ID : COUNT_REFUSED_STORE;
}

/* Counts a decision that is carried out. With dry_run nothing is refused, removed or added. */
static void count_decision(const struct decided *d, bool dry_run)
{
    count_message(d->selection.role, d->plan.action, dry_run);
    metrics_count(COUNT_ERROR_POST, d->plan.has_error ? 1 : 0);
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
    if (role == ROLE_NONE)
        metrics_count(COUNT_UNDECIDED_TEMPFAIL, 1);
    else
        count_message(role, ACTION_TEMPFAIL, false);
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
    metrics_count(COUNT_CONNECTION_CLOSED, 1);
    free(s);
}

/* Maps IPv4 into IPv6, for trust.h. Returns false if it is neither. */
static bool client_address(const struct sockaddr *from, struct trust_address *to)
{
    struct sockaddr_in in;
    struct sockaddr_in6 in6;
    if (from->sa_family == AF_INET) {
        memcpy(&in, from, sizeof in);
        to->octets[10] = to->octets[11] = 0xff;
        memcpy(to->octets + 12, &in.sin_addr, 4);
    } else if (from->sa_family == AF_INET6) {
        memcpy(&in6, from, sizeof in6);
        memcpy(to->octets, &in6.sin6_addr, sizeof to->octets);
    }
    return from->sa_family == AF_INET || from->sa_family == AF_INET6;
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
    s->snapshot = snapshot_hold();
    s->is_stopping = s->snapshot == NULL;
    if (s->is_stopping)
        return;
    client.daemon_name = span_cstr(daemon_name);
    client.authenticated = authenticated;
    envelope_begin(&s->envelope, s->snapshot->settings, &client, address_bare(span_cstr(sender)));
}

/* ---- probes --------------------------------------------------------------------------------- */

static bool is_mapped(const struct trust_address *a)
{
    static const unsigned char start[12] = {[10] = 0xff, [11] = 0xff};
    return memcmp(a->octets, start, sizeof start) == 0;
}

/* True if an address is loopback's or an interface's. */
static bool is_of_this_host(const struct trust_address *address)
{
    struct ifaddrs *all = NULL;
    bool found = is_mapped(address) && address->octets[12] == 127;
    if (found || getifaddrs(&all) != 0)
        return found;
    for (const struct ifaddrs *one = all; one != NULL && !found; one = one->ifa_next) {
        struct trust_address own = {{0}};
        found = one->ifa_addr != NULL && client_address(one->ifa_addr, &own) &&
                memcmp(&own, address, sizeof own) == 0;
    }
    freeifaddrs(all);
    return found;
}

/* Takes the number of a probe from the sender or from ENVID. */
static bool read_probe(char *const *arguments, struct span *number)
{
    bool found = probes_read(address_bare(span_cstr(arguments[0])), number);
    while (!found && *++arguments != NULL)
        found = strncasecmp(*arguments, "ENVID=", 6) == 0 &&
                probes_read(span_cstr(*arguments + 6), number);
    return found;
}

void session_record_probe(const struct session *s, char *const *arguments)
{
    const struct client *client = &s->envelope.client;
    const unsigned char *octets = client->address.octets;
    char text[INET6_ADDRSTRLEN] = "";
    struct span number;
    if (s->snapshot == NULL || !client->has_address || client->authenticated ||
        !read_probe(arguments, &number) || !is_of_this_host(&client->address))
        return;
    if (is_mapped(&client->address))
        (void)inet_ntop(AF_INET, octets + 12, text, sizeof text);
    else
        (void)inet_ntop(AF_INET6, octets, text, sizeof text);
    probes_record(number, s->envelope.trusted, text, client->daemon_name);
}

/* Begins a line about the message, in s->text, with its queue id. */
static struct strbuf *begin_line(struct session *s)
{
    const char *id = s->queue_id != NULL && *s->queue_id != '\0' ? s->queue_id : NO_QUEUE_ID;
    strbuf_reset(&s->text);
    plan_print_word(&s->text, span_cstr(id));
    strbuf_add_str(&s->text, ": ");
    return &s->text;
}

/* True if Sendmail 8.17 may deliver to a refused recipient (measured): it looks for two addresses
 * to drop if the path has a "," and no brackets, as in RCPT TO:@x,@y:a@b, or one in a comment, as
 * in RCPT TO:<(<)@x,@y:a@b>. */
static bool may_be_delivered(struct span argument)
{
    return span_find(argument, ',') < argument.n &&
           (argument.p[0] != '<' || argument.p[argument.n - 1] != '>' ||
            span_find(argument, '(') < argument.n);
}

/* Defers a recipient that must come in a transaction of its own (RULINGS 22). */
static struct verdict defer(struct session *s, const char *argument, const char *note,
                            const char *text)
{
    struct strbuf *line = begin_line(s);
    strbuf_add_str(line, "recipient=<");
    plan_print_word(line, address_bare(span_cstr(argument)));
    strbuf_addf(line, "> action=defer note=\"%s\"", note);
    log_line(LOG_INFO, strbuf_str(line));
    metrics_count(COUNT_RECIPIENT_DEFERRED, 1);
    s->deferral_ignored |= may_be_delivered(span_cstr(argument));
    return reply("452", "4.5.3", text);
}

/* Returns the mailer of a recipient. Postfix' cleanup names none (measured); its smtpd and Sendmail
 * do. */
static enum mailer mailer_of(const char *mta_address, const char *mta_mailer)
{
    if (mta_mailer == NULL)
        return mta_address != NULL ? MAILER_UNNAMED : MAILER_OTHER;
    return strcmp(mta_mailer, "local") == 0 ? MAILER_LOCAL : MAILER_OTHER;
}

struct verdict session_recipient(struct session *s, const char *argument, const char *mta_address,
                                 const char *mta_mailer)
{
    struct rcpt rcpt = {span_cstr(argument), span_cstr(mta_address),
                        mailer_of(mta_address, mta_mailer)};
    enum recipient_answer answer;
    if (s->snapshot == NULL || s->fault != NULL)
        return go_on;
    s->envelope.defers_nobody = s->snapshot->settings->dry_run;
    answer = envelope_add_recipient(&s->envelope, &rcpt);
    if (answer == RECIPIENT_LIST_DEFERRED)
        return defer(s, argument, "a second list, it must come in a transaction of its own",
                     "One mailing list at a time, please send to this one again");
    if (answer == RECIPIENT_PRIVATE_DEFERRED)
        return defer(s, argument,
                     "a list and a private recipient, each must come in a transaction of its own",
                     "A mailing list and a person one at a time, please send to this one again");
    return go_on;
}

void session_field(struct session *s, const char *name, const char *value)
{
    struct span field_name = span_cstr(name), field_value = span_cstr(value);
    if (s->snapshot == NULL || s->fault != NULL)
        return;
    header_add(&s->header, field_name, field_value, header_wire_octets(field_name, field_value));
}

/* Defers a message that cannot be decided. */
static struct verdict fail(struct session *s)
{
    bool dry_run = s->snapshot->settings->dry_run;
    strbuf_addf(begin_line(s), "error: %s: message %s", s->fault,
                dry_run ? "passed unchanged (dry_run)" : "deferred");
    log_line(LOG_ERR, strbuf_str(&s->text));
    metrics_count(COUNT_ERROR_POST, 1);
    if (dry_run) {
        metrics_count(COUNT_UNDECIDED_ACCEPT, 1);
        return accepted;
    }
    count_deferred(ROLE_NONE, COUNT_REFUSED_ERROR);
    return reply("451", "4.3.0", FAILURE ", try again later");
}

struct verdict session_check(struct session *s, bool is_early)
{
    if (s->snapshot == NULL && !s->is_stopping) /* no MAIL before: a fault of the MTA */
        return reply("451", "4.3.0", FAILURE);
    if (s->is_stopping) {
        count_deferred(ROLE_NONE, COUNT_REFUSED_STOPPING);
        return reply("451", "4.3.2", "The mailing list filter is being stopped, please try again");
    }
    if (s->fault != NULL)
        return fail(s);
    if (s->deferral_ignored)
        return reply("452", "4.5.3", "A recipient was refused, please send without it");
    if (envelope_may_be_ours(&s->envelope))
        return go_on;
    count_not_ours(is_early);
    return accepted;
}

/* Asks the store for decide(). With dry_run nothing is numbered (RULINGS 72). */
static void ask_store(void *self, struct decided *d)
{
    struct session *s = self;
    struct store_error error;
    int64_t start = monotonic_nanoseconds();
    int result = post_ask(s->snapshot->store, NULL, &d->selection, &d->post, &d->record, &error);
    if (s->snapshot->store != NULL)
        metrics_store_took((uint64_t)(monotonic_nanoseconds() - start));
    if (result == 0)
        return;
    strbuf_addf(begin_line(s), "error: store: %s", error.text);
    log_line(LOG_ERR, strbuf_str(&s->text));
    metrics_count(COUNT_ERROR_STORE, 1);
    metrics_count(COUNT_STORE_FAILED, 1);
}

const struct plan *session_decide(struct session *s, const char *mta_message_id)
{
    const struct decide_store store = {ask_store, s};
    struct facts facts = {.envelope = &s->envelope, .header = &s->header};
    const struct plan *plan;
    s->verdict = session_check(s, false);
    if (s->verdict.kind != VERDICT_CONTINUE)
        return NULL;
    facts.settings = s->snapshot->settings;
    facts.mta_message_id = span_cstr(mta_message_id);
    facts.arrival = (int64_t)time(NULL);
    s->decided = memory_new(1, sizeof *s->decided);
    decide(&facts, NULL, &store, &s->arena, s->decided);
    plan = &s->decided->plan;
    s->verdict = accepted;
    if (facts.settings->dry_run)
        return NULL;
    if (plan->action != ACTION_ACCEPT)
        s->verdict = reply(plan->reply_code, plan->reply_status, plan->reply_text);
    return plan->action == ACTION_ACCEPT && plan->edit_count > 0 ? plan : NULL;
}

/* Logs the one line about a message of a list. */
static void log_decision(struct session *s)
{
    const struct plan *plan = &s->decided->plan;
    bool dry_run = s->snapshot->settings->dry_run;
    plan_print_log(begin_line(s), &s->decided->selection, plan, dry_run);
    log_line(plan->has_error ? LOG_WARNING : LOG_INFO, strbuf_str(&s->text));
    if (plan->contest != NULL)
        log_repeated_error(plan->contest);
    count_decision(s->decided, dry_run);
}

struct verdict session_outcome(struct session *s, bool edits_made)
{
    if (!edits_made) {
        strbuf_add_str(begin_line(s), "error: libmilter does not take an edit: message deferred");
        log_line(LOG_ERR, strbuf_str(&s->text));
        metrics_count(COUNT_ERROR_EDITS, 1);
        count_deferred(s->decided->selection.role, COUNT_REFUSED_ERROR);
        return reply("451", "4.3.0", FAILURE ", try again later");
    }
    if (s->decided != NULL && s->decided->selection.role == ROLE_NONE)
        count_not_ours(false);
    else if (s->decided != NULL)
        log_decision(s);
    return s->verdict;
}

void session_end(struct session *s)
{
    s->deferral_ignored = s->is_stopping = false;
    s->fault = NULL;
    free(s->decided);
    s->decided = NULL;
    envelope_free(&s->envelope);
    header_free(&s->header);
    arena_free(&s->arena);
    strbuf_free(&s->text);
    snapshot_release(s->snapshot);
    s->snapshot = NULL;
}

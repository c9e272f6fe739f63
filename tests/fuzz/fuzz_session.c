/*
 * A connection: any sequence of calls that an MTA can cause, many messages, settings that change
 * between and under them, a store that fails, a program that stops (milter/session.h).
 *
 * Input: one call on each line.
 *
 *   c ADDRESS       the client (without an address: local)
 *   m SENDER        MAIL; M the same, authenticated; "SENDER|NAME" with a daemon's name
 *   r ADDRESS       RCPT; "ADDRESS|MTA-ADDRESS|MAILER" with what the MTA makes of it
 *   f NAME:VALUE    a field; a line that begins with a blank continues the value
 *   d               DATA
 *   e [MSGID]       end of message, carried out
 *   b               the same, but an edit cannot be sent
 *   s               the same, but the program stops before edits
 *   a               abort
 *   q               the connection ends, another one begins
 *   g N             other settings from the next message on; "g" alone: the program is stopping
 *   t N             the store: 0 none, 1 memory, 2 failing
 */
#include "configurations.h"
#include "fuzz.h"
#include "plan_check.h"

#include "milter/session.h"
#include "store/drivers.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

struct fake_host {
    const struct settings *settings; /* NULL: stopping */
    struct store *store;
    int held;
};

static struct held_settings acquire(void *self)
{
    struct fake_host *fake = self;

    if (fake->settings == NULL)
        return (struct held_settings){NULL, NULL, NULL};
    fake->held++;
    return (struct held_settings){fake->settings, fake->store, fake};
}

static void release(void *self, struct held_settings held)
{
    struct fake_host *fake = self;

    fuzz_require(held.settings != NULL && held.handle == self && fake->held == 1,
                 "each hold is given back once");
    fake->held--;
}

static bool begin_edits(void *self)
{
    (void)self;
    return true;
}

static void end_edits(void *self)
{
    (void)self;
}

static void log_line(void *self, enum host_log level, const char *text)
{
    (void)self;
    fuzz_require(level <= HOST_LOG_ERROR && *text != '\0' && strlen(text) < 100000, "a log line");
}

static int64_t now(void *self)
{
    (void)self;
    return 1183535398;
}

static void count(void *self, enum host_count what, uint64_t n)
{
    (void)self;
    fuzz_require(what < HOST_COUNTS && n > 0, "a count");
}

static void store_took(void *self, uint64_t nanoseconds)
{
    (void)self;
    (void)nanoseconds;
}

static void check_reply(const struct verdict *v)
{
    struct span text = span_cstr(v->text);

    fuzz_require(strlen(v->code) == 3 && (v->code[0] == '4' || v->code[0] == '5') &&
                     v->status[0] == v->code[0] && v->status[1] == '.',
                 "a reply");
    fuzz_require_text(text.n > 0 && text.n < 900 && span_is_printable_ascii(text), "its text",
                      text);
}

static void check_verdict(const struct verdict *v)
{
    if (v->kind == VERDICT_REPLY)
        check_reply(v);
}

/* What has not begun with MAIL does not pass. */
static void check_begun(const struct session *s, const struct verdict *v)
{
    fuzz_require(s->in_message || (v->kind == VERDICT_REPLY && v->code[0] == '4'),
                 "a message without MAIL comes again");
}

/* The end of a message, as callbacks.c does it; how: e, b or s. */
static void end_message(struct session *s, char how, const char *message_id)
{
    const struct plan *plan = session_decide(s, *message_id != '\0' ? message_id : NULL, "4ABC");
    const struct facts facts = {
        .settings = s->held.settings, .envelope = &s->envelope, .header = &s->header};
    enum session_outcome outcome = SESSION_DONE;
    struct verdict v;

    if (s->in_message && s->held.settings != NULL && !s->incomplete &&
        s->decided.selection.role != ROLE_NONE)
        plan_check(&facts, &s->decided.selection, &s->decided.post, &s->decided.plan);
    if (plan != NULL) {
        fuzz_require(s->in_message && plan->edit_count > 0 && !s->held.settings->dry_run,
                     "edits of a message");
        outcome = how == 'b' ? SESSION_FAILED : how == 's' ? SESSION_CUT_OFF : SESSION_DONE;
    }
    v = session_outcome(s, outcome, "4ABC");
    fuzz_require(v.kind == VERDICT_ACCEPT || v.kind == VERDICT_REPLY, "an answer at the end");
    check_verdict(&v);
    check_begun(s, &v);
    if (outcome != SESSION_DONE)
        fuzz_require(v.kind == VERDICT_REPLY && v.code[0] == '4', "the message must come again");
    session_end(s);
}

static void data(struct session *s)
{
    struct verdict v = session_data(s, NULL);

    check_begun(s, &v);
    check_verdict(&v);
    if (v.kind != VERDICT_CONTINUE)
        session_end(s);
}

static void recipient(struct session *s, struct span argument)
{
    /* "ADDRESS|MTA-ADDRESS|MAILER" */
    struct span rest = argument;
    const char *parts[3] = {NULL, NULL, NULL};
    struct verdict v;

    for (size_t i = 0; i < 3 && (i == 0 || rest.n > 0); i++) {
        size_t n = span_find(rest, '|');

        parts[i] = fuzz_own_cstr(span_sub(rest, 0, n));
        rest = span_sub(rest, n + 1, rest.n);
    }
    v = session_recipient(s, parts[0], parts[1], parts[2], "");

    fuzz_require(
        v.kind == VERDICT_CONTINUE ||
            (v.kind == VERDICT_REPLY && strcmp(v.code, "452") == 0 && !s->held.settings->dry_run),
        "a recipient goes on or comes again");
    check_verdict(&v);
}

static void begin(struct session *s, struct span argument, bool authenticated)
{
    size_t bar = span_find(argument, '|');
    const char *daemon_name = NULL;

    if (bar < argument.n)
        daemon_name = fuzz_own_cstr(span_sub(argument, bar + 1, argument.n));
    session_begin(s, fuzz_own_cstr(span_sub(argument, 0, bar)), daemon_name, authenticated);
}

static void field(struct session *s, struct span argument)
{
    size_t colon = span_find(argument, ':');

    session_field(s, fuzz_own_cstr(span_sub(argument, 0, colon)),
                  fuzz_own_cstr(span_sub(argument, colon + 1, argument.n)));
}

static void client(struct session *s, struct span argument)
{
    const char *text = fuzz_own_cstr(argument);
    struct sockaddr_in in = {.sin_family = AF_INET};
    struct sockaddr_in6 in6 = {.sin6_family = AF_INET6};
    struct sockaddr other = {.sa_family = AF_UNIX};

    if (inet_pton(AF_INET, text, &in.sin_addr) == 1)
        session_client(s, text, (const struct sockaddr *)&in);
    else if (inet_pton(AF_INET6, text, &in6.sin6_addr) == 1)
        session_client(s, text, (const struct sockaddr *)&in6);
    else if (strcmp(text, "unix") == 0)
        session_client(s, text, &other);
    else
        session_client(s, *text == '\0' ? "localhost" : text, NULL);
}

static void set_store(struct fake_host *fake, unsigned kind)
{
    struct store_error error;

    store_free(fake->store);
    fake->store = NULL;
    if (kind > 0)
        fake->store = store_new(kind == 1 ? "memory:" : "failing:", &error);
}

static struct session *connect_again(struct session *s, const struct milter_host *host)
{
    session_free(s);
    s = session_new(host);
    fuzz_require(s != NULL, "memory");
    return s;
}

static void call(struct session *s, struct fake_host *fake, char what, struct span argument)
{
    switch (what) {
    case 'c':
        client(s, argument);
        break;
    case 'm':
    case 'M':
        begin(s, argument, what == 'M');
        break;
    case 'r':
        recipient(s, argument);
        break;
    case 'f':
        field(s, argument);
        break;
    case 'd':
        data(s);
        break;
    case 'e':
    case 'b':
    case 's':
        end_message(s, what, fuzz_own_cstr(argument));
        break;
    case 'a':
        session_end(s);
        break;
    case 'g':
        fake->settings = argument.n > 0 ? fuzz_settings(fuzz_number(argument)) : NULL;
        break;
    case 't':
        /* Who replaces a store waits until nobody holds it. */
        if (fake->held == 0)
            set_store(fake, fuzz_number(argument) % 3);
        break;
    default:
        break;
    }
}

/* The next call: its line and those that continue it. */
static struct span take_call(struct span *rest)
{
    struct span call = *rest;
    size_t n = fuzz_line(rest).n;

    while (rest->n > 0 && (rest->p[0] == ' ' || rest->p[0] == '\t'))
        n += 1 + fuzz_line(rest).n;
    return span_sub(call, 0, n);
}

int LLVMFuzzerTestOneInput(const uint8_t *octets, size_t size)
{
    struct span rest = span_of((const char *)octets, size);
    struct fake_host fake = {fuzz_settings(0), NULL, 0};
    const struct milter_host host = {.self = &fake,
                                     .acquire = acquire,
                                     .release = release,
                                     .begin_edits = begin_edits,
                                     .end_edits = end_edits,
                                     .log = log_line,
                                     .now = now,
                                     .count = count,
                                     .store_took = store_took};
    struct session *s = connect_again(NULL, &host);

    while (rest.n > 0) {
        struct span line = take_call(&rest);
        struct span argument = span_sub(line, 1, line.n);

        if (argument.n > 0 && argument.p[0] == ' ')
            argument = span_sub(argument, 1, argument.n);
        if (line.n > 0 && line.p[0] == 'q')
            s = connect_again(s, &host);
        else if (line.n > 0)
            call(s, &fake, line.p[0], argument);
        fuzz_require(fake.held == (s->in_message && s->held.settings != NULL ? 1 : 0),
                     "settings are held during a message, and then only");
    }
    session_free(s);
    fuzz_require(fake.held == 0, "everything is given back");
    store_free(fake.store);
    fuzz_forget();
    return 0;
}

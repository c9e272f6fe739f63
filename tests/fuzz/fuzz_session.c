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
 *   a               abort
 *   q               the connection ends, another one begins
 *   g N             other settings from the next message on; "g" alone: the program is stopping
 *   t N             the store: 0 none, 1 memory, 2 failing
 */
#include "../store/fake_driver.h"
#include "configurations.h"
#include "fuzz.h"
#include "plan_check.h"

#include "daemon/log.h"
#include "daemon/metrics.h"
#include "milter/session.h"
#include "store/store.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <syslog.h>

const char *const fuzz_grammar[] = {
    "S=%C%T|%C%C%T%T|%C%C%T%c%T|%C%T%T%C%T%T|%c%c%c%S",
    "T=%m%r%d%f%e|%m%r%r%d%f%f%f%e|%m%r%c%d%f%c%e|%m%d%f%f%e|%m%f%r%f%f%f%e|%m%r%f%e%m%r%f%e",
    "C=|c 192.0.2.1\n|c\n|c unix\n|c host\n|c 2001:db8::1\n|g %n\n|g %n\nt 1\nc 192.0.2.1\n|t "
    "2\n|t 0\n|g\n",
    "c=%C|%C|%m|%r|d\n|%f|%e|q\n|a\n|%*\n|",
    "m=m %a@example.org\n|m %a-bounces@example.org\n|M a@b%|lists\n|m <>\n|m\n|m "
    "three+bounces-72@example.org\n|m x%|%*\n",
    "r=r %a@example.org\n|r <%a@example.org>\n|r x@y%|%a@example.org%|local\n|r "
    "%a+x@example.org\n|r reader@y.example\n|r %*\n",
    "d=d\n|d\n||",
    "f=|f Message-ID: <a@b>\n|f Message-ID:<%x>\n|f List-Id: <%a.example.org>\n|f Date: Wed, 4 Jul "
    "2007 16:49:58 +0900\n"
    "|f %h: %x\n|f %h:%x\n  %x\n|f From: %a-request@example.org\n|f X: %+x\n|%f%f|f\n",
    "h=Archived-At|List-Help|List-Post|X-List-Sequence|Message-ID-Hash|Subject|%*",
    "x=a|<https://x.example/>|NO|%*|%x%x|\"",
    "e=e\n|e\n|e <m@x>\n|b\n|a\n|e\n%e",
    "a=announce|club|major|one|two|three|four|add|reject|ignore|keeps|keeps2|sub|man|click|dev|dev-"
    "c|dev-d|team|crew|s1",
    "n=0|1|2|3|4|5|6|7",
    NULL,
};

/* The fake daemon. */
static struct settings *in_force; /* NULL: stopping */
static struct store *store;
static struct snapshot held;
static int holds;

/* These replace the functions of daemon/, which session.c calls. */
struct snapshot *snapshot_hold(void)
{
    if (in_force == NULL)
        return NULL;
    fuzz_require(holds == 0, "one hold at a time");
    holds++;
    held = (struct snapshot){.settings = in_force, .store = store, .generation = 1};
    return &held;
}

void snapshot_release(struct snapshot *snapshot)
{
    fuzz_require(snapshot == NULL || (snapshot == &held && holds == 1),
                 "each hold is released once");
    holds -= snapshot != NULL ? 1 : 0;
}

void log_line(int priority, const char *text)
{
    fuzz_require(priority <= LOG_INFO && *text != '\0' && strlen(text) < 100000, "a log line");
}

void log_repeated_error(const char *text)
{
    log_line(LOG_ERR, text);
}

void metrics_count(enum count what, uint64_t n)
{
    (void)n;
    fuzz_require(what < COUNTS, "a count");
}

void metrics_store_took(uint64_t nanoseconds)
{
    (void)nanoseconds;
}

static void check_verdict(const struct verdict *v)
{
    struct span text = span_cstr(v->text);
    if (v->kind != VERDICT_REPLY)
        return;
    fuzz_require(strlen(v->code) == 3 && (v->code[0] == '4' || v->code[0] == '5') &&
                     v->status[0] == v->code[0] && v->status[1] == '.',
                 "a reply");
    fuzz_require_text(text.n > 0 && text.n < 900 && span_is_printable_ascii(text), "its text",
                      text);
}

/* A transaction that has not begun with MAIL is deferred. */
static void check_begun(const struct session *s, const struct verdict *v)
{
    fuzz_require(s->snapshot != NULL || (v->kind == VERDICT_REPLY && v->code[0] == '4'),
                 "a message without MAIL comes again");
}

/* The end of a message, as callbacks.c does it; how: e or b. */
static void end_message(struct session *s, char how, const char *message_id)
{
    const struct plan *plan = session_decide(s, *message_id != '\0' ? message_id : NULL);
    const struct facts facts = {.settings = s->snapshot != NULL ? s->snapshot->settings : NULL,
                                .envelope = &s->envelope,
                                .header = &s->header};
    bool made = true;
    struct verdict v;
    if (s->snapshot != NULL && s->fault == NULL && s->decided != NULL &&
        s->decided->selection.role != ROLE_NONE)
        plan_check(&facts, &s->decided->selection, &s->decided->plan);
    if (plan != NULL) {
        fuzz_require(plan->edit_count > 0 && !s->snapshot->settings->dry_run, "edits of a message");
        made = how != 'b';
    }
    v = session_outcome(s, made);
    fuzz_require(v.kind == VERDICT_ACCEPT || v.kind == VERDICT_REPLY, "an answer at the end");
    check_verdict(&v);
    check_begun(s, &v);
    if (!made)
        fuzz_require(v.kind == VERDICT_REPLY && v.code[0] == '4', "the message must come again");
    session_end(s);
}

static void data(struct session *s)
{
    struct verdict v = session_check(s, true);
    check_begun(s, &v);
    check_verdict(&v);
    if (v.kind != VERDICT_CONTINUE)
        session_end(s);
}

static void recipient(struct session *s, struct span rest)
{
    const char *parts[3] = {NULL, NULL, NULL};
    struct verdict v;
    for (size_t i = 0; i < 3 && (i == 0 || rest.n > 0); i++)
        parts[i] = fuzz_own_cstr(fuzz_part(&rest, '|'));
    v = session_recipient(s, parts[0], parts[1], parts[2]);
    fuzz_require(v.kind == VERDICT_CONTINUE ||
                     (v.kind == VERDICT_REPLY && strcmp(v.code, "452") == 0 &&
                      !s->snapshot->settings->dry_run),
                 "a recipient goes on or comes again");
    check_verdict(&v);
}

static void begin(struct session *s, struct span argument, bool authenticated)
{
    bool has_name = span_find(argument, '|') < argument.n;
    const char *sender = fuzz_own_cstr(fuzz_part(&argument, '|'));
    session_begin(s, sender, has_name ? fuzz_own_cstr(argument) : NULL, authenticated);
}

static void field(struct session *s, struct span argument)
{
    const char *name = fuzz_own_cstr(fuzz_part(&argument, ':'));
    session_field(s, name, fuzz_own_cstr(argument));
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

static void set_store(unsigned kind)
{
    store_free(store, 60000);
    store = NULL;
    if (kind > 0)
        store = store_new(numbers_new(&fake_driver, kind == 1 ? "" : "failing", false));
}

static struct session *connect_again(struct session *s)
{
    session_free(s);
    s = session_new();
    s->queue_id = "4ABC";
    return s;
}

static void call(struct session *s, char what, struct span argument)
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
        end_message(s, what, fuzz_own_cstr(argument));
        break;
    case 'a':
        session_end(s);
        break;
    case 'g':
        in_force = argument.n > 0 ? fuzz_settings(fuzz_number(argument)) : NULL;
        break;
    case 't':
        /* The daemon replaces a store when no session holds it. */
        if (holds == 0)
            set_store(fuzz_number(argument) % 3);
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

void fuzz_input(struct span rest)
{
    struct session *s;
    in_force = fuzz_settings(0);
    store = NULL;
    s = connect_again(NULL);
    while (rest.n > 0) {
        struct span line = take_call(&rest);
        struct span argument = span_sub(line, 1, line.n);
        if (argument.n > 0 && argument.p[0] == ' ')
            argument = span_sub(argument, 1, argument.n);
        if (line.n > 0 && line.p[0] == 'q')
            s = connect_again(s);
        else if (line.n > 0)
            call(s, line.p[0], argument);
        fuzz_require(holds == (s->snapshot != NULL ? 1 : 0),
                     "settings are held during a message, and then only");
    }
    session_free(s);
    fuzz_require(holds == 0, "everything is given back");
    store_free(store, 60000);
}

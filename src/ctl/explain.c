/* mlmilterctl explain and filter: decide one message as the daemon does; print the decision, or the
 * message with the edits. */
#include "ctl/apply_stream.h"
#include "ctl/tool.h"
#include "ctl/why_not.h"
#include "mail/address.h"
#include "mail/message.h"
#include "plan/plan.h"
#include "plan/plan_print.h"
#include "store/store.h"
#include "store/url.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MBOX_LINE_MAX ((size_t)65536)

static char block[65536]; /* of the input */

struct decision {
    struct arena arena;
    struct settings *settings;
    const char *name;   /* of the input */
    int fd;             /* of the input */
    struct strbuf text; /* its begin: the header and perhaps more */
    struct message message;
    struct envelope envelope;
    struct facts facts;
    struct decided made;
    bool for_explain;          /* the store is only read, and may be missing (RULINGS 55) */
    struct strbuf store_fault; /* a note of explain */
    int status;                /* of the question to the store: an exit status */
};

static struct decision decision;

/* ---- the decision ---- */

/* Reads the header, and no more than a header may have: the input may have no end. Returns EX_OK,
 * or another exit status after a message. */
static int read_header(struct decision *d, const char *path)
{
    ssize_t n = 1;
    bool is_whole = false; /* a line that is no field ends the header */
    d->fd = open_input(path, &d->name);
    if (d->fd < 0)
        return EX_OSERR;
    while (n > 0 && d->text.len <= MBOX_LINE_MAX + HEADER_MAX_OCTETS && !is_whole) {
        n = read(d->fd, block, sizeof block);
        strbuf_add(&d->text, block, n > 0 ? (size_t)n : 0);
        message_split(&d->message, strbuf_span(&d->text));
        is_whole = span_find(d->message.rest, '\n') < d->message.rest.n;
    }
    if (n < 0) {
        report_error("%s: %s", d->name, strerror(errno));
        return EX_OSERR;
    }
    if (d->message.mbox_line.n <= MBOX_LINE_MAX)
        return EX_OK;
    report_error("%s: not a message: the \"From \" line does not end", d->name);
    return EX_DATAERR;
}

/* Returns the mailer of a recipient. Without a client and a mailer it is a local submission through
 * Postfix, whose cleanup names none (RULINGS 111). */
static enum mailer mailer_of(const char *name, bool has_client)
{
    if (name == NULL)
        return has_client ? MAILER_OTHER : MAILER_UNNAMED;
    return strcmp(name, "local") == 0 ? MAILER_LOCAL : MAILER_OTHER;
}

static void fill_facts(struct decision *d, const struct options *o, const struct client *client)
{
    struct span *deferred = arena_calloc(&d->arena, o->recipient_count, sizeof *deferred);
    envelope_begin(&d->envelope, d->settings, client, span_cstr(o->sender));
    /* The client still counts for the fields of a parent (RULINGS 27, 62). */
    d->envelope.defers_nobody = o->list != NULL || o->client == NULL;
    d->facts = (struct facts){.settings = d->settings,
                              .envelope = &d->envelope,
                              .header = &d->message.header,
                              .arrival = (int64_t)time(NULL),
                              .deferred = deferred};
    for (size_t i = 0; i < o->recipient_count; i++) {
        const struct recipient_option *r = &o->recipients[i];
        struct rcpt rcpt = {span_cstr(r->address), span_cstr(r->mta_address),
                            mailer_of(r->mta_mailer, o->client != NULL)};
        if (envelope_add_recipient(&d->envelope, &rcpt) != RECIPIENT_ACCEPTED)
            deferred[d->facts.deferred_count++] = address_bare(rcpt.argument);
    }
}

/* Asks the store, as decide_store.ask. explain goes on without an answer (RULINGS 55): this process
 * has other rights than the daemon. */
static void ask_store(void *self, struct decided *made)
{
    struct decision *d = self;
    bool read_only = d->for_explain || d->settings->dry_run;
    struct store_error error;
    d->status = become_user(d->settings);
    if (d->status != EX_OK)
        return;
    struct numbers *numbers = numbers_of_url(d->settings->store, read_only, &error);
    bool is_answered = numbers != NULL && post_ask(NULL, numbers, &made->selection, &made->post,
                                                   &made->record, &error) == 0;
    numbers_free(numbers);
    if (!is_answered && d->for_explain) {
        made->record.state = RECORD_NONE;
        strbuf_addf(&d->store_fault, "the store cannot be read: %s", error.text);
    } else if (!is_answered) {
        made->record.state = RECORD_FAILED;
        report_error("store: %s", error.text);
    }
}

/* Reads configuration and message, and decides. Returns EX_OK, or another exit status after a
 * message. */
static int decide_message(struct decision *d, const struct options *o, bool for_explain)
{
    const struct decide_store store = {ask_store, d};
    const struct list *forced = NULL;
    struct client client = {.has_address = o->client != NULL,
                            .local = o->client == NULL,
                            .authenticated = o->authenticated,
                            .daemon_name = span_cstr(o->daemon)};
    d->for_explain = for_explain;
    arena_init(&d->arena, 0);
    message_init(&d->message);
    envelope_init(&d->envelope);
    if (o->client != NULL && !trust_address_parse(span_cstr(o->client), &client.address)) {
        report_error("--client %s: expected an IPv4 or IPv6 address", o->client);
        return EX_USAGE;
    }
    d->settings = load_settings(o, SETTINGS_ALL, for_explain ? KEYS_IF_READABLE : KEYS_NEEDED);
    if (d->settings == NULL)
        return EX_CONFIG;
    if (o->list != NULL && (forced = find_list(d->settings, o->list)) == NULL)
        return EXIT_NO;
    d->status = read_header(d, o->arguments[0]);
    if (d->status != EX_OK)
        return d->status;
    fill_facts(d, o, &client);
    decide(&d->facts, forced, &store, &d->arena, &d->made);
    return d->status;
}

/* ---- explain ---- */

/* Prints an explanation or a difference, on a terminal with colours: each line in the colour of its
 * mark. */
static int print_marked_and_free(struct strbuf *lines)
{
    static const char *const marks[][2] = {
        {"+ ", "32"},    {"- ", "31"},        {"  + ", "32"},     {"  - ", "31"},
        {"list: ", "1"}, {"  error: ", "31"}, {"  note: ", "33"},
    };
    struct strbuf shown = STRBUF_INIT;
    for (struct span rest = strbuf_span(lines); rest.n > 0;) {
        struct span line = span_take_line(&rest);
        size_t i = 0, count = sizeof marks / sizeof marks[0];
        while (i < count && !span_starts_nocase(line, span_cstr(marks[i][0])))
            i++;
        if (i < count)
            add_rendered(&shown, line, marks[i][1]);
        else
            strbuf_add_span(&shown, line);
        strbuf_add_char(&shown, '\n');
    }
    strbuf_free(lines);
    return print_and_free(&shown, EX_OK);
}

int run_explain(const struct options *o)
{
    struct decision *d = &decision;
    struct strbuf out = STRBUF_INIT;
    int status = decide_message(d, o, true);
    if (status != EX_OK)
        return status;
    if (d->store_fault.len > 0)
        why_not_add(&d->made, strbuf_str(&d->store_fault));
    why_not_note(&d->made, &d->facts, o->client, &d->arena);
    if (d->settings->dry_run)
        why_not_add(&d->made, "dry_run is set: nothing of this is done");
    (o->json ? plan_print_json : plan_print_text)(&out, &d->facts, &d->made.selection,
                                                  &d->made.plan);
    return o->json ? print_and_free(&out, EX_OK) : print_marked_and_free(&out);
}

/* ---- filter ---- */

/* Reports in a line why no edit is made. */
static void report_unchanged(struct decision *d, const char *client)
{
    const struct selection *selection = &d->made.selection;
    const struct plan *plan = &d->made.plan;
    if (d->settings->dry_run) {
        report_error("the message is unchanged: dry_run is set (explain shows what would be done)");
    } else if (selection->role != ROLE_NONE) {
        report_error("the message is unchanged: its fields are as list %.*s has them (role %s)",
                     (int)selection->list->id.n, selection->list->id.p, role_name(selection->role));
    } else {
        why_not_note(&d->made, &d->facts, client, &d->arena);
        report_error("the message is unchanged: %s",
                     plan->note_count > 0 ? plan->notes[0].text : selection->reason);
    }
}

/* Prints the message: the begin with the edits, then the rest of the input. */
static int print_message(struct decision *d, const struct plan *plan)
{
    struct strbuf out = STRBUF_INIT;
    ssize_t n = 1;
    apply_stream(&d->message, plan, &out);
    while (n > 0) {
        print_more(strbuf_span(&out));
        strbuf_reset(&out);
        n = read(d->fd, block, sizeof block);
        strbuf_add(&out, block, n > 0 ? (size_t)n : 0);
    }
    if (n < 0)
        report_error("%s: %s", d->name, strerror(errno));
    return print_and_free(&out, n < 0 ? EX_OSERR : EX_OK);
}

int run_filter(const struct options *o)
{
    static const struct plan nothing = {.action = ACTION_ACCEPT};
    struct decision *d = &decision;
    struct strbuf out = STRBUF_INIT;
    int status = decide_message(d, o, false);
    if (status != EX_OK)
        return status;
    const struct plan *plan = d->settings->dry_run ? &nothing : &d->made.plan; /* RULINGS 72 */
    if (plan->action == ACTION_ACCEPT && plan->edit_count == 0)
        report_unchanged(d, o->client);
    if (plan->action == ACTION_ACCEPT && !o->diff)
        return print_message(d, plan);
    if (plan->action == ACTION_ACCEPT) {
        apply_stream_marked(&d->message, plan, &out);
        return print_marked_and_free(&out);
    }
    plan_print_reply(&out, plan);
    fprintf(stderr, "%s\n", strbuf_str(&out));
    strbuf_free(&out);
    return plan->action == ACTION_REJECT ? EX_DATAERR : EX_UNAVAILABLE;
}

/* mlmilterctl explain and filter: decide one message as the daemon does; print the decision, or the
 * message with the edits. */
#include "ctl/apply_stream.h"
#include "ctl/tool.h"
#include "mail/address.h"
#include "mail/message.h"
#include "plan/decide.h"
#include "plan/plan_print.h"
#include "spec/list_id.h"
#include "spec/mailbox.h"
#include "store/store.h"
#include "store/url.h"
#include "text/cursor.h"
#include "text/edit_distance.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct decision {
    struct arena arena;
    struct settings *settings;
    struct strbuf text; /* the message as it came */
    struct message message;
    struct envelope envelope;
    struct facts facts;
    struct decided made;
    bool for_explain;          /* the store is only read, and may be missing (RULINGS 55) */
    struct strbuf store_fault; /* a note of explain */
    int status;                /* of the question to the store: an exit status */
};

/* ---- the decision ---- */

/* Appends a whole input. Returns EX_OK, or EX_OSERR after a message. */
static int read_input(const char *path, struct strbuf *out)
{
    char block[65536];
    const char *name;
    ssize_t n = -1;
    int fd = open_input(path, &name);
    if (fd < 0)
        return EX_OSERR;
    while ((n = read(fd, block, sizeof block)) > 0)
        strbuf_add(out, block, (size_t)n);
    if (n < 0)
        report_error("%s: %s", name, strerror(errno));
    close(fd);
    return n < 0 ? EX_OSERR : EX_OK;
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
    bool look_only = d->for_explain || d->settings->dry_run;
    struct store_error error;
    d->status = become_user(d->settings);
    if (d->status != EX_OK)
        return;
    struct numbers *numbers = numbers_of_url(d->settings->store, look_only, &error);
    bool is_answered = numbers != NULL && post_ask(NULL, numbers, &made->selection, &made->post,
                                                   look_only, &made->record, &error) == 0;
    numbers_free(numbers);
    if (is_answered && d->for_explain) {
        (void)store_is_unwritable(d->settings, &d->store_fault);
    } else if (!is_answered && d->for_explain) {
        made->record.state = RECORD_NONE;
        strbuf_addf(&d->store_fault, "the store cannot be read: %s", error.text);
    } else if (!is_answered) {
        made->record.state = RECORD_FAILED;
        report_error("store: %s", error.text);
    }
}

/* Reads configuration and message, and decides. Returns EX_OK, or another exit status after a
 * message. Call decision_free in any case. */
static int decide_message(struct decision *d, const struct options *o, bool for_explain)
{
    const struct decide_store store = {ask_store, d};
    const struct list *forced = NULL;
    struct client client = {.has_address = o->client != NULL,
                            .local = o->client == NULL,
                            .authenticated = o->authenticated,
                            .daemon_name = span_cstr(o->daemon)};
    *d = (struct decision){.for_explain = for_explain};
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
    d->status = read_input(o->arguments[0], &d->text);
    if (d->status != EX_OK)
        return d->status;
    message_split(&d->message, strbuf_span(&d->text));
    fill_facts(d, o, &client);
    decide(&d->facts, forced, &store, &d->arena, &d->made);
    return d->status;
}

static void decision_free(struct decision *d)
{
    envelope_free(&d->envelope);
    message_free(&d->message);
    strbuf_free(&d->text);
    strbuf_free(&d->store_fault);
    settings_free(d->settings);
    arena_free(&d->arena);
}

/* ---- near misses: hints why the message matched no list ---- */

#define UNTRUSTED "but % is not in `trusted` (expected it there if it is the list manager's host)"

/* Adds a note to the plan, with a value for each "%". */
static void add_note(struct decision *d, const char *format, const struct span *values)
{
    struct plan *plan = &d->made.plan;
    struct strbuf text = STRBUF_INIT;
    for (; *format != '\0'; format++) {
        if (*format == '%')
            strbuf_add_span(&text, *values++);
        else
            strbuf_add_char(&text, *format);
    }
    if (plan->note_count < sizeof plan->notes / sizeof plan->notes[0])
        plan->notes[plan->note_count++] = (struct plan_note){false, strbuf_keep(&text, &d->arena)};
}

static void hint_list_id(struct decision *d, struct span id, struct span client)
{
    static const char *const formats[] = {
        [SELECT_LIST_ID] = "the List-Id is that of %, " UNTRUSTED,
        [SELECT_SENDER] = "the List-Id is that of %, but with select = \"sender\" the envelope "
                          "sender counts",
        [SELECT_RECIPIENT] = "the List-Id is that of %, but with select = \"recipient\" only mail "
                             "to % is the list's",
    };
    const struct list_index *index = &d->settings->index;
    const struct list *list = list_get(index, LIST_BY_ID, id);
    size_t near = 0;
    while (list == NULL && near < index->count && !edit_is_within(index->lists[near]->id, id, 2))
        near++;
    if (list != NULL)
        add_note(
            d, formats[list->select],
            (struct span[]){list->id, list->select == SELECT_RECIPIENT ? list->address : client});
    else if (near < index->count)
        add_note(d, "the List-Id is <%>, which is no list's; the nearest is <%>",
                 (struct span[]){id, index->lists[near]->id});
}

static void hint_sender(struct decision *d, struct span id, struct span client)
{
    const struct list_index *index = &d->settings->index;
    const struct envelope *envelope = &d->envelope;
    const struct list *best = NULL;
    size_t longest = 0;
    for (size_t i = 0; envelope->sender_mailbox.n > 0 && i < index->count; i++) {
        const struct list *list = index->lists[i];
        size_t length = list_derives_sender(list, envelope->sender_mailbox);
        if (length > longest && list->select != SELECT_RECIPIENT) {
            longest = length;
            best = list;
        }
    }
    if (best == NULL || (id.n > 0 && best->select == SELECT_LIST_ID)) /* see hint_list_id */
        return;
    add_note(d,
             envelope->trusted
                 ? "the envelope sender is made of the address of %, but there is no List-Id "
                   "(expected one by the list manager, or select = \"sender\" in the list)"
                 : "the envelope sender is made of the address of %, " UNTRUSTED,
             (struct span[]){best->id, client});
}

/* Returns how an address differs from that of a list, or NULL if it is not near. delimiters: of the
 * configuration. */
static const char *compare_addresses(struct span address, struct span list, struct span delimiters)
{
    struct span local = address_local(address), own = address_local(list);
    bool is_here = span_eq_nocase(address_domain(address), address_domain(list));
    if (own.n == 0 || (!is_here && !span_eq_nocase(local, own)))
        return NULL;
    if (!is_here)
        return "another domain (expected it in aliases, if mail to it reaches the list)";
    bool is_longer = local.n > own.n && span_starts_nocase(local, own);
    if (is_longer && span_find(delimiters, local.p[own.n]) < delimiters.n)
        return NULL; /* NAME-request: it is whole, on purpose */
    if (is_longer && strchr("+-=_", local.p[own.n]) != NULL)
        return "an addition (expected its delimiter in recipient_delimiter, if the MTA takes it "
               "off)";
    return edit_is_within(local, own, 1) ? "another spelling" : NULL;
}

static void hint_recipient(struct decision *d)
{
    const struct list_index *index = &d->settings->index;
    struct span mailbox = d->envelope.first_mailbox;
    for (size_t i = 0; mailbox.n > 0 && i < index->count; i++) {
        const struct list *list = index->lists[i];
        const char *difference =
            compare_addresses(mailbox, list->mailbox, d->settings->recipient_delimiter);
        if (difference == NULL)
            continue;
        add_note(d, "the recipient % is %, the address of %, with %",
                 (struct span[]){mailbox, list->address, list->id, span_cstr(difference)});
        return;
    }
}

/* Finds the list that To names, if no recipient was given. */
static void hint_no_recipient(struct decision *d)
{
    struct cursor c = cursor_of(header_first(&d->message.header, FIELD_TO, &d->arena));
    const struct list *list = NULL;
    struct span mailbox;
    while (list == NULL && mailbox_next(&c, &d->arena, &mailbox))
        list = list_get(&d->settings->index, LIST_BY_ADDRESS, mailbox);
    if (list != NULL)
        add_note(d,
                 span_eq_nocase(mailbox, list->mailbox)
                     ? "no --recipient was given; To has %, the address of %"
                     : "no --recipient was given; To has %, an alias of %",
                 (struct span[]){mailbox, list->id});
}

static void add_near_misses(struct decision *d, const char *client_text)
{
    const struct selection *selection = &d->made.selection;
    const struct header *header = &d->message.header;
    size_t place = header_find(header, FIELD_LIST_ID, 0);
    struct strbuf text = STRBUF_INIT;
    struct span id = {NULL, 0};
    strbuf_addf(&text, client_text != NULL ? "the client %s" : "local submission (\"local\")",
                client_text);
    struct span client = span_cstr(strbuf_keep(&text, &d->arena));
    bool is_feed = selection->rule == RULE_FEED || selection->rule == RULE_BELOW;
    if (place < header_count(header))
        (void)list_id_read(header_field(header, place).value, &d->arena, &id);
    /* The feed of an untrusted client may be a distribution by the list manager. */
    if (selection->role == ROLE_NONE || (is_feed && !d->envelope.trusted))
        hint_list_id(d, id, client);
    if (selection->role != ROLE_NONE)
        return;
    hint_sender(d, id, client);
    if (d->envelope.first_recipient.p == NULL && d->facts.deferred_count == 0)
        hint_no_recipient(d);
    else
        hint_recipient(d);
}

/* ---- explain ---- */

/* True if standard output is a terminal with colours, and NO_COLOR is unset or empty. */
static bool has_colours(void)
{
    const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
    return (no_color == NULL || *no_color == '\0') && term != NULL && *term != '\0' &&
           strcmp(term, "dumb") != 0 && isatty(STDOUT_FILENO);
}

/* Prints an explanation or a difference, on a terminal with colours: each line in the colour of its
 * mark. */
static int print_marked_and_free(struct strbuf *lines)
{
    /* The marks of lines, each with the sequence that sets its colour (ECMA-48, 8.3.117). */
    static const char *const colours[][2] = {
        {"+ ", "\033[32m"},       {"- ", "\033[31m"},    {"  + ", "\033[32m"},
        {"  - ", "\033[31m"},     {"list: ", "\033[1m"}, {"  error: ", "\033[31m"},
        {"  note: ", "\033[33m"},
    };
    size_t count = has_colours() ? sizeof colours / sizeof colours[0] : 0;
    struct strbuf shown = STRBUF_INIT;
    struct span rest = strbuf_span(lines);
    while (rest.n > 0) {
        struct span line = span_sub(rest, 0, span_find(rest, '\n'));
        size_t i = 0;
        while (i < count && !span_starts_nocase(line, span_cstr(colours[i][0])))
            i++;
        strbuf_addf(&shown, "%s%.*s%s\n", i < count ? colours[i][1] : "", (int)line.n, line.p,
                    i < count ? "\033[0m" : "");
        rest = span_sub(rest, line.n + 1, rest.n);
    }
    strbuf_free(lines);
    return print_and_free(&shown, EX_OK);
}

int run_explain(const struct options *o)
{
    struct decision d;
    struct strbuf out = STRBUF_INIT;
    int status = decide_message(&d, o, true);
    if (status == EX_OK) {
        if (d.store_fault.len > 0)
            add_note(&d, "%", (struct span[]){strbuf_span(&d.store_fault)});
        add_near_misses(&d, o->client);
        if (d.message.field_count == 0)
            add_note(&d, "the message has no header", NULL);
        if (d.settings->dry_run)
            add_note(&d, "dry_run is set: nothing of this is done", NULL);
        (o->json ? plan_print_json : plan_print_text)(&out, &d.facts, &d.made.selection,
                                                      &d.made.plan);
        status = o->json ? print_and_free(&out, EX_OK) : print_marked_and_free(&out);
    }
    decision_free(&d);
    return status;
}

/* ---- filter ---- */

int run_filter(const struct options *o)
{
    static const struct plan nothing = {.action = ACTION_ACCEPT};
    const struct plan *plan;
    struct decision d;
    struct strbuf out = STRBUF_INIT;
    int status = decide_message(&d, o, false);
    if (status == EX_OK && d.settings->dry_run)
        report_error("dry_run is set: the message is not changed (explain shows what would be "
                     "done)");
    plan = status == EX_OK && d.settings->dry_run ? &nothing : &d.made.plan; /* RULINGS 72 */
    if (status == EX_OK && plan->action != ACTION_ACCEPT) {
        plan_print_reply(&out, plan);
        fprintf(stderr, "%s\n", strbuf_str(&out));
        strbuf_reset(&out);
        status = plan->action == ACTION_REJECT ? EX_DATAERR : EX_UNAVAILABLE;
    } else if (status == EX_OK) {
        (o->diff ? apply_stream_marked : apply_stream)(&d.message, plan, &out);
    }
    decision_free(&d);
    if (status == EX_OK && o->diff)
        return print_marked_and_free(&out);
    return print_and_free(&out, status);
}

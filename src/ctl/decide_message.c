/* decide_message - see decide_message.h */
#include "ctl/decide_message.h"

#include "ctl/load.h"
#include "ctl/output.h"
#include "mail/address.h"
#include "store/question.h"
#include "store/url.h"

#include <string.h>
#include <sysexits.h>
#include <time.h>

static int read_client(const struct options *o, struct client *client)
{
    *client = (struct client){.local = o->client == NULL, .authenticated = o->authenticated};
    if (o->daemon != NULL)
        client->daemon_name = span_cstr(o->daemon);
    if (o->client == NULL)
        return EX_OK;
    client->has_address = trust_address_parse(span_cstr(o->client), &client->address);
    if (client->has_address)
        return EX_OK;
    report_error("--client %s: expected an IPv4 or IPv6 address", o->client);
    return EX_USAGE;
}

static void fill_envelope(struct decision *d, const struct options *o, const struct client *client)
{
    struct span *deferred = arena_calloc(&d->arena, o->recipient_count, sizeof *deferred);
    envelope_begin(&d->envelope, d->settings, client, span_cstr(o->sender));
    d->facts.deferred = deferred;
    /* RULINGS 62; it says nothing about the client, whom a parent's fields depend on (27). */
    d->envelope.defers_nobody = o->list != NULL;
    for (size_t i = 0; i < o->recipient_count; i++) {
        struct rcpt rcpt = {span_cstr(o->recipients[i].address),
                            span_cstr(o->recipients[i].mta_address), false};
        if (envelope_add_recipient(&d->envelope, &rcpt) != RECIPIENT_ACCEPTED)
            deferred[d->facts.deferred_count++] = address_bare(rcpt.argument);
    }
}

struct store_query {
    struct decision *decision;
    bool look_only;
    int status; /* exit status */
};

/* Asks the store, as decide_store.ask. explain goes on without an answer (RULINGS 55): its own
 * rights say nothing about the daemon's. */
static void ask_store(void *self, struct decided *made)
{
    struct store_query *query = self;
    const struct settings *settings = query->decision->settings;
    struct strbuf *note = &query->decision->store_note;
    struct store_error error;
    query->status = become_user(settings);
    if (query->status != EX_OK)
        return;
    bool look_only = query->look_only || settings->dry_run;
    struct numbers *numbers = numbers_of_url(settings->store, look_only, &error);
    bool is_answered = numbers != NULL && post_ask(NULL, numbers, &made->selection, &made->post,
                                                   look_only, &made->record, &error) == 0;
    numbers_free(numbers);
    if (is_answered) {
        if (query->look_only)
            (void)store_is_unwritable(settings, note);
    } else if (query->look_only) {
        made->record.state = RECORD_NONE;
        strbuf_addf(note, "the store cannot be read: %s", error.text);
    } else {
        made->record.state = RECORD_FAILED;
        report_error("store: %s", error.text);
    }
}

static int make_decision(struct decision *d, const struct options *o, bool look_only,
                         const struct client *client)
{
    struct store_query query = {d, look_only, EX_OK};
    const struct decide_store store = {ask_store, &query};
    const struct list *forced = o->list != NULL ? find_list(d->settings, o->list) : NULL;
    if (o->list != NULL && forced == NULL)
        return EXIT_NO;
    int status = read_input(o->arguments[0], &d->text);
    if (status != EX_OK)
        return status;
    message_split(&d->message, strbuf_span(&d->text));
    fill_envelope(d, o, client);
    d->facts.settings = d->settings;
    d->facts.envelope = &d->envelope;
    d->facts.header = &d->message.header;
    d->facts.arrival = (int64_t)time(NULL);
    decide(&d->facts, forced, &store, &d->arena, &d->made);
    return query.status;
}

int decide_message(struct decision *d, const struct options *o, bool look_only,
                   enum key_reading keys)
{
    struct client client;
    memset(d, 0, sizeof *d);
    arena_init(&d->arena, 0);
    message_init(&d->message);
    envelope_init(&d->envelope);
    int status = read_client(o, &client);
    if (status != EX_OK)
        return status;
    d->settings = load_settings(o, keys, NULL);
    return d->settings == NULL ? EX_CONFIG : make_decision(d, o, look_only, &client);
}

void decision_free(struct decision *d)
{
    envelope_free(&d->envelope);
    message_free(&d->message);
    strbuf_free(&d->text);
    strbuf_free(&d->store_note);
    settings_free(d->settings);
    arena_free(&d->arena);
}

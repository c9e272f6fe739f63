/* Taking a message through the core: see decision.h. */
#include "ctl/decision.h"

#include "ctl/configuration.h"
#include "ctl/input.h"
#include "ctl/report.h"
#include "ctl/user.h"
#include "mail/address.h"
#include "store/drivers.h"
#include "store/post_store.h"

#include <string.h>
#include <sysexits.h>
#include <time.h>

static void decision_init(struct decision *d)
{
    memset(d, 0, sizeof *d);
    arena_init(&d->arena, 0);
    strbuf_init(&d->text);
    message_init(&d->message);
    envelope_init(&d->envelope);
}

static void decision_free(struct decision *d)
{
    envelope_free(&d->envelope);
    message_free(&d->message);
    strbuf_free(&d->text);
    arena_free(&d->arena);
}

static void fill_envelope(struct decision *d, const struct settings *settings,
                          const struct transaction *t)
{
    struct span *deferred = arena_calloc(&d->arena, t->recipient_count, sizeof *deferred);
    envelope_begin(&d->envelope, settings, &t->client, span_cstr(t->sender));
    d->facts.deferred = deferred;
    /* RULINGS 62; it says nothing about the client, whom a parent's fields depend on (27). */
    d->envelope.defers_nobody = t->forced_list != NULL;
    for (size_t i = 0; i < t->recipient_count; i++) {
        struct rcpt rcpt = {span_cstr(t->recipients[i]), span_cstr(t->mta_recipients[i]), false};
        if (envelope_add_recipient(&d->envelope, &rcpt) != RECIPIENT_ACCEPTED)
            deferred[d->facts.deferred_count++] = address_bare(rcpt.argument);
    }
}

/* The context of ask_store. */
struct asker {
    struct decision *decision;
    const struct decision_kind *kind;
    int status; /* for the exit */
};

/* Handles an error of the store. explain goes on as if it had not asked (RULINGS 55): its own
 * rights say nothing about the daemon's. */
static void store_failed(const struct asker *asker, struct decided *made, const char *why)
{
    struct strbuf note = STRBUF_INIT;
    if (!asker->kind->look_only) {
        report_error("store: %s", why);
        made->record.state = RECORD_FAILED;
        return;
    }
    made->record.state = RECORD_NONE;
    strbuf_addf(&note, "the store cannot be read: %s", why);
    asker->decision->store_note = strbuf_keep(&note, &asker->decision->arena);
}

/* Notes that the store, which does not exist yet and is like an empty one, cannot be created. */
static void note_unwritable_store(const struct asker *asker)
{
    struct strbuf why = STRBUF_INIT;
    if (asker->kind->look_only && store_is_unwritable(asker->decision->facts.settings, &why))
        asker->decision->store_note = strbuf_keep(&why, &asker->decision->arena);
    strbuf_free(&why);
}

static void ask_store(void *self, struct decided *made)
{
    struct asker *asker = self;
    const struct settings *settings = asker->decision->facts.settings;
    bool look_only = asker->kind->look_only || settings->dry_run;
    struct store_error error;
    struct store *store;
    int result = -1;
    asker->status = user_become(settings);
    if (asker->status != EX_OK)
        return;
    store = store_new(settings->store, &error);
    if (store != NULL)
        result =
            post_ask_store(store, &made->selection, &made->post, look_only, &made->record, &error);
    store_free(store);
    if (result == 0)
        note_unwritable_store(asker);
    else
        store_failed(asker, made, error.text);
}

/* Splits the text and decides. Everything in *d borrows from d->text and the settings. */
static int make_decision(struct decision *d, const struct settings *settings,
                         const struct transaction *transaction, const struct list *forced,
                         const struct decision_kind *kind)
{
    struct asker asker = {.decision = d, .kind = kind, .status = EX_OK};
    const struct decide_store store = {ask_store, &asker};
    message_split(&d->message, strbuf_span(&d->text));
    fill_envelope(d, settings, transaction);
    d->facts.settings = settings;
    d->facts.envelope = &d->envelope;
    d->facts.header = &d->message.header;
    d->facts.arrival = (int64_t)time(NULL);
    decide(&d->facts, forced, &store, &d->arena, &d->made);
    return asker.status;
}

static int read_decide_write(const struct settings *settings, const struct transaction *transaction,
                             const struct decision_kind *kind)
{
    const struct list *forced = NULL;
    struct decision d;
    int status;
    if (transaction->forced_list != NULL) {
        forced = configuration_find_list(settings, transaction->forced_list);
        if (forced == NULL)
            return EXIT_NO;
    }
    decision_init(&d);
    status = input_read(transaction->file, &d.text);
    if (status == EX_OK)
        status = make_decision(&d, settings, transaction, forced, kind);
    if (status == EX_OK)
        status = kind->writer(&d, transaction);
    decision_free(&d);
    return status;
}

int decision_command(const struct decision_kind *kind, struct invocation *invocation, int argc,
                     char **argv)
{
    struct transaction transaction;
    int status = transaction_parse(&transaction, invocation, kind->own_option, argc, argv);
    if (status == EX_OK) {
        struct settings *settings = configuration_load(invocation, kind->keys);
        status = settings == NULL ? EX_CONFIG : read_decide_write(settings, &transaction, kind);
        settings_free(settings);
    }
    transaction_free(&transaction);
    return status;
}

/* Taking a message through the core: see decision.h. */
#include "ctl/decision.h"

#include "ctl/configuration.h"
#include "ctl/input.h"
#include "ctl/report.h"
#include "ctl/user.h"
#include "mail/address.h"
#include "store/drivers.h"
#include "store/post_store.h"

#include <stdarg.h>
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

static int fill_envelope(struct decision *d, const struct settings *settings,
                         const struct transaction *t)
{
    struct span *deferred = arena_calloc(&d->arena, t->recipient_count, sizeof *deferred);
    if (deferred == NULL ||
        envelope_begin(&d->envelope, settings, &t->client, span_cstr(t->sender)) != 0)
        return -1;
    d->facts.deferred = deferred;
    /* RULINGS 62; it says nothing about the client, whom a parent's fields depend on (27). */
    d->envelope.defers_nobody = t->forced_list != NULL;
    for (size_t i = 0; i < t->recipient_count; i++) {
        struct rcpt rcpt = {span_cstr(t->recipients[i]), span_cstr(t->mta_recipients[i]), false};
        enum recipient_answer answer = envelope_add_recipient(&d->envelope, &rcpt);
        if (answer == RECIPIENT_NO_MEMORY)
            return -1;
        if (answer != RECIPIENT_ACCEPTED)
            deferred[d->facts.deferred_count++] = address_bare(rcpt.argument);
    }
    return 0;
}

static int add_note(struct decision *d, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static int add_note(struct decision *d, const char *format, ...)
{
    struct strbuf text = STRBUF_INIT;
    char *note = NULL;
    va_list ap;
    va_start(ap, format);
    strbuf_addv(&text, format, ap);
    va_end(ap);
    if (!strbuf_failed(&text) && d->note_count < DECISION_NOTES_MAX)
        note = arena_strdup(&d->arena, strbuf_span(&text));
    strbuf_free(&text);
    if (note == NULL)
        return -1;
    d->notes[d->note_count++] = note;
    return 0;
}

/* For decide(): how the store is asked, and what became of it. */
struct asker {
    struct decision *decision;
    const struct decision_kind *kind;
    int status; /* for the exit */
};

/* The store said why not. explain goes on as if it had not asked (RULINGS 55): that it may not read
 * the store says nothing about the daemon. */
static int heed_store_error(const struct asker *asker, struct decided *made, const char *why)
{
    if (!asker->kind->look_only) {
        report_error("store: %s", why);
        made->record.state = RECORD_FAILED;
        return EX_OK;
    }
    made->record.state = RECORD_NONE;
    return add_note(asker->decision, "the store cannot be read: %s", why) == 0 ? EX_OK
                                                                               : report_no_memory();
}

/* A store that is not there yet is like an empty one; that it cannot be made is worth a word. 0 or
 * an exit status. */
static int note_unwritable_store(const struct asker *asker)
{
    struct strbuf why = STRBUF_INIT;
    int result = 0;
    if (asker->kind->look_only && store_is_unwritable(asker->decision->facts.settings, &why))
        result = add_note(asker->decision, "%s", strbuf_str(&why));
    strbuf_free(&why);
    return result == 0 ? EX_OK : report_no_memory();
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
    asker->status =
        result == 0 ? note_unwritable_store(asker) : heed_store_error(asker, made, error.text);
}

/* Splits the text and decides. Everything in *d borrows from d->text and the settings. */
static int make_decision(struct decision *d, const struct settings *settings,
                         const struct transaction *transaction, const struct list *forced,
                         const struct decision_kind *kind)
{
    struct asker asker = {.decision = d, .kind = kind, .status = EX_OK};
    const struct decide_store store = {ask_store, &asker};
    d->message.header.beyond = FIELD_LIST_ID;
    message_split(&d->message, strbuf_span(&d->text));
    if (fill_envelope(d, settings, transaction) != 0)
        return report_no_memory();
    d->facts.settings = settings;
    d->facts.envelope = &d->envelope;
    d->facts.header = &d->message.header;
    d->facts.arrival = (int64_t)time(NULL);
    if (decide(&d->facts, forced, &store, &d->arena, &d->made) != NULL)
        return report_no_memory();
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

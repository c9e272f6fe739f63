/* Taking a message through the core: see decision.h. */
#include "ctl/decision.h"

#include "ctl/configuration.h"
#include "ctl/input.h"
#include "ctl/report.h"
#include "ctl/store_fault.h"
#include "ctl/user.h"
#include "mail/address.h"
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

static int select_list(struct decision *d, const struct list *forced)
{
    if (forced != NULL)
        return selection_force(&d->facts, forced, &d->arena, &d->selection);
    return selection_make(&d->facts, &d->arena, &d->selection);
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

/* The store said why not. explain goes on as if it had not asked (RULINGS 55): that it may not read
 * the store says nothing about the daemon. */
static int heed_store_error(struct decision *d, const struct decision_kind *kind, const char *why)
{
    if (!kind->look_only) {
        report_error("store: %s", why);
        d->record.state = RECORD_FAILED;
        return EX_OK;
    }
    d->record.state = RECORD_NONE;
    return add_note(d, "the store cannot be read: %s", why) == 0 ? EX_OK : report_no_memory();
}

/* A store that is not there yet is like an empty one; that it cannot be made is worth a word. 0 or
 * an exit status. */
static int note_unwritable_store(struct decision *d, const struct decision_kind *kind)
{
    struct strbuf why = STRBUF_INIT;
    int result = 0;

    if (kind->look_only && store_is_unwritable(d->facts.settings, &why))
        result = add_note(d, "%s", strbuf_str(&why));
    strbuf_free(&why);
    return result == 0 ? EX_OK : report_no_memory();
}

static int ask_store(struct decision *d, const struct decision_kind *kind)
{
    const struct settings *settings = d->facts.settings;
    struct store_error error;
    struct store *store;
    int status = user_become(settings);
    int result = -1;

    if (status != EX_OK)
        return status;
    store = store_new(settings->store, &error);
    if (store != NULL) {
        result = post_ask_store(store, &d->selection, &d->post,
                                kind->look_only || settings->dry_run, &d->record, &error);
    }
    store_free(store);
    return result == 0 ? note_unwritable_store(d, kind) : heed_store_error(d, kind, error.text);
}

/* Splits the text and decides. Everything in *d borrows from d->text and the settings. */
static int decide(struct decision *d, const struct settings *settings,
                  const struct transaction *transaction, const struct list *forced,
                  const struct decision_kind *kind)
{
    int status = EX_OK;

    d->message.header.beyond = FIELD_LIST_ID;
    if (message_split(&d->message, strbuf_span(&d->text)) != 0 ||
        fill_envelope(d, settings, transaction) != 0)
        return report_no_memory();
    d->facts.settings = settings;
    d->facts.envelope = &d->envelope;
    d->facts.header = &d->message.header;
    d->facts.arrival = (int64_t)time(NULL);
    if (select_list(d, forced) != 0 ||
        post_identify(&d->facts, &d->selection, &d->arena, &d->post) != 0)
        return report_no_memory();
    if (d->post.asks_store)
        status = ask_store(d, kind);
    if (status != EX_OK)
        return status;
    if (plan_build(&d->facts, &d->selection, &d->post, &d->record, &d->arena, &d->plan) != 0)
        return report_no_memory();
    return EX_OK;
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
    status = input_read(NULL, &d.text);
    if (status == EX_OK)
        status = decide(&d, settings, transaction, forced, kind);
    if (status == EX_OK)
        status = kind->writer(&d, transaction);
    decision_free(&d);
    return status;
}

int decision_command(const struct decision_kind *kind, struct invocation *invocation, int argc,
                     char **argv)
{
    struct transaction transaction;
    int status =
        transaction_parse(&transaction, invocation, kind->command, kind->takes_json, argc, argv);

    if (status == EX_OK) {
        struct settings *settings = configuration_load(invocation, kind->keys);

        status = settings == NULL ? EX_CONFIG : read_decide_write(settings, &transaction, kind);
        settings_free(settings);
    }
    transaction_free(&transaction);
    return status;
}

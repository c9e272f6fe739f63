/* Taking a message through the core: see decision.h. */
#include "ctl/decision.h"

#include "ctl/configuration.h"
#include "ctl/input.h"
#include "ctl/report.h"

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

static int fill_envelope(struct envelope *e, const struct settings *settings,
                         const struct transaction *t)
{
    if (envelope_begin(e, settings, &t->client, span_cstr(t->sender)) != 0)
        return -1;
    /* RULINGS 24, 62: --list speaks for the list, whoever the client is, so nobody is deferred. */
    e->trusted = e->trusted || t->forced_list != NULL;
    for (size_t i = 0; i < t->recipient_count; i++) {
        if (envelope_add_recipient(e, span_cstr(t->recipients[i])) == RECIPIENT_NO_MEMORY)
            return -1;
    }
    return 0;
}

static int select_list(struct decision *d, const struct list *forced)
{
    if (forced != NULL)
        return selection_force(&d->facts, forced, &d->arena, &d->selection);
    return selection_make(&d->facts, &d->arena, &d->selection);
}

/* Splits the text and decides. Everything in *d borrows from d->text and the settings. */
static int decide(struct decision *d, const struct settings *settings,
                  const struct transaction *transaction, const struct list *forced)
{
    if (message_split(&d->message, strbuf_span(&d->text)) != 0 ||
        fill_envelope(&d->envelope, settings, transaction) != 0)
        return report_no_memory();
    d->facts.settings = settings;
    d->facts.envelope = &d->envelope;
    d->facts.header = &d->message.header;
    d->facts.arrival = (int64_t)time(NULL);
    if (select_list(d, forced) != 0 ||
        plan_build(&d->facts, &d->selection, &d->arena, &d->plan) != 0)
        return report_no_memory();
    return EX_OK;
}

static int read_decide_write(const struct settings *settings, const struct transaction *transaction,
                             decision_writer *writer)
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
        status = decide(&d, settings, transaction, forced);
    if (status == EX_OK)
        status = writer(&d, transaction);
    decision_free(&d);
    return status;
}

int decision_command(const char *command, bool takes_json, struct invocation *invocation, int argc,
                     char **argv, decision_writer *writer)
{
    struct transaction transaction;
    int status = transaction_parse(&transaction, invocation, command, takes_json, argc, argv);

    if (status == EX_OK) {
        struct settings *settings = configuration_load(invocation);

        status = settings == NULL ? EX_CONFIG : read_decide_write(settings, &transaction, writer);
        settings_free(settings);
    }
    transaction_free(&transaction);
    return status;
}

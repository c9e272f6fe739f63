/* decide - one decision from texts, for the tests of plan/ */
#include "decide.h"

#include "check.h"

#include <stdlib.h>

/* The store of tests is in memory, which is always built in; no test of plan/ opens it. */
static struct settings *load(const char *configuration, struct diagnostics *diagnostics)
{
    struct strbuf text = STRBUF_INIT;
    struct settings *settings;
    strbuf_add_str(&text, "store = \"sqlite:numbers.db\"\n");
    strbuf_add_str(&text, configuration);
    settings = settings_load(
        &(struct settings_request){.path = "test.conf", .text = strbuf_span(&text)}, diagnostics);
    strbuf_free(&text);
    return settings;
}

void decide_open(struct decide *d, const char *configuration)
{
    struct diagnostics diagnostics;
    struct strbuf text = STRBUF_INIT;
    memset(d, 0, sizeof *d);
    diagnostics_init(&diagnostics);
    d->settings = load(configuration, &diagnostics);
    for (size_t i = 0; d->settings == NULL && i < diagnostics.count; i++) {
        strbuf_reset(&text);
        diagnostics_format(&diagnostics, i, &text);
        print_error("%s\n", strbuf_str(&text));
    }
    strbuf_free(&text);
    diagnostics_free(&diagnostics);
    assert_non_null(d->settings);
    envelope_init(&d->envelope);
    message_init(&d->message);
    arena_init(&d->arena, 0);
    strbuf_init(&d->outcome);
}

void decide_close(struct decide *d)
{
    strbuf_free(&d->outcome);
    arena_free(&d->arena);
    message_free(&d->message);
    envelope_free(&d->envelope);
    settings_free(d->settings);
}

/* The next word of *text; .n is 0 at the end. */
static struct span next_word(struct span *text)
{
    struct span word;
    size_t n;
    *text = span_trim(*text);
    n = span_find(*text, ' ');
    word = span_sub(*text, 0, n);
    *text = span_sub(*text, n, text->n);
    return word;
}

/* The part of word behind "key=", if it begins so. */
static bool value_of(struct span word, const char *key, struct span *value)
{
    size_t n = strlen(key);
    if (word.n <= n || memcmp(word.p, key, n) != 0 || word.p[n] != '=')
        return false;
    *value = span_sub(word, n + 1, word.n);
    return true;
}

void decide_recipients(struct decide *d, const char *transaction, char *answers)
{
    static const char letters[] = {[RECIPIENT_ACCEPTED] = 'a',
                                   [RECIPIENT_LIST_DEFERRED] = 'd',
                                   [RECIPIENT_PRIVATE_DEFERRED] = 'p'};
    struct span rest = span_cstr(transaction), word, value;
    bool cleanup = false;
    d->facts.deferred = d->deferred;
    d->facts.deferred_count = 0;
    while ((word = next_word(&rest)).n > 0) {
        struct rcpt rcpt = {.mailer = cleanup ? MAILER_UNNAMED : MAILER_OTHER};
        struct span behind = rest;
        enum recipient_answer answer;
        cleanup = cleanup || span_eq(word, span_cstr("cleanup"));
        if (!value_of(word, "to", &rcpt.argument))
            continue;
        if (value_of(next_word(&behind), "mta", &value)) {
            rcpt.mta_address = value;
            word = next_word(&behind);
        }
        rcpt.mailer = span_eq(word, span_cstr("local")) ? MAILER_LOCAL : rcpt.mailer;
        answer = envelope_add_recipient(&d->envelope, &rcpt);
        if (answers != NULL)
            *answers++ = letters[answer];
        if (answer != RECIPIENT_ACCEPTED)
            d->deferred[d->facts.deferred_count++] = rcpt.argument;
    }
    if (answers != NULL)
        *answers = '\0';
}

static void begin_transaction(struct decide *d, const char *transaction)
{
    struct client client = {.local = true};
    struct span rest = span_cstr(transaction), sender = span_cstr(""), word, value;
    d->facts.mta_message_id = span_cstr("");
    while ((word = next_word(&rest)).n > 0) {
        if (value_of(word, "client", &value)) {
            client.has_address = trust_address_parse(value, &client.address);
            client.local = false;
            assert_true(client.has_address);
        }
        if (span_eq(word, span_cstr("auth")))
            client.authenticated = true;
        (void)value_of(word, "daemon", &client.daemon_name);
        (void)value_of(word, "from", &sender);
        (void)value_of(word, "msgid", &d->facts.mta_message_id);
    }
    envelope_begin(&d->envelope, d->settings, &client, sender);
    decide_recipients(d, transaction, NULL);
}

static void set_record(struct decide *d, const char *transaction)
{
    struct span rest = span_cstr(transaction), word, value;
    struct store_answer *answer = &d->record.answer;
    memset(&d->record, 0, sizeof d->record);
    while ((word = next_word(&rest)).n > 0) {
        if (span_eq(word, span_cstr("storefail")))
            d->record.state = RECORD_FAILED;
        else if (span_eq(word, span_cstr("next")))
            answer->is_new = true;
        else if (span_eq(word, span_cstr("reused")))
            answer->reused = true;
        else if (value_of(word, "number", &value))
            answer->number = strtoull(value.p, NULL, 10);
        else if (!span_eq(word, span_cstr("known")))
            continue;
        if (d->record.state == RECORD_NONE)
            d->record.state = RECORD_KNOWN;
    }
    if (answer->reused)
        memset(answer->first_fingerprint, 0xAB, sizeof answer->first_fingerprint);
}

static void describe(struct decide *d)
{
    /* In the order of enum selection_rule. */
    static const char *const rules[] = {"none",      "forced", "resent",  "recipient", "list-id",
                                        "ambiguous", "sender", "command", "command",   "contested",
                                        "recipient", "feed",   "contact", "feed"};
    _Static_assert(sizeof rules / sizeof rules[0] == RULE_COUNT, "a name for each rule");
    struct strbuf *out = &d->outcome;
    bool is_unknown = d->made.selection.list != NULL && d->made.selection.origin == ORIGIN_UNKNOWN;
    strbuf_reset(out);
    strbuf_add_str(out, role_name(d->made.selection.role));
    if (d->made.selection.list != NULL)
        strbuf_addf(out, " %.*s %s", (int)d->made.selection.list->id.n,
                    d->made.selection.list->id.p, rules[d->made.selection.rule]);
    strbuf_add_str(out, d->made.selection.command_response ? " response" : "");
    strbuf_add_str(out, is_unknown ? " removes only\n" : "\n");
    for (size_t i = 0; i < d->made.plan.edit_count; i++) {
        const struct edit *edit = &d->made.plan.edits[i];
        if (edit->op == EDIT_DELETE)
            strbuf_addf(out, "-%s %u|", field_name_text(edit->name), edit->index);
        else
            strbuf_addf(out, "+%s|", field_name_text(edit->name));
        strbuf_add_span(out, edit->value);
        strbuf_addf(out, " [%s]\n", edit->clause);
    }
    if (d->made.plan.action != ACTION_ACCEPT) {
        plan_print_reply(out, &d->made.plan);
        strbuf_add_char(out, '\n');
    }
    for (size_t i = 0; i < d->made.plan.note_count; i++)
        strbuf_addf(out, "%s %s\n", d->made.plan.notes[i].is_error ? "error" : "note",
                    d->made.plan.notes[i].text);
}

static void answer_question(void *self, struct decided *made)
{
    const struct decide *d = self;
    made->record = d->record;
}

const char *decide_message(struct decide *d, const char *transaction, const char *message)
{
    const struct decide_store store = {answer_question, d};
    struct span rest = span_cstr(transaction), word, value;
    const struct list *forced = NULL;
    arena_reset(&d->arena);
    message_free(&d->message);
    message_init(&d->message);
    begin_transaction(d, transaction);
    message_split(&d->message, span_cstr(message));
    d->facts.settings = d->settings;
    d->facts.envelope = &d->envelope;
    d->facts.header = &d->message.header;
    d->facts.arrival = 1183535398;
    while ((word = next_word(&rest)).n > 0) {
        if (value_of(word, "list", &value))
            forced = list_get(&d->settings->index, LIST_BY_ID, value);
    }
    set_record(d, transaction);
    decide(&d->facts, forced, &store, &d->arena, &d->made);
    describe(d);
    return strbuf_str(&d->outcome);
}

void decide_table(const char *configuration, const struct decide_row *rows, size_t count)
{
    struct decide d;
    decide_open(&d, configuration);
    for (size_t i = 0; i < count; i++) {
        char name[256];
        snprintf(name, sizeof name, "%s %s", rows[i].transaction, rows[i].message);
        check_row(name);
        check_str("outcome", rows[i].outcome,
                  decide_message(&d, rows[i].transaction, rows[i].message));
    }
    decide_close(&d);
    check_end();
}

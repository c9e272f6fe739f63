/* The decisions of plan/ that golden messages cannot show: times, {msg_id}, the store's word, long
 * headers, and the forms of a plan. plan.txt has their cases:
 *
 *     CONFIGURATION | TRANSACTION | FIELDS -> RESULT
 *
 * A transaction is words: "client=ADDRESS", without which it is local; "from=ADDRESS";
 * "to=ADDRESS" (repeatable); "cleanup", Postfix' local submission, before recipients;
 * "msgid=TEXT", {msg_id}; "list=ID", a forced list. The answer of the store: "number=N"; "next", N
 * is not given yet; "reused", the first fingerprint is all bytes AB; "known"; "failed". */
#include "table.h"

#include "config/load.h"
#include "mail/message.h"
#include "plan/plan.h"
#include "plan/plan_print.h"
#include "spec/base_n.h"
#include "text/strmap.h"

#include <stdlib.h>

/* ---- a decision ---- */

struct decision {
    struct settings *settings;
    struct envelope envelope;
    struct strbuf text;
    struct message message;
    struct facts facts;
    struct span deferred[8];
    char answers[8]; /* to the recipients */
    const struct list *forced;
    struct post_record record; /* the answer of the store, if the post asks it */
    struct decided made;
};

static struct arena configurations_arena;
static struct strmap configurations;

/* NAME | TEXT: the rows below know the configuration by its name. */
static void add_configuration(const struct span *in, struct strbuf *out)
{
    struct span *text = arena_alloc(&configurations_arena, sizeof *text);
    *text = arena_dup(&configurations_arena, in[1]);
    check_bool("a new name", true,
               strmap_put(&configurations, arena_dup(&configurations_arena, in[0]), text, NULL));
    (void)out;
}

static struct settings *load(struct span name)
{
    struct diagnostics diagnostics;
    struct strbuf text = STRBUF_INIT;
    const struct span *keys = strmap_get(&configurations, name);
    assert_non_null(keys);
    strbuf_addf(&text, "store = \"sqlite:numbers.db\"\nlists = {}\n%s", keys->p);
    diagnostics_init(&diagnostics);
    struct settings *settings = settings_load(
        &(struct settings_request){.path = "test.conf", .text = strbuf_span(&text)}, &diagnostics);
    for (size_t i = 0; i < diagnostics.count; i++) {
        strbuf_reset(&text);
        diagnostics_format(&diagnostics, i, &text);
        print_error("%s\n", strbuf_str(&text));
    }
    diagnostics_free(&diagnostics);
    strbuf_free(&text);
    assert_non_null(settings);
    return settings;
}

/* Takes the next word. Returns false at the end. */
static bool next_word(struct span *rest, struct span *word)
{
    *rest = span_trim(*rest);
    *word = span_sub(*rest, 0, span_find(*rest, ' '));
    *rest = span_sub(*rest, word->n, rest->n);
    return word->n > 0;
}

/* Sets *value if the word is "KEY=VALUE". */
static bool value_of(struct span word, const char *key, struct span *value)
{
    size_t n = strlen(key);
    if (!span_starts_nocase(word, span_cstr(key)))
        return false;
    *value = span_sub(word, n, word.n);
    return true;
}

static void take_store_word(struct post_record *record, struct span word)
{
    struct store_answer *answer = &record->answer;
    struct span value;
    if (value_of(word, "number=", &value))
        answer->number = (uint64_t)table_number(value);
    else if (span_eq(word, span_cstr("next")))
        answer->is_new = true;
    else if (span_eq(word, span_cstr("reused")))
        answer->reused = true;
    else if (span_eq(word, span_cstr("failed")))
        record->state = RECORD_FAILED;
    else if (!span_eq(word, span_cstr("known")))
        return;
    if (record->state == RECORD_NONE)
        record->state = RECORD_KNOWN;
    memset(answer->first_fingerprint, answer->reused ? 0xAB : 0, sizeof answer->first_fingerprint);
}

static void add_recipients(struct decision *d, struct span words)
{
    static const char letters[] = {[RECIPIENT_ACCEPTED] = 'a',
                                   [RECIPIENT_LIST_DEFERRED] = 'd',
                                   [RECIPIENT_PRIVATE_DEFERRED] = 'p'};
    struct rcpt rcpt = {.mailer = MAILER_OTHER};
    size_t count = 0;
    for (struct span word; next_word(&words, &word);) {
        if (span_eq(word, span_cstr("cleanup")))
            rcpt.mailer = MAILER_UNNAMED;
        if (!value_of(word, "to=", &rcpt.argument))
            continue;
        enum recipient_answer answer = envelope_add_recipient(&d->envelope, &rcpt);
        d->answers[count++] = letters[answer];
        if (answer != RECIPIENT_ACCEPTED)
            d->deferred[d->facts.deferred_count++] = rcpt.argument;
    }
}

static void begin_transaction(struct decision *d, struct span words)
{
    struct client client = {.local = true};
    struct span sender = span_cstr(""), value, word;
    for (struct span rest = words; next_word(&rest, &word);) {
        if (value_of(word, "client=", &value)) {
            client.has_address = trust_address_parse(value, &client.address);
            client.local = false;
            check_bool("an address", true, client.has_address);
        }
        if (value_of(word, "list=", &value))
            d->forced = list_get(&d->settings->index, LIST_BY_ID, value);
        (void)value_of(word, "from=", &sender);
        (void)value_of(word, "msgid=", &d->facts.mta_message_id);
        take_store_word(&d->record, word);
    }
    envelope_begin(&d->envelope, d->settings, &client, sender);
    add_recipients(d, words);
}

static void answer_question(void *self, struct decided *made)
{
    const struct decision *d = self;
    made->record = d->record;
}

static void begin(struct decision *d, const struct span *in)
{
    memset(d, 0, sizeof *d);
    strbuf_init(&d->text);
    d->settings = load(in[0]);
    d->facts = (struct facts){.settings = d->settings,
                              .envelope = &d->envelope,
                              .header = &d->message.header,
                              .mta_message_id = span_cstr(""),
                              .arrival = 1183535398,
                              .deferred = d->deferred};
    envelope_init(&d->envelope);
    message_init(&d->message);
    begin_transaction(d, in[1]);
    strbuf_add_span(&d->text, in[2]);
    strbuf_add_str(&d->text, "\n\n");
    message_split(&d->message, strbuf_span(&d->text));
    const struct decide_store store = {answer_question, d};
    decide(&d->facts, d->forced, &store, &table_arena, &d->made);
}

static void end(struct decision *d)
{
    message_free(&d->message);
    strbuf_free(&d->text);
    envelope_free(&d->envelope);
    settings_free(d->settings);
}

/* ---- what is shown of it ---- */

static void add_notes(const struct plan *plan, size_t from, size_t to, struct strbuf *out)
{
    for (size_t i = from; i < to; i++)
        strbuf_addf(out, "; %s %s", plan->notes[i].is_error ? "error" : "note",
                    plan->notes[i].text);
}

/* ROLE LIST; -FIELD NUMBER VALUE; +FIELD VALUE; REPLY; note TEXT; error TEXT */
static void decided(const struct span *in, struct strbuf *out)
{
    struct decision d;
    begin(&d, in);
    const struct selection *selection = &d.made.selection;
    const struct plan *plan = &d.made.plan;
    strbuf_add_str(out, role_name(selection->role));
    if (selection->list != NULL)
        strbuf_addf(out, " %s", selection->list->id.p);
    for (size_t i = 0; i < plan->edit_count; i++) {
        const struct edit *edit = &plan->edits[i];
        strbuf_addf(out, "; %c%s ", edit->op == EDIT_DELETE ? '-' : '+',
                    field_name_text(edit->name));
        if (edit->op == EDIT_DELETE)
            strbuf_addf(out, "%u ", edit->index);
        strbuf_add_span(out, edit->value);
    }
    strbuf_add_str(out, plan->action != ACTION_ACCEPT ? "; " : "");
    plan_print_reply(out, plan);
    add_notes(plan, 0, plan->note_count, out);
    end(&d);
}

/* REMOVED removed, ADDED added, NOTES notes; FIRST NOTE; LAST NOTE: a little memory is enough. */
static void counted(const struct span *in, struct strbuf *out)
{
    struct decision d;
    begin(&d, in);
    const struct plan *plan = &d.made.plan;
    strbuf_addf(out, "%zu removed, %zu added, %zu notes", plan->removed, plan->added,
                plan->note_count);
    add_notes(plan, 0, plan->note_count > 0, out);
    add_notes(plan, plan->note_count > 1 ? plan->note_count - 1 : 1, plan->note_count, out);
    check_bool("little memory", true, table_arena.used < 500000);
    end(&d);
}

/* For people: no value steers a terminal. U+009B begins a command to it, as ESC does. */
static void print_text(const struct span *in, struct strbuf *out)
{
    struct decision d;
    begin(&d, in);
    plan_print_text(out, &d.facts, &d.made.selection, &d.made.plan);
    end(&d);
}

/* A Message-ID cannot end a value or begin a line of the log. */
static void print_log(const struct span *in, struct strbuf *out)
{
    struct decision d;
    begin(&d, in);
    plan_print_log(out, &d.made.selection, &d.made.plan, span_eq(in[0], span_cstr("dry-run")));
    end(&d);
}

static void fingerprint(const struct span *in, struct strbuf *out)
{
    struct decision d;
    char text[2 * POST_KEY_OCTETS + 1];
    begin(&d, in);
    base16_encode(d.made.post.fingerprint, POST_FINGERPRINT_OCTETS, text);
    strbuf_addf(out, "%s ", text);
    base16_encode(d.made.post.key, POST_KEY_OCTETS, text);
    strbuf_add_str(out, text);
    end(&d);
}

/* Where the number comes from, and whether the store is asked. */
static void number_source(const struct span *in, struct strbuf *out)
{
    struct decision d;
    begin(&d, in);
    enum number_source source = d.made.post.number_source;
    if (source == NUMBER_FROM_SENDER)
        strbuf_addf(out, "sender %d", (int)d.made.selection.sender_number);
    else
        strbuf_add_str(out, source == NUMBER_FROM_STORE ? "store" : "none");
    strbuf_add_str(out, post_needs_store(&d.made.post) ? ", asks" : "");
    end(&d);
}

/* SENDER | ADDRESS */
static void number_of_sender(const struct span *in, struct strbuf *out)
{
    strbuf_addf(out, "%llu", (unsigned long long)sender_number(in[0], in[1]));
}

/* Each recipient: accepted, deferred because of another list, or because of a private recipient. */
static void recipients(const struct span *in, struct strbuf *out)
{
    struct decision d;
    begin(&d, in);
    strbuf_addf(out, "%s%s", d.answers, d.envelope.shares_header ? ", share the header" : "");
    end(&d);
}

static void may_be_ours(const struct span *in, struct strbuf *out)
{
    struct decision d;
    begin(&d, in);
    table_add_bool(out, envelope_may_be_ours(&d.envelope));
    end(&d);
}

/* ---- plans that no message makes ---- */

/* Nothing in a value or a note can end it, and neither can make the line endless. */
static void test_log_words(void **state)
{
    static char long_id[1200];
    const struct list list = {.id = CHECK_LITERAL("a%b.example.org")};
    const struct selection selection = {.role = ROLE_FEED, .list = &list};
    struct plan plan = {.message_id = CHECK_LITERAL("\"<a\"@b>"),
                        .notes = {{false, "50 % of \"a\" action=reject\n\x7F"}, {true, "the end"}},
                        .note_count = 2};
    struct strbuf out = STRBUF_INIT;
    (void)state;
    plan_print_log(&out, &selection, &plan, false);
    check_str("log",
              "list=a%25b.example.org role=feed message-id=%22<a%22@b> removed=0 added=0 "
              "action=accept note=\"50 %25 of %22a%22 action=reject%0A%7F\" error=\"the end\"",
              strbuf_str(&out));
    memset(long_id, ' ', sizeof long_id);
    for (size_t n = 998; n <= 999; n++) {
        strbuf_reset(&out);
        plan_print_word(&out, span_of(long_id, n));
        check_int("bytes", n == 998 ? 2994 : 2997, (long long)out.len);
        check_bool("cut", n == 999, span_ends_nocase(strbuf_span(&out), span_cstr("...")));
    }
    strbuf_free(&out);
    check_end();
}

/* RULINGS 87: notes that do not fit are left out. */
static void test_long_log(void **state)
{
    static char text[471];
    struct plan plan = {.note_count = PLAN_NOTES_MAX};
    const struct list list = {.id = CHECK_LITERAL("a.example.org")};
    const struct selection selection = {.role = ROLE_FEED, .list = &list};
    struct strbuf out = STRBUF_INIT;
    (void)state;
    memset(text, 'x', sizeof text - 1);
    for (size_t i = 0; i < PLAN_NOTES_MAX; i++)
        plan.notes[i] = (struct plan_note){false, text};
    strbuf_add_str(&out, "4ABC: ");
    plan_print_log(&out, &selection, &plan, false);
    check_int("17 fit", 66 + 17 * 478, (long long)out.len); /* 478 bytes each: 8,192 */
    strbuf_free(&out);
    check_end();
}

int main(void)
{
    static const struct table_function functions[] = {
        {"configurations", .call = add_configuration, .least = 2},
        {"decided", .call = decided, .least = 3},
        {"counted", .call = counted, .least = 3},
        {"printed as text", .call = print_text, .least = 3},
        {"printed for the log", .call = print_log, .least = 3},
        {"fingerprint and key", .call = fingerprint, .least = 3},
        {"source of the number", .call = number_source, .least = 3},
        {"sender_number", .call = number_of_sender, .least = 2},
        {"recipients", .call = recipients, .least = 2},
        {"envelope_may_be_ours", .call = may_be_ours, .least = 2},
        {"test_log_words", .test = test_log_words},
        {"test_long_log", .test = test_long_log},
    };
    arena_init(&configurations_arena, 0);
    strmap_init(&configurations, 1);
    int failed = table_run("plan.txt", functions, CHECK_COUNT(functions));
    strmap_free(&configurations);
    arena_free(&configurations_arena);
    return failed;
}

/* Each message that is answered is counted once, also when memory runs out in it (mlmilter(8):
 * METRICS) */
#include "check.h"
#include "config_help.h"

#include "milter/session.h"

static struct settings *in_force; /* NULL: stopping */
static uint64_t counts[HOST_COUNTS];

static struct held_settings acquire(void *self)
{
    return (struct held_settings){in_force, NULL, self};
}

static void release(void *self, struct held_settings held)
{
    (void)self;
    (void)held;
}

static void log_nothing(void *self, enum host_log level, const char *text)
{
    (void)self;
    (void)level;
    (void)text;
}

static int64_t now(void *self)
{
    (void)self;
    return 1183535398;
}

static void count(void *self, enum host_count what, uint64_t n)
{
    (void)self;
    counts[what] += n;
}

static void store_took(void *self, uint64_t nanoseconds)
{
    (void)self;
    (void)nanoseconds;
    fail_msg("there is no store");
}

static const struct milter_host host = {
    .acquire = acquire,
    .release = release,
    .log = log_nothing,
    .now = now,
    .count = count,
    .store_took = store_took,
};

static uint64_t sum(enum host_count first, enum host_count last)
{
    uint64_t all = 0;

    for (int i = (int)first; i <= (int)last; i++)
        all += counts[i];
    return all;
}

static uint64_t messages(void)
{
    return sum(COUNT_DISTRIBUTION_ACCEPT, COUNT_UNDECIDED_TEMPFAIL);
}

static uint64_t refusals(void)
{
    return sum(COUNT_REFUSED_TOO_LARGE, COUNT_REFUSED_STOPPING);
}

static const char lists[] =
    "list \"a.example.org\" { select = \"recipient\" address = \"a@example.org\"\n"
    "  archive = {\"https://a.example/\"} archived_at = {\"{archive}{message_id_hash}\"} }\n"
    "list \"f.example.org\" { address = \"f@example.org\" }\n";

static struct settings *load(const char *more)
{
    struct strbuf text = STRBUF_INIT;
    struct loaded l;

    strbuf_add_str(&text, "lists = {}\n");
    strbuf_add_str(&text, lists);
    strbuf_add_str(&text, more);
    l = load_text(strbuf_str(&text));
    strbuf_free(&text);
    assert_non_null(l.settings);
    diagnostics_free(&l.diagnostics);
    strbuf_free(&l.messages);
    return l.settings;
}

/* What callbacks.c does with a message whose edits could be sent. */
static struct verdict send(struct session *s, const char *recipient, const char *message_id)
{
    struct verdict v;

    session_begin(s, "<poster@example.net>", NULL, false);
    (void)session_recipient(s, recipient, NULL, NULL, "1");
    v = session_data(s, "1");
    if (v.kind == VERDICT_CONTINUE) {
        session_field(s, "Subject", "x");
        session_field(s, "List-Id", "<forged.example>");
        if (message_id != NULL)
            session_field(s, "Message-ID", message_id);
        (void)session_decide(s, NULL, "1");
        v = session_outcome(s, SESSION_DONE, "1");
    }
    session_end(s);
    return v;
}

static void test_outcomes(void **state)
{
    static const struct {
        const char *text, *options, *recipient, *message_id;
        enum host_count message, also;
    } rows[] = {
        {"stamped", "", "a@example.org", "<1@x>", COUNT_DISTRIBUTION_ACCEPT, HOST_COUNTS},
        {"cleaned", "", "f@example.org", "<1@x>", COUNT_FEED_ACCEPT, HOST_COUNTS},
        {"not ours", "", "x@example.org", "<1@x>", COUNT_NOT_OURS, COUNT_ACCEPTED_EARLY},
        {"dry-run", "dry_run = true", "a@example.org", "<1@x>", COUNT_DISTRIBUTION_DRY_RUN,
         HOST_COUNTS},
        {"dry-run, feed", "dry_run = true", "f@example.org", "<1@x>", COUNT_FEED_DRY_RUN,
         HOST_COUNTS},
        {"no id", "defaults { missing_message_id = \"reject\" }", "a@example.org", NULL,
         COUNT_DISTRIBUTION_REJECT, COUNT_REFUSED_NO_MESSAGE_ID},
        {"no id, feed", "defaults { missing_message_id = \"reject\" }", "f@example.org", NULL,
         COUNT_FEED_REJECT, COUNT_REFUSED_NO_MESSAGE_ID},
        {"no id, dry-run", "dry_run = true defaults { missing_message_id = \"reject\" }",
         "a@example.org", NULL, COUNT_DISTRIBUTION_DRY_RUN, HOST_COUNTS},
    };

    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        struct session *s;

        check_row(rows[i].text);
        in_force = load(rows[i].options);
        memset(counts, 0, sizeof counts);
        s = session_new(&host);
        (void)send(s, rows[i].recipient, rows[i].message_id);
        check_int("message", 1, (long long)counts[rows[i].message]);
        check_int("messages", 1, (long long)messages());
        if (rows[i].also != HOST_COUNTS)
            check_int("also", 1, (long long)counts[rows[i].also]);
        check_int("refusals", rows[i].also == COUNT_REFUSED_NO_MESSAGE_ID, (long long)refusals());
        check_int("errors", 0, (long long)sum(COUNT_ERROR_STORE, COUNT_ERROR_POST));
        check_int("removed", i < 2, (long long)counts[COUNT_FIELDS_REMOVED]);
        session_free(s);
        check_int("opened", 1, (long long)counts[COUNT_CONNECTION_OPENED]);
        check_int("closed", 1, (long long)counts[COUNT_CONNECTION_CLOSED]);
        settings_free(in_force);
    }
    check_end();
}

static void test_stopping(void **state)
{
    struct session *s = session_new(&host);

    (void)state;
    memset(counts, 0, sizeof counts);
    in_force = NULL;
    (void)send(s, "a@example.org", "<1@x>");
    assert_int_equal(counts[COUNT_UNDECIDED_TEMPFAIL], 1);
    assert_int_equal(counts[COUNT_REFUSED_STOPPING], 1);
    assert_int_equal(messages() + refusals(), 2);
    session_free(s);
}

/* The edits could not be made: the role is known, and it is deferred. */
static void test_not_done(void **state)
{
    struct session *s = session_new(&host);

    (void)state;
    memset(counts, 0, sizeof counts);
    in_force = load("");
    for (int i = 0; i < 2; i++) {
        session_begin(s, "<poster@example.net>", NULL, false);
        (void)session_recipient(s, i == 0 ? "a@example.org" : "f@example.org", NULL, NULL, "1");
        session_field(s, "List-Id", "<forged.example>");
        assert_non_null(session_decide(s, NULL, "1"));
        (void)session_outcome(s, i == 0 ? SESSION_FAILED : SESSION_CUT_OFF, "1");
        session_end(s);
    }
    assert_int_equal(counts[COUNT_DISTRIBUTION_TEMPFAIL], 1);
    assert_int_equal(counts[COUNT_REFUSED_ERROR], 1);
    assert_int_equal(counts[COUNT_ERROR_EDITS], 1);
    assert_int_equal(counts[COUNT_FEED_TEMPFAIL], 1);
    assert_int_equal(counts[COUNT_REFUSED_STOPPING], 1);
    assert_int_equal(messages(), 2);
    assert_int_equal(counts[COUNT_FIELDS_REMOVED] + counts[COUNT_FIELDS_ADDED], 0);
    session_free(s);
    settings_free(in_force);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_outcomes),
        cmocka_unit_test(test_stopping),
        cmocka_unit_test(test_not_done),

    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

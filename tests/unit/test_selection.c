/* Which list, in which role: RULINGS B, 77 */
#include "check.h"
#include "decide.h"

static const char configuration[] =
    "lists = {}\n"
    "trusted = {\"192.0.2.0/24\", \"daemon:out\", \"authenticated\", \"local\"}\n"
    "list \"dev.example.org\" { address = \"dev@example.org\" "
    "  command_addresses = {\"dev-request@example.org\"} }\n"
    "list \"dev-announce.example.org\" { address = \"dev-announce@example.org\" }\n"
    "list \"other.example.org\" { address = \"other@example.org\" }\n"
    "list \"alias.example.org\" { select = \"recipient\" address = \"alias@example.org\" "
    "  command_addresses = {\"alias-request@example.org\"} }\n"
    "list \"second.example.org\" { select = \"recipient\" address = \"second@example.org\" }\n"
    "list \"first.example.org\" { select = \"recipient\" address = \"first@example.org\" "
    "  crosspost = \"first\" }\n"
    "list \"maj.example.org\" { select = \"sender\" address = \"maj@example.org\" }\n"
    "list \"old.example.org\" { select = \"sender\" senders = {\"bounce@example.org\"} }\n";

struct row {
    const char *transaction;
    const char *header;  /* before "From: a@example.net" */
    const char *outcome; /* its first line */
};

static void check_rows(const struct row *rows, size_t count)
{
    struct decide d;

    decide_open(&d, configuration);
    for (size_t i = 0; i < count; i++) {
        char message[1024], first[256];
        const char *outcome;

        snprintf(message, sizeof message, "%sFrom: a@example.net\nMessage-ID: <1@a>\n\n",
                 rows[i].header);
        outcome = decide_message(&d, rows[i].transaction, message);
        snprintf(first, sizeof first, "%.*s", (int)strcspn(outcome, "\n"), outcome);
        check_row(rows[i].transaction);
        check_str("outcome", rows[i].outcome, first);
    }
    decide_close(&d);
    check_end();
}

/* LI-12, LI-13: a List-Id speaks only out of the mouth of a trusted client. RULINGS 23. */
static void test_list_id_needs_trust(void **state)
{
    static const struct row rows[] = {
        {"client=192.0.2.7", "List-Id: <dev.example.org>\n",
         "distribution dev.example.org list-id"},
        {"client=198.51.100.7", "List-Id: <dev.example.org>\n", "none"},
        {"client=198.51.100.7 daemon=out", "List-Id: <dev.example.org>\n",
         "distribution dev.example.org list-id"},
        {"client=198.51.100.7 daemon=Out", "List-Id: <dev.example.org>\n", "none"},
        {"client=198.51.100.7 auth", "List-Id: <dev.example.org>\n",
         "distribution dev.example.org list-id"},
        {"", "List-Id: <dev.example.org>\n", "distribution dev.example.org list-id"},
        {"", "List-Id: <unknown.example.org>\n", "none"},
        {"", "List-Id: dev.example.org\n", "none"},
        {"", "list-ID: \"x <other.example.org>\" (<other.example.org>) <DEV .Example.ORG>\n",
         "distribution dev.example.org list-id"}, /* LI-06, LI-10 */
        {"", "List-Id: <alias.example.org>\n", "none"},
    };

    (void)state;
    check_rows(rows, CHECK_COUNT(rows));
}

/* RULINGS 19, 75, 78 */
static void test_several_list_ids(void **state)
{
    static const struct row rows[] = {
        {"", "List-Id: <dev.example.org>\nList-Id: <DEV.example.org>\n",
         "distribution dev.example.org list-id"},
        {"from=other-bounces@example.org",
         "List-Id: <dev.example.org>\nList-Id: <other.example.org>\n",
         "distribution other.example.org list-id"},
        {"from=owner-other@example.org",
         "List-Id: <dev.example.org>\nList-Id: <other.example.org>\n",
         "distribution other.example.org list-id"},
        {"from=DEV+bounces-7-x=y@Example.org",
         "List-Id: <other.example.org>\nList-Id: <dev.example.org>\n",
         "distribution dev.example.org list-id"},
        {"from=dev-announce-bounces@example.org",
         "List-Id: <dev.example.org>\nList-Id: <dev-announce.example.org>\n",
         "distribution dev-announce.example.org list-id"},
        {"from=a@example.net", "List-Id: <other.example.org>\nList-Id: <dev.example.org>\n",
         "feed other.example.org ambiguous"},
        {"from=other@example.org", "List-Id: <other.example.org>\nList-Id: <dev.example.org>\n",
         "feed other.example.org ambiguous"},
        {"", "List-Id: <unknown.example.org>\nList-Id: <dev.example.org>\n",
         "distribution dev.example.org list-id"},
        {"", "List-Id: <maj.example.org>\nList-Id: <dev.example.org>\n",
         "distribution dev.example.org list-id"},
    };

    (void)state;
    check_rows(rows, CHECK_COUNT(rows));
}

/* RULINGS 69, 76, 77 */
static void test_sender(void **state)
{
    static const struct row rows[] = {
        {"from=maj-owner@example.org", "", "distribution maj.example.org sender"},
        {"from=owner-maj@example.org", "", "distribution maj.example.org sender"},
        {"from=maj@example.org", "", "none"},
        {"from=bounce@example.org", "", "distribution old.example.org sender"},
        {"from=BOUNCE@EXAMPLE.org", "", "distribution old.example.org sender"},
        {"client=198.51.100.7 from=bounce@example.org", "", "none"},
        {"from=bounce@example.org", "List-Id: <dev.example.org>\n",
         "distribution dev.example.org list-id"},
        {"from=bounce@example.org to=alias@example.org", "", "distribution old.example.org sender"},
        {"from=dev-bounces@example.org", "", "none"},
        {"from=<>", "", "none"},
    };

    (void)state;
    check_rows(rows, CHECK_COUNT(rows));
}

/* LI-09, LH-09, RULINGS 12 */
static void test_command_response(void **state)
{
    static const struct row rows[] = {
        {"from=dev-request@example.org", "", "distribution dev.example.org command response"},
        {"from=x@example.org", "From: \"a, b\" <x@y>, DEV-request@example.org (dev)\n",
         "distribution dev.example.org command response"},
        {"client=198.51.100.7 from=dev-request@example.org", "", "none"},
        {"client=198.51.100.7 from=dev-request@example.org to=dev@example.org", "",
         "feed dev.example.org feed"},
        {"from=dev-request@example.org", "List-Id: <other.example.org>\n",
         "distribution other.example.org list-id"},
        {"from=dev-request@example.org", "List-Id: <dev.example.org>\n",
         "distribution dev.example.org list-id response"},
        {"client=198.51.100.7 from=alias-request@example.org to=alias@example.org", "",
         "distribution alias.example.org recipient response"},
        {"from=<>", "Auto-Submitted: auto-replied\n", "none"},
    };

    (void)state;
    check_rows(rows, CHECK_COUNT(rows));
}

/* A recipient decides, or nothing: RULINGS 20, 21 */
static void test_recipients(void **state)
{
    static const struct row rows[] = {
        {"client=198.51.100.7 to=ALIAS@example.ORG", "",
         "distribution alias.example.org recipient"},
        {"client=198.51.100.7 to=<alias@example.org>", "List-Id: <dev.example.org>\n",
         "distribution alias.example.org recipient"},
        {"client=198.51.100.7 to=alias+tag@example.org", "", "none"},
        {"client=198.51.100.7 to=dev@example.org", "", "feed dev.example.org feed"},
        {"to=dev@example.org", "", "feed dev.example.org feed"},
        {"to=dev@example.org", "List-Id: <dev.example.org>\n",
         "distribution dev.example.org list-id"},
        {"client=198.51.100.7 to=maj@example.org", "", "feed maj.example.org feed"},
        {"client=198.51.100.7 to=x@y to=other@example.org to=dev@example.org", "",
         "feed other.example.org feed"},
        {"to=dev@example.org to=alias@example.org", "", "distribution alias.example.org recipient"},
        {"client=198.51.100.7 to=x@example.net", "", "none"},
        {"client=198.51.100.7", "", "none"},
        {"client=198.51.100.7 to=x@y list=dev.example.org", "",
         "distribution dev.example.org forced"}, /* RULINGS 24 */
    };

    (void)state;
    check_rows(rows, CHECK_COUNT(rows));
}

/* RULINGS 22 */
static void test_crosspost(void **state)
{
    static const struct {
        const char *transaction;
        const char *answers; /* "a" accepted, "d" deferred, for each recipient */
        bool crosspost_first;
    } rows[] = {
        {"client=198.51.100.7 to=alias@example.org to=second@example.org", "ad", false},
        {"client=198.51.100.7 to=alias@example.org to=Alias@example.org", "aa", false},
        {"client=198.51.100.7 to=dev@example.org to=other@example.org", "aa", false},
        {"client=198.51.100.7 to=dev@example.org to=alias@example.org", "ad", false},
        {"client=198.51.100.7 to=alias@example.org to=dev@example.org", "ad", false},
        {"client=198.51.100.7 to=alias@example.org to=dev@example.org to=dev@example.org", "add",
         false},
        {"client=198.51.100.7 to=alias@example.org to=x@y to=second@example.org", "aad", false},
        {"client=198.51.100.7 to=alias@example.org to=first@example.org", "aa", true},
        {"client=198.51.100.7 to=first@example.org to=alias@example.org", "ad", false},
        {"client=198.51.100.7 auth to=alias@example.org to=second@example.org", "aa", true},
        {"client=192.0.2.1 to=alias@example.org to=second@example.org", "aa", true},
        {"to=alias@example.org to=second@example.org", "aa", true},
        /* a deferred list counts as not there */
        {"client=198.51.100.7 to=dev@example.org to=alias@example.org to=other@example.org", "ada",
         false},
    };
    struct decide d;

    (void)state;
    decide_open(&d, configuration);
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        struct span rest = span_cstr(strstr(rows[i].transaction, "to="));
        char client[64], answers[8] = "";

        snprintf(client, sizeof client, "%.*s",
                 (int)(strstr(rows[i].transaction, "to=") - rows[i].transaction),
                 rows[i].transaction);
        (void)decide_message(&d, client, "\n");
        for (size_t n = 0; rest.n > 0; n++) {
            size_t end = span_find(rest, ' ');
            struct span address = span_sub(rest, 3, end - 3);
            bool deferred = envelope_add_recipient(&d.envelope, address) == RECIPIENT_DEFERRED;

            answers[n] = deferred ? 'd' : 'a';
            rest = span_sub(rest, end + 1, rest.n);
        }
        check_row(rows[i].transaction);
        check_str("answers", rows[i].answers, answers);
        check_bool("crosspost_first", rows[i].crosspost_first, d.envelope.crosspost_first);
    }
    (void)decide_message(&d, "client=198.51.100.7 to=alias@example.org to=second@example.org",
                         "\n");
    envelope_let_in(&d.envelope, span_cstr("<Second@example.org>"));
    check_row("let in after all");
    check_bool("deferred", false, d.envelope.lists[1].deferred);
    check_bool("several recipients", true, d.envelope.several_recipients);
    check_bool("crosspost_first", true, d.envelope.crosspost_first);
    decide_close(&d);
    check_end();
}

/* mlmilter(8), PROTOCOL: what can be accepted before its header is seen */
static void test_may_be_ours(void **state)
{
    static const struct {
        const char *transaction;
        bool expected;
    } rows[] = {
        {"client=198.51.100.7 to=x@y", false},
        {"client=198.51.100.7", false},
        {"client=198.51.100.7 to=x@y to=dev@example.org", true},
        {"client=192.0.2.1 to=x@y", true},
        {"to=x@y", true},
    };
    struct decide d;

    (void)state;
    decide_open(&d, configuration);
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        (void)decide_message(&d, rows[i].transaction, "\n");
        check_row(rows[i].transaction);
        check_bool("may be ours", rows[i].expected, envelope_may_be_ours(&d.envelope));
    }
    decide_close(&d);
    decide_open(&d, "lists = {}\nlist \"a.example.org\" { select = \"recipient\" "
                    "address = \"a@example.org\" }\n");
    (void)decide_message(&d, "to=x@y", "\n");
    check_row("only lists that the MTA expands: trust does not matter");
    check_bool("may be ours", false, envelope_may_be_ours(&d.envelope));
    decide_close(&d);
    check_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_list_id_needs_trust),
        cmocka_unit_test(test_several_list_ids),
        cmocka_unit_test(test_sender),
        cmocka_unit_test(test_command_response),
        cmocka_unit_test(test_recipients),
        cmocka_unit_test(test_crosspost),
        cmocka_unit_test(test_may_be_ours),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* A plan for programs, for people and for the log: RULINGS 3, 4, 41, mlmilter(8) */
#include "check.h"
#include "decide.h"

#define HASH "RSZCG7IGPHFIRW3EMTVMMDNJMNCVCOLE" /* of 12345 */

static const char configuration[] =
    "lists = {}\n"
    "list \"a.example.org\" { select = \"recipient\" address = \"a@example.org\"\n"
    "description = \"J\xC3\xB6rg\" duplicate_message_id = \"reject\"\n"
    "archived_at = {\"https://b.example/{message_id_hash}\"} }\n"
    "list \"n.example.org\" { select = \"recipient\" address = \"n@example.org\"\n"
    "sequence = true reused_message_id = \"reject\" }\n"
    "list \"b.example.org\" { select = \"recipient\" address = \"b@example.org\" }\n";

static const char post[] = "List-Id: \xE9\xC3\xA9 \"\x01\n\t<x.y>\n"
                           "List-Unsubscribe: (c) <https://evil.example/ x>, <mailto:e@x>, z\n"
                           "Message-ID: <12345>\n\n";

typedef void printer(struct strbuf *out, const struct decide *d);

/* For people: no value steers a terminal. U+009B begins a command to it, as ESC does. */
static void print_text(struct strbuf *out, const struct decide *d)
{
    plan_print_text(out, &d->facts, &d->made.selection, &d->made.plan);
}

/* A Message-ID cannot end a value or begin a line of the log. */
static void print_log(struct strbuf *out, const struct decide *d)
{
    plan_print_log(out, &d->made.selection, &d->made.plan, false);
}

static void print_dry_log(struct strbuf *out, const struct decide *d)
{
    plan_print_log(out, &d->made.selection, &d->made.plan, true);
}

static void test_print(void **state)
{
    static const struct {
        printer *print;
        const char *transaction, *message, *expected;
    } rows[] = {
        {print_text, "to=b@example.org",
         "Message-ID: <12345>\nX-Message-ID-Header: x\nList-Help: "
         "\x1B[1m\xC2\x9B\x31m\xC2\xA0\x7F\n\n",
         "list:   b.example.org\n"
         "role:   distribution\n"
         "why:    a recipient is the list, which the MTA expands\n"
         "action: accept, 2 removed, 2 added\n"
         "  - X-Message-ID-Header: x  [SU-08]\n"
         "  - List-Help:           ?[1m?1m\xC2\xA0?  [LH-08]\n"
         "  + Message-ID-Hash:     " HASH "  [SU-01]\n"
         "  + List-Id:             <b.example.org>  [LI-09]\n"},
        {print_text, "to=a@example.org", "Message-ID: <1>\nMessage-ID: <2>\n\n",
         "list:   a.example.org\n"
         "role:   distribution\n"
         "why:    a recipient is the list, which the MTA expands\n"
         "action: reject, 550 5.7.1 List a.example.org: a post must have only one Message-ID "
         "field\n"},
        {print_log, "to=a@example.org", post,
         "list=a.example.org role=distribution message-id=<12345> hash=" HASH
         " archived-at=https://b.example/" HASH " removed=2 added=3 action=accept"},
        {print_dry_log, "to=b@example.org", "Message-ID: <a b%\xC3\n\taction=reject\x01>\n\n",
         "list=b.example.org role=distribution message-id=<a%20b%25%C3%09action=reject%01> "
         "hash=UVSRECVW4UZUK6MS35WHNZVBA3AYX6TA removed=0 added=2 action=accept dry-run=yes"},
        {print_log, "to=a@example.org", "Message-ID: <1>\nMessage-ID: <2>\n\n",
         "list=a.example.org role=distribution message-id=<1> hash=GVVBSK3ZCOYEYVCXJUMMFDKG4Y4VIKFL"
         " removed=0 added=0 action=reject reply=List%20a.example.org:%20a%20post%20must%20have"
         "%20only%20one%20Message-ID%20field"},
        /* SU-21, SU-23, RULINGS 32 */
        {print_log, "to=n@example.org storefail", "Message-ID: <12345>\n\n",
         "list=n.example.org role=distribution message-id=<12345> hash=" HASH
         " removed=0 added=0 action=tempfail reply=List%20n.example.org:%20the%20store%20of"
         "%20its%20posts%20failed,%20please%20try%20again%20later"},
        {print_log, "to=n@example.org reused number=72", "Message-ID: <12345>\n\n",
         "list=n.example.org role=distribution message-id=<12345> hash=" HASH
         " removed=0 added=0 sequence=72 action=reject "
         "reply=List%20n.example.org:%20another%20post%20has%20this%20Message-ID%20already "
         "error=\"the Message-ID is that of another post (SU-23): fingerprint "
         "784905282b7ee0845bbfa3c0edec4969755ec601, was "
         "abababababababababababababababababababab\""},
    };
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        struct strbuf out = STRBUF_INIT;
        struct decide d;
        decide_open(&d, configuration);
        (void)decide_message(&d, rows[i].transaction, rows[i].message);
        rows[i].print(&out, &d);
        check_row(rows[i].transaction);
        check_str("printed", rows[i].expected, strbuf_str(&out));
        strbuf_free(&out);
        decide_close(&d);
    }
    check_end();
}

/* Nothing in a value or a note can end it, and neither can make the line endless. */
static void test_log_words(void **state)
{
    static char long_id[1200];
    const struct list list = {.id = CHECK_LITERAL("a%b.example.org")};
    const struct selection selection = {.role = ROLE_FEED, .list = &list};
    struct plan plan = {.message_id = CHECK_LITERAL("\"<a\"@b>"),
                        .notes =
                            {
                                {false, "50 % of \"a\" action=reject\n\x7F"},
                                {true, "the end"},
                            },
                        .note_count = 2};
    struct strbuf out = STRBUF_INIT;
    (void)state;
    plan_print_log(&out, &selection, &plan, false);
    check_str("log",
              "list=a%25b.example.org role=feed message-id=%22<a%22@b> removed=0 added=0 "
              "action=accept note=\"50 %25 of %22a%22 action=reject%0A%7F\" "
              "error=\"the end\"",
              strbuf_str(&out));
    memset(long_id, ' ', sizeof long_id);
    for (size_t n = 998; n <= 999; n++) {
        strbuf_reset(&out);
        plan_print_word(&out, span_of(long_id, n));
        check_int("octets", n == 998 ? 2994 : 2997, (long long)out.len);
        check_bool("cut", n == 999, strncmp(strbuf_str(&out) + out.len - 3, "...", 3) == 0);
    }
    strbuf_free(&out);
    check_end();
}

/* RULINGS 87: notes that do not fit are left out. */
static void test_long_log(void **state)
{
    static char text[471];
    struct plan plan = {.note_count = PLAN_NOTES_MAX};
    struct list list = {.id = span_cstr("a.example.org")};
    struct selection selection = {.role = ROLE_FEED, .list = &list};
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
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_print),
        cmocka_unit_test(test_log_words),
        cmocka_unit_test(test_long_log),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

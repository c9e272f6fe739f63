/* Known answers and limits of plan/, which golden messages cannot show: ids and fingerprints that
 * are made with the time of arrival or kept by the store, and headers of a megabyte */
#include "check.h"
#include "decide.h"

#include "spec/base_n.h"

#define ID   "Message-ID: <12345>\n"
#define DATE "Date: Wed, 04 Jul 2007 16:49:58 +0900\n"

static const char configuration[] =
    "lists = {} defaults { duplicate_message_id = \"delete\" }\n"
    "list \"a.example.org\" { select = \"recipient\" address = \"a@example.org\"\n"
    "  reused_message_id = \"omit\" command_addresses = {\"a-owner@example.org\"} }\n"
    "list \"m.example.org\" { address = \"m@example.org\" help = {\"mailto:h@example.org\"}\n"
    "  archived_at = {\"https://a.example/{message_id_hash}\"} }\n";

/* SU-02, AT-11, RULINGS 7: the known answers are SHA-1 computed elsewhere over the same texts */
static void test_missing_message_id(void **state)
{
#define POST_REST "From: a@b\nTo: c@d\nSubject: An\n important message\n\n"
    static const struct {
        const char *transaction;
        const char *message;
        const char *id;
    } rows[] = {
        {"to=a@example.org", DATE POST_REST, "<kcb3eqklonf5cmdknoqjfovrceury7zh@example.org>"},
        {"client=198.51.100.7 to=a@example.org",
         "X-Other: y\nDate:  Wed, 04 Jul 2007 16:49:58 +0900\nTo: c@d\nFrom: a@b\n"
         "Subject: An important message\n\n",
         "<kcb3eqklonf5cmdknoqjfovrceury7zh@example.org>"},
        {"to=a@example.org", "Received: one\nFrom: a@b\nReceived: two\n\n",
         "<qgyn6d665ds6idabnphyevpmicmffsik@example.org>"},
        {"list=m.example.org", "Received: x\n" POST_REST,
         "<jygdrnxpi5p6vlhldx546kdb4dgw7t4r@example.org>"},
        /* without Date and Received the time of arrival */
        {"list=m.example.org", POST_REST, "<hr4vdcgsjt6iofaqpyu3h7543dazbwuo@example.org>"},
        {"to=a@example.org", "From: a@b\n\n", "<o5obsvo7v3oa336jzrposemvks77bldb@example.org>"},
        /* an empty Date is not a missing one */
        {"to=a@example.org", "Received: one\nDate:\nFrom: a@b\n\n",
         "<xng3ngaze4754253bbddj7autcr24e5k@example.org>"},
    };
    struct decide d;
    (void)state;
    decide_open(&d, configuration);
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        char name[512];
        snprintf(name, sizeof name, "%s %s", rows[i].transaction, rows[i].message);
        check_row(name);
        (void)decide_message(&d, rows[i].transaction, rows[i].message);
        check_str("generated id", rows[i].id,
                  d.made.plan.edit_count > 0 ? d.made.plan.edits[0].value.p : NULL);
    }
    decide_close(&d);
    check_end();
}

/* RULINGS 115: {msg_id} is the id that Sendmail adds, unless there is a Resent- field */
static void test_resent_message_id(void **state)
{
    static const struct {
        const char *header;
        const char *id;
    } rows[] = {
        {DATE, "<mta@x>"},
        {DATE "Resent-From: a@b\n", "<lzaiswqq355ewfesrsydqipqcwftdomo@example.org>"},
        {DATE "RESENT-Message-ID: <r@x>\n", "<lzaiswqq355ewfesrsydqipqcwftdomo@example.org>"},
        {DATE "X-Resent-From: a@b\n", "<mta@x>"},
        {ID DATE "Resent-From: a@b\n", "<12345>"},
    };
    struct decide d;
    (void)state;
    decide_open(&d, configuration);
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        char text[512];
        snprintf(text, sizeof text, "%s\n", rows[i].header);
        (void)decide_message(&d, "to=a@example.org msgid=<mta@x>", text);
        check_row(rows[i].header);
        check_str("Message-ID", rows[i].id, d.made.plan.message_id.p);
    }
    decide_close(&d);
    check_end();
}

/* RULINGS 116: a CR inside a field of a poster's; CRs before an LF are its line end */
static void test_stray_cr(void **state)
{
#define HELP_CR ID "List-Help: <a:b>\rX: y\n"
    static const struct {
        const char *transaction;
        const char *header;
        const char *outcome; /* without what is inserted */
    } rows[] = {
        {"from=p@x to=a@example.org", HELP_CR,
         "550 5.6.0 List a.example.org: the field List-Help has a CR without LF"},
        {"from=p@x to=m@example.org", ID "Subject: a\rb\n",
         "550 5.6.0 List m.example.org: the field Subject has a CR without LF"},
        {"from=p@x to=m+x@example.org",
         ID "X123456789X123456789X123456789X123456789X123456789X123456789X123456789: a\r b\n",
         "550 5.6.0 List m.example.org: the field "
         "X123456789X123456789X123456789X123456789X123456789X123456789X123 has a CR without LF"},
        {"from=p@x to=a-owner@example.org", HELP_CR,
         "550 5.6.0 List a.example.org: the field List-Help has a CR without LF"},
        {"from=p@x to=a@example.org", ID "Subject: a\r\r\n b\r\n", ""},
        {"from=p@x to=b@example.net", HELP_CR, ""},
        {"from=<> to=m@example.org", HELP_CR, "-List-Help 1|<a:b>\rX: y [LH-08]"},
        {"from=<> to=m@example.org to=b@example.net", HELP_CR, "-List-Help 1|<a:b>\rX: y [LH-08]"},
        {"from=<> to=m@example.org", ID "Subject: a\rb\n", ""},
        {"from=m-bounces@example.org list=m.example.org", ID "Subject: a\rb\n", ""},
    };
    struct decide d;
    (void)state;
    decide_open(&d, configuration);
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        char text[512];
        snprintf(text, sizeof text, "%s\n", rows[i].header);
        const char *outcome = strchr(decide_message(&d, rows[i].transaction, text), '\n') + 1;
        snprintf(text, sizeof text, "%.*s", *outcome == '+' ? 0 : (int)strcspn(outcome, "\n"),
                 outcome);
        check_row(rows[i].transaction);
        check_str("outcome", rows[i].outcome, text);
    }
    decide_close(&d);
    check_end();
}

/* RULINGS 10, 66: computed elsewhere as SHA-1 and SHA-256 over the same texts */
static void test_fingerprint(void **state)
{
#define KEY "5994471abb01112afcc18159f6cc74b4f511b99806da59b3caf5a9c173cacfc5"
    static const struct {
        const char *header;
        const char *fingerprint;
        const char *key;
    } rows[] = {
        {ID DATE "From: a@b\nSubject: An important message\n",
         "8a5f654aae04e98a974388186f99d798c0b93ad4", KEY},
        {"Received: x\nSUBJECT:  An\n important message \nX-List-Sequence: 4\nList-Id: <x.y>\n"
         "from :\ta@b\nTo: c@d\nDATE:  Wed, 04 Jul 2007 16:49:58 +0900\nDate: later\n"
         "message-id:\n <12345> \nMessage-ID: <later>\n",
         "8a5f654aae04e98a974388186f99d798c0b93ad4", KEY},
        {"Message-ID: 12345\nFrom: a@b\n", "ddaca12891fee1a66e65fc57034e81e059c1880b", KEY},
        {ID, "784905282b7ee0845bbfa3c0edec4969755ec601", KEY},
        {ID "Date:\nFrom: \nSubject:\n", "784905282b7ee0845bbfa3c0edec4969755ec601", KEY},
        {"Message-ID: <12345\n", "45565bdd02e3775a667f2da49994aef5335329b2",
         "90e042e488ed6c71ac386b84fa41cac5d291abb92c9504b961594a1975d2d572"},
    };
    struct decide d;
    (void)state;
    decide_open(&d, configuration);
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        char text[1024];
        snprintf(text, sizeof text, "%s\n", rows[i].header);
        (void)decide_message(&d, "to=a@example.org", text);
        check_row(rows[i].header);
        base16_encode(d.made.post.fingerprint, POST_FINGERPRINT_OCTETS, text);
        check_str("fingerprint", rows[i].fingerprint, text);
        base16_encode(d.made.post.key, POST_KEY_OCTETS, text);
        check_str("key", rows[i].key, text);
    }
    decide_close(&d);
    check_end();
}

/* before, then so many fields of no interest, then after, and the empty line. */
static const char *large_message(struct strbuf *text, const char *before, int fillers,
                                 const char *filler, const char *after)
{
    strbuf_reset(text);
    strbuf_add_str(text, before);
    for (int i = 0; i < fillers; i++)
        strbuf_add_str(text, filler);
    strbuf_add_str(text, after);
    strbuf_add_str(text, "\n");
    return strbuf_str(text);
}

/* RULINGS 97: beyond 5,000 fields or 1 MiB a message of ours is refused, whoever sends it. */
static void test_list_manager(void **state)
{
    struct strbuf text = STRBUF_INIT;
    struct decide d;
    (void)state;
    decide_open(&d, configuration);
    check_row("5,000 fields");
    large_message(&text, ID "List-Id: <m.example.org>\n", 4998, "X: y\n", "");
    (void)decide_message(&d, "", strbuf_str(&text));
    check_int("action", ACTION_ACCEPT, d.made.plan.action);
    check_row("one more");
    large_message(&text, ID "List-Id: <m.example.org>\n", 4999, "X: y\n", "");
    (void)decide_message(&d, "", strbuf_str(&text));
    check_int("action", ACTION_REJECT, d.made.plan.action);
    check_str("reply", "552", d.made.plan.reply_code);
    check_int("edits", 0, (long long)d.made.plan.edit_count);
    strbuf_free(&text);
    decide_close(&d);
    check_end();
}

/* RULINGS 71: the limits of a poster, to a feed or to a list that the MTA expands. */
static void test_poster(void **state)
{
    static const struct {
        const char *what, *before, *filler;
        int fillers; /* that just pass; NULL: of 1 kB, and a shorter one */
    } rows[] = {
        {"4,000 fields", ID, "X: y\n", 3999},
        {"500 owned fields", ID, "Message-ID-Hash: y\n", 500},
        {"500 deleted Message-IDs", ID, "Message-ID: <y>\n", 500},
        {"768 KiB", ID, NULL, 767},
    };
    static const char *const transactions[] = {"client=192.0.2.1 to=m@example.org",
                                               "client=192.0.2.1 to=a@example.org",
                                               "client=192.0.2.1 to=m+x@example.org"};
    struct strbuf text = STRBUF_INIT;
    char kilobyte[1100], last[1100];
    struct decide d;
    (void)state;
    decide_open(&d, configuration);
    snprintf(kilobyte, sizeof kilobyte, "X: %01019d\n", 0); /* with its CR */
    snprintf(last, sizeof last, "Y: %0*d\n", 1019 - 21, 0); /* 21: the Message-ID */
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        const char *filler = rows[i].filler != NULL ? rows[i].filler : kilobyte;
        const char *end = rows[i].filler != NULL ? "" : last;
        for (size_t t = 0; t < CHECK_COUNT(transactions); t++) {
            check_row(rows[i].what);
            large_message(&text, rows[i].before, rows[i].fillers, filler, end);
            (void)decide_message(&d, transactions[t], strbuf_str(&text));
            check_int("action", ACTION_ACCEPT, d.made.plan.action);
            if (rows[i].filler == NULL)
                check_int("octets", 768 * 1024, (long long)d.message.header.octets);
            large_message(&text, rows[i].before, rows[i].fillers + 1, filler, end);
            (void)decide_message(&d, transactions[t], strbuf_str(&text));
            check_int("action of more", ACTION_REJECT, d.made.plan.action);
            check_str("reply", "552", d.made.plan.reply_code);
            check_str("status", "5.3.4", d.made.plan.reply_status);
        }
    }
    large_message(&text, ID, 6000, "X: y\n", "");
    check_row("not ours");
    check_str("outcome", "none\n", decide_message(&d, "to=x@y", strbuf_str(&text)));
    strbuf_free(&text);
    decide_close(&d);
    check_end();
}

/* RULINGS 87 */
static void test_many_notes(void **state)
{
    static const struct {
        int templates;
        const char *last;
    } rows[] = {
        {20, "template 20 left out: no value for {day}"},
        {21, "and 2 more"},
        {32, "and 13 more"},
    };
    struct strbuf text = STRBUF_INIT;
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        struct decide d;
        strbuf_reset(&text);
        strbuf_add_str(&text,
                       "lists = {}\nlist \"a.b\" { address = \"a@a.b\" select = \"recipient\" "
                       "archived_at = {");
        for (int n = 0; n < rows[i].templates; n++)
            strbuf_addf(&text, "%s\"https://x.example/%d/{day}\"", n > 0 ? ", " : "", n);
        strbuf_add_str(&text, "} }\n");
        decide_open(&d, strbuf_str(&text));
        (void)decide_message(&d, "to=a@a.b", "Message-ID: <1>\n\n");
        check_row(rows[i].last);
        check_int("notes", 20, (long long)d.made.plan.note_count);
        check_int("found", 1, strstr(d.made.plan.notes[19].text, rows[i].last) != NULL);
        check_int("error", 0, d.made.plan.notes[19].is_error);
        decide_close(&d);
    }
    strbuf_free(&text);
    check_end();
}

/* AT-09: what no line could hold is not even made, so that no memory is taken for it. */
static void test_long_texts(void **state)
{
    struct strbuf text = STRBUF_INIT, message = STRBUF_INIT;
    struct decide d;
    (void)state;
    strbuf_add_str(&text, "lists = {}\nlist \"a.b\" { address = \"a@a.b\" message_id_hash = false "
                          "unsubscribe = {\"https://u.example/{recipient}\", \"mailto:u@a.b\"} "
                          "archived_at = {\"https://x.example/{message_id:9}\"");
    for (int n = 0; n < 31; n++) {
        strbuf_addf(&text, ", \"https://x.example/%d/", n);
        for (int i = 0; i < 20; i++)
            strbuf_add_str(&text, "{message_id}");
        strbuf_add_char(&text, '"');
    }
    strbuf_add_str(&text, "} }\n");
    strbuf_addf(&message, "List-Id: <a.b>\nMessage-ID: <%050000d>\n\n", 0);
    decide_open(&d, strbuf_str(&text));
    strbuf_reset(&text);
    strbuf_addf(&text, "from=a-bounces@a.b to=%01000d@b.example", 0);
    (void)decide_message(&d, strbuf_str(&text), strbuf_str(&message));
    check_row("31 times 20 times 50,000 octets");
    check_int("added", 2,
              (long long)d.made.plan.added); /* List-Unsubscribe: a line of more than 998 */
    check_str("note", "Archived-At by template 2 left out: it has a line over 998 bytes",
              d.made.plan.notes[0].text);
    check_str("last note", "and 13 more", d.made.plan.notes[19].text);
    check_int("memory", 1, d.arena.used < 400000);
    strbuf_free(&text);
    strbuf_free(&message);
    decide_close(&d);
    check_end();
}

/* RULINGS 36, also where only the escaped value is too long; without a recipient no item has one.
 */
static void test_long_values(void **state)
{
    struct strbuf text = STRBUF_INIT;
    struct decide d;
    (void)state;
    decide_open(&d, "lists = {}\nlist \"a.b\" { address = \"a@a.b\" message_id_hash = false "
                    "archived_at = {\"https://x.example/{message_id}\"} "
                    "unsubscribe = {\"https://u.example/{recipient}\"} }\n");
    strbuf_addf(&text, "from=a-bounces@a.b to=%01000d@b.example", 0);
    (void)decide_message(&d, strbuf_str(&text), "List-Id: <a.b>\nMessage-ID: <1>\n\n");
    check_row("a recipient of 1,000 octets");
    check_int("notes", 1, (long long)d.made.plan.note_count);
    check_str("note", "List-Unsubscribe left out: it has a line over 998 bytes",
              d.made.plan.notes[0].text);
    check_bool("an error", true, d.made.plan.notes[0].is_error);
    strbuf_reset(&text);
    strbuf_add_str(&text, "List-Id: <a.b>\nMessage-ID: <");
    for (int i = 0; i < 400; i++)
        strbuf_add_char(&text, '"');
    strbuf_add_str(&text, ">\n\n");
    check_row("a Message-ID of 400 quotes, and no recipient");
    check_str("outcome",
              "distribution a.b list-id\n"
              "error Archived-At left out: it has a line over 998 bytes\n",
              decide_message(&d, "from=a-bounces@a.b", strbuf_str(&text)));
    strbuf_free(&text);
    decide_close(&d);
    check_end();
}

/* A post can have thousands of signatures; the log line has an end. */
static void test_many_signatures(void **state)
{
    struct strbuf message = STRBUF_INIT;
    struct decide d;
    (void)state;
    decide_open(&d, configuration);
    strbuf_add_str(&message, "List-Id: <x.y>\nMessage-ID: <1>\n");
    for (int i = 0; i < 1000; i++)
        strbuf_add_str(&message, "DKIM-Signature: d=one.example; h=list-id\n");
    strbuf_add_str(&message, "\n");
    (void)decide_message(&d, "to=m@example.org", strbuf_str(&message));
    check_row("1000 signatures");
    check_int("notes", 5, (long long)d.made.plan.note_count);
    strbuf_free(&message);
    decide_close(&d);
    check_end();
}

/* RULINGS 19, 97: 16 List-Ids are read, and of more the parents are not compared. */
static void test_many_list_ids(void **state)
{
    struct strbuf text = STRBUF_INIT, header = STRBUF_INIT;
    struct decide d;
    (void)state;
    strbuf_add_str(&text, "lists = {}\nlist \"low.example\" { address = \"low@example.org\" "
                          "parents = {\"top.0.example\"");
    for (int i = 1; i < 100; i++)
        strbuf_addf(&text, ", \"top.%d.example\"", i);
    strbuf_add_str(&text, "} }\n");
    for (int i = 0; i < 100; i++)
        strbuf_addf(&text, "list \"top.%d.example\" {}\n", i);
    decide_open(&d, strbuf_str(&text));
    for (int others = 15; others < 17; others++) {
        strbuf_reset(&header);
        strbuf_add_str(&header, "Message-ID: <1>\n");
        for (int i = 0; i < others; i++)
            strbuf_addf(&header, "List-Id: <top.%d.example>\n", i);
        strbuf_add_str(&header, "List-Id: <low.example>\n");
        (void)decide_message(&d, "", strbuf_str(&header));
        assert_int_equal(d.made.selection.rule, others == 15 ? RULE_LIST_ID : RULE_AMBIGUOUS);
    }
    strbuf_free(&text);
    strbuf_free(&header);
    decide_close(&d);
}

/* RULINGS 22: Postfix' local submission defers nobody, as nothing would come again. */
static void test_local_submission(void **state)
{
    struct decide d;
    char answers[8];
    (void)state;
    decide_open(&d, "lists = {}\n"
                    "list \"a.x\" { select = \"recipient\" address = \"a@x.example\" }\n"
                    "list \"b.x\" { select = \"recipient\" address = \"b@x.example\" "
                    "private_recipients = \"defer\" }\n");
    (void)decide_message(&d, "client=198.51.100.7", "\n");
    decide_recipients(&d, "cleanup to=a@x.example to=b@x.example to=p@y", answers);
    assert_string_equal(answers, "aaa");
    assert_true(d.envelope.shares_header);
    (void)decide_message(&d, "client=198.51.100.7", "\n");
    decide_recipients(&d, "to=p@y to=b@x.example to=a@x.example", answers);
    assert_string_equal(answers, "apa");
    decide_close(&d);
}

/* mlmilter(8), PROTOCOL: what can be accepted before its header is seen */
static void test_may_be_ours(void **state)
{
#define MANAGED        "list \"m.x\" { address = \"m@x.example\" }\n"
#define EXPANDED(keys) "list \"a.x\" { select = recipient address = \"a@x.example\" " keys "}\n"
    static const struct {
        const char *lists, *transaction;
        bool expected;
    } rows[] = {
        {MANAGED, "client=198.51.100.7 to=x@y", false},
        {MANAGED, "client=198.51.100.7", false},
        {MANAGED, "client=198.51.100.7 to=x@y to=m@x.example", true},
        {MANAGED, "client=192.0.2.1 to=x@y", true},
        {MANAGED, "to=x@y", true},
        {EXPANDED(""), "to=x@y", false}, /* trust does not matter */
        {EXPANDED("command_addresses = {\"from:b@x.example\"}"), "to=x@y", true},
    };
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        char text[300];
        struct decide d;
        snprintf(text, sizeof text, "lists = {} trusted = {\"192.0.2.0/24\", \"local\"}\n%s",
                 rows[i].lists);
        decide_open(&d, text);
        (void)decide_message(&d, rows[i].transaction, "\n");
        check_row(rows[i].transaction);
        check_bool("may be ours", rows[i].expected, envelope_may_be_ours(&d.envelope));
        decide_close(&d);
    }
    check_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_missing_message_id), cmocka_unit_test(test_resent_message_id),
        cmocka_unit_test(test_stray_cr),           cmocka_unit_test(test_fingerprint),
        cmocka_unit_test(test_list_manager),       cmocka_unit_test(test_poster),
        cmocka_unit_test(test_many_notes),         cmocka_unit_test(test_long_texts),
        cmocka_unit_test(test_long_values),        cmocka_unit_test(test_many_signatures),
        cmocka_unit_test(test_many_list_ids),      cmocka_unit_test(test_local_submission),
        cmocka_unit_test(test_may_be_ours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

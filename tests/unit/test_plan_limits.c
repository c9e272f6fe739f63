/* Unit tests of plan/: headers that are larger than what is kept, and what a poster may send
 * (RULINGS 71, 80). */
#include "check.h"
#include "decide.h"

#include <stdio.h>

static const char configuration[] =
    "lists = {}\n"
    "token \"told\" { digest = \"sha1\" of = \"{message_id}{subject}\" }\n"
    "list \"l.example.org\" { address = \"l@example.org\" help = {\"mailto:h@example.org\"}\n"
    "  archived_at = {\"https://a.example/{message_id_hash}\", \"https://b.example/{told}\"} }\n"
    "list \"n.example.org\" { address = \"n@example.org\" sequence = true list_id_hash = true }\n"
    "list \"k.example.org\" { address = \"k@example.org\" help = {\"mailto:h@example.org\"}\n"
    "  message_id_hash = false keep = {\"List-Help\"} duplicate_message_id = \"delete\" }\n"
    "list \"a.example.org\" { address = \"a@example.org\" select = \"recipient\" }\n";

#define ID    "Message-ID: <12345>\n"
#define OF(l) "List-Id: <" l ".example.org>\n"

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
    large_message(&text, ID OF("l"), 4998, "X: y\n", "");
    (void)decide_message(&d, "", strbuf_str(&text));
    check_int("action", ACTION_ACCEPT, d.made.plan.action);
    check_row("one more");
    large_message(&text, ID OF("l"), 4999, "X: y\n", "");
    (void)decide_message(&d, "", strbuf_str(&text));
    check_int("action", ACTION_REJECT, d.made.plan.action);
    check_str("reply", "552", d.made.plan.reply_code);
    check_int("edits", 0, (long long)d.made.plan.edit_count);
    strbuf_free(&text);
    decide_close(&d);
    check_end();
}

/* What a poster may send to a feed or to a list that the MTA expands. */
static void test_poster(void **state)
{
    static const struct {
        const char *what, *before, *filler;
        int fillers; /* that just pass; NULL: of 1 kB, and a shorter one */
    } rows[] = {
        {"4,000 fields", ID, "X: y\n", 3999},
        {"500 owned fields", ID, "List-Help: y\n", 500},
        {"768 KiB", ID, NULL, 767},
    };
    static const char *const transactions[] = {"client=192.0.2.1 to=l@example.org",
                                               "client=192.0.2.1 to=a@example.org",
                                               "client=192.0.2.1 to=l+x@example.org"};
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_list_manager),
        cmocka_unit_test(test_poster),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

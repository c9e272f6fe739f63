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

#define HASH  "RSZCG7IGPHFIRW3EMTVMMDNJMNCVCOLE" /* of 12345 */
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
    assert_false(strbuf_failed(text));
    return strbuf_str(text);
}

/* The outcome without the note with the numbers, which must be there once. */
static const char *without_size(const char *outcome, struct strbuf *out)
{
    const char *note = strstr(outcome, "error a header of ");
    const char *end = note != NULL ? strchr(note, '\n') : NULL;

    if (end == NULL)
        return "no note of the size";
    strbuf_reset(out);
    strbuf_add_span(out, span_of(outcome, (size_t)(note - outcome)));
    strbuf_add_str(out, end + 1);
    return strbuf_str(out);
}

#define STAMPED_L                                                                                  \
    "+Message-ID-Hash|" HASH "\n+Archived-At|<https://a.example/" HASH ">\n"                       \
    "+Archived-At|<https://b.example/RSZCG7IGPHFIRW3EMTVMMDNJMNCVCOLE>\n"                          \
    "+List-Id|<l.example.org>\n+List-Help|<mailto:h@example.org>\n"
#define NO_STORE "note the store was not asked: what it would say is left out\n"

/* A list manager's output passes, whatever is in it, and what is owned goes. */
static void test_list_manager(void **state)
{
    static const struct {
        const char *before, *after, *outcome;
    } rows[] = {
        /* the list's own id behind the limit; fields that were not kept, from the last one on */
        {ID "List-Help: kept\n", "List-Help: x\n" OF("l") "List-Post: y\nlist-help: z\n",
         "distribution l.example.org list-id\n-List-Id 1|<l.example.org>\n-List-Help 3|\n"
         "-List-Help 2|\n-List-Help 1|kept\n-List-Post 1|\n" STAMPED_L},
        /* an id that was not kept is not missing */
        {OF("l"), ID "Subject: x\n",
         "distribution l.example.org list-id\n-List-Id 1|<l.example.org>\n"
         "+List-Id|<l.example.org>\n+List-Help|<mailto:h@example.org>\n"
         "note Archived-At by template 1 left out: no value for {message_id_hash}\n"
         "note Archived-At by template 2 left out: no value for {told}\n"},
        /* nor is one made of what is known of the rest */
        {OF("l"), "",
         "distribution l.example.org list-id\n-List-Id 1|<l.example.org>\n"
         "+List-Id|<l.example.org>\n+List-Help|<mailto:h@example.org>\n"
         "note Archived-At by template 1 left out: no value for {message_id_hash}\n"
         "note Archived-At by template 2 left out: no value for {told}\n"},
        /* a token of a subject that was not kept */
        {ID OF("l"), "Subject: x\n",
         "distribution l.example.org list-id\n-List-Id 1|<l.example.org>\n+Message-ID-Hash|" HASH
         "\n+Archived-At|<https://a.example/" HASH ">\n+List-Id|<l.example.org>\n"
         "+List-Help|<mailto:h@example.org>\n"
         "note Archived-At by template 2 left out: no value for {told}\n"},
        /* numbers, as far as the post is known */
        {ID "Date: x\nFrom: f\nSubject: s\n" OF("n"), "",
         "distribution n.example.org list-id\n-List-Id 1|<n.example.org>\n+Message-ID-Hash|" HASH
         "\n+List-Id|<n.example.org>\n+X-List-ID-Hash|4QLUVACYBS7KEBPVWGPSXSXDXM5UE7F4\n" NO_STORE},
        {ID "Date: x\nSubject: s\n" OF("n"), "From: f\n",
         "distribution n.example.org list-id\n-List-Id 1|<n.example.org>\n+Message-ID-Hash|" HASH
         "\n+List-Id|<n.example.org>\n+X-List-ID-Hash|4QLUVACYBS7KEBPVWGPSXSXDXM5UE7F4\n"},
        {ID OF("n"), "Date: x\n",
         "distribution n.example.org list-id\n-List-Id 1|<n.example.org>\n+Message-ID-Hash|" HASH
         "\n+List-Id|<n.example.org>\nnote X-List-ID-Hash left out: the message has no Date\n"},
        /* keep and delete count what was not kept, too */
        {ID OF("k"), "List-Help: 1\nList-Help: 2\nMessage-ID: <3>\n",
         "distribution k.example.org list-id\n-Message-ID 2|\n-List-Id 1|<k.example.org>\n"
         "-List-Help 2|\n+List-Id|<k.example.org>\n"},
        /* RULINGS 1: nothing to do, and something that nobody has read */
        {ID OF("k") "List-Help: <mailto:h@example.org>\n", "",
         "distribution k.example.org list-id\n"},
        {ID OF("k") "List-Help: <mailto:h@example.org>\n", "List-Post: x\n",
         "distribution k.example.org list-id\n-List-Id 1|<k.example.org>\n-List-Post 1|\n"
         "+List-Id|<k.example.org>\n"},
    };
    struct strbuf text = STRBUF_INIT, out = STRBUF_INIT;
    struct decide d;

    (void)state;
    decide_open(&d, configuration);
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        check_row(rows[i].after);
        large_message(&text, rows[i].before, 5000, "X: y\n", rows[i].after);
        check_str("outcome", rows[i].outcome,
                  without_size(decide_message(&d, "", strbuf_str(&text)), &out));
    }
    strbuf_free(&text);
    strbuf_free(&out);
    decide_close(&d);
    check_end();
}

/* 100 List-Ids beyond the limits are read, and 1,024 octets of each. */
static void test_list_ids_beyond(void **state)
{
    struct strbuf after = STRBUF_INIT, text = STRBUF_INIT;
    struct decide d;

    (void)state;
    decide_open(&d, configuration);
    for (int others = 99; others < 101; others++) {
        strbuf_reset(&after);
        for (int i = 0; i < others; i++)
            strbuf_add_str(&after, "List-Id: <x.y>\n");
        strbuf_add_str(&after, OF("l"));
        large_message(&text, ID, 5000, "X: y\n", strbuf_str(&after));
        (void)decide_message(&d, "", strbuf_str(&text));
        check_row(others == 99 ? "the hundredth" : "one more");
        check_int("role", others == 99 ? ROLE_DISTRIBUTION : ROLE_NONE, d.made.selection.role);
        check_int("removed", others == 99 ? 100 : 0, (long long)d.made.plan.removed);
    }
    for (int blanks = 1008; blanks < 1010; blanks++) {
        strbuf_reset(&after);
        strbuf_addf(&after, "List-Id: %*s<l.example.org>\n", blanks, "");
        large_message(&text, ID, 5000, "X: y\n", strbuf_str(&after));
        (void)decide_message(&d, "", strbuf_str(&text));
        check_row(blanks == 1008 ? "1,024 octets" : "one octet more");
        check_int("role", blanks == 1008 ? ROLE_DISTRIBUTION : ROLE_NONE, d.made.selection.role);
    }
    /* the value that is known is ours, what stands behind it may be anything */
    large_message(&text, ID "List-Help: <mailto:h@example.org>\n", 5000, "X: y\n", OF("k"));
    (void)decide_message(&d, "", strbuf_str(&text));
    check_row("a value that may have been cut is not the same");
    check_int("edits", 2, (long long)d.made.plan.edit_count);
    strbuf_free(&after);
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
        cmocka_unit_test(test_list_ids_beyond),
        cmocka_unit_test(test_poster),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

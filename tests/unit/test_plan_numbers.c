/* Numbers, and the store's word, which golden messages cannot show: SU-16 to SU-23, R1-04, RULINGS
 * 6, 9, 10, 26, 32, 33, 50, 55, 81 */
#include "check.h"
#include "decide.h"

#define HASH "RSZCG7IGPHFIRW3EMTVMMDNJMNCVCOLE" /* of 12345 */
#define DATE "Date: Wed, 04 Jul 2007 16:49:58 +0900\n"

#define ALIAS(name, keys)                                                                          \
    "list \"" name ".example.org\" { select = \"recipient\" address = \"" name "@example.org\" "   \
    "message_id_hash = false " keys "}\n"

#define HEAD(name) "distribution " name ".example.org recipient\n"

/* SU-16, SU-17, SU-19, SU-21, R1-04, R1-05, RULINGS 9, 26, 45: one number in all places */
static void test_number(void **state)
{
    static const char configuration[] =
        "lists = {}\ndefaults { keep = {\"X-List-Sequence\", \"X-List-Sequence-Number\", "
        "\"X-List-ID-Hash\", \"Archived-At\"} }\n" ALIAS(
            "n", "sequence = true "
                 "archived_at = {\"https://a.example/{sequence}\", "
                 "\"https://b.example/msg{sequence:5}.html\"} ")
            ALIAS("k", "sequence = true list_id_hash = true "
                       "archived_at = {\"https://k.example/{sequence}\"} ") ALIAS("q", "");
    static const struct decide_row rows[] = {
        {"to=n@example.org number=72", "Message-ID: <12345>\nx-list-sequence: 9\n\n",
         HEAD("n") "-X-List-Sequence 1|9 [SU-16]\n"
                   "+Archived-At|<https://a.example/72> [AT-01]\n"
                   "+Archived-At|<https://b.example/msg00072.html> [AT-01]\n"
                   "+List-Id|<n.example.org> [LI-09]\n+X-List-Sequence|72 [SU-16]\n"},
        {"to=n@example.org number=999999999999999", "Message-ID: <12345>\n\n",
         HEAD("n") "+Archived-At|<https://a.example/999999999999999> [AT-01]\n"
                   "+Archived-At|<https://b.example/msg999999999999999.html> [AT-01]\n"
                   "+List-Id|<n.example.org> [LI-09]\n"
                   "+X-List-Sequence|999999999999999 [SU-16]\n"},
        /* RULINGS 26: what the defaults would keep goes all the same */
        {"to=k@example.org number=5",
         DATE "Message-ID: <12345>\nX-List-Sequence: 8\nX-List-Sequence-Number: 9\n"
              "X-List-ID-Hash: kept\nX-List-Sequence: 10\nArchived-At: a\n\n",
         HEAD("k") "-Archived-At 1|a [AT-15]\n"
                   "-X-List-Sequence 2|10 [SU-16]\n-X-List-Sequence 1|8 [SU-16]\n"
                   "-X-List-Sequence-Number 1|9 [R1-08]\n-X-List-ID-Hash 1|kept [R1-08]\n"
                   "+Archived-At|<https://k.example/5> [AT-01]\n"
                   "+List-Id|<k.example.org> [LI-09]\n+X-List-Sequence|5 [SU-16]\n"
                   "+X-List-Sequence-Number|5 [R1-04]\n"
                   "+X-List-ID-Hash|3QFYHZSVEGMHPNGOPYLZI6WGYNQYDKAJ [R1-01]\n"},
        {"to=q@example.org number=5", DATE "Message-ID: <12345>\n\n",
         HEAD("q") "+List-Id|<q.example.org> [LI-09]\n"},
    };
    (void)state;
    decide_table(configuration, rows, CHECK_COUNT(rows));
}

/* RULINGS 32, 55, 81: the store failed, or is only looked at */
static void test_store(void **state)
{
    static const char configuration[] = "lists = {}\n" ALIAS("t", "sequence = true ")
        ALIAS("o", "sequence = true on_store_failure = \"omit\" "
                   "archived_at = {\"https://a.example/{sequence}\", "
                   "\"https://b.example/{message_id}\"} ")
            ALIAS("r", "reused_message_id = \"omit\" on_store_failure = \"omit\" "
                       "archived_at = {\"https://b.example/{message_id}\"} ");
#define POST "Message-ID: <12345>\nX-List-Sequence: 1\n\n"
    static const struct decide_row rows[] = {
        {"to=t@example.org storefail number=5", POST,
         HEAD("t") "451 4.3.0 List t.example.org: the store of its posts failed, please try again "
                   "later\n"},
        {"to=o@example.org storefail number=5", POST,
         HEAD("o") "-X-List-Sequence 1|1 [SU-16]\n+Archived-At|<https://b.example/12345> [AT-01]\n"
                   "+List-Id|<o.example.org> [LI-09]\n"
                   "error the store failed: fields that need the number are left out "
                   "(on_store_failure)\n"
                   "note Archived-At by template 1 left out: no value for {sequence}\n"},
        {"to=r@example.org storefail", POST,
         HEAD("r") "-X-List-Sequence 1|1 [SU-16]\n+Archived-At|<https://b.example/12345> [AT-01]\n"
                   "+List-Id|<r.example.org> [LI-09]\n"
                   "error the store failed: an earlier use of the Message-ID would not be noticed "
                   "(on_store_failure)\n"},
        {"to=t@example.org next number=5", POST,
         HEAD("t") "-X-List-Sequence 1|1 [SU-16]\n+List-Id|<t.example.org> [LI-09]\n"
                   "+X-List-Sequence|5 [SU-16]\n"
                   "note the number 5 is the next one, it is not given yet\n"},
        {"to=r@example.org next", "Message-ID: <12345>\n\n",
         HEAD("r") "+Archived-At|<https://b.example/12345> [AT-01]\n"
                   "+List-Id|<r.example.org> [LI-09]\n"},
        {"to=t@example.org", POST,
         HEAD("t") "-X-List-Sequence 1|1 [SU-16]\n+List-Id|<t.example.org> [LI-09]\n"
                   "note the store was not asked, so its answer is missing\n"},
    };
    (void)state;
    decide_table(configuration, rows, CHECK_COUNT(rows));
}

/* SU-23, AT-12, RULINGS 6, 33 */
static void test_reused(void **state)
{
    static const char configuration[] = "lists = {}\n" ALIAS(
        "n", "sequence = true reused_message_id = \"reject\" ")
        ALIAS("a", "sequence = true archived_at = {\"https://a.example/{sequence}\"} ") ALIAS(
            "o", "sequence = true reused_message_id = \"omit\" "
                 "archived_at = {\"https://a.example/{sequence}\"} ")
            ALIAS("r",
                  "reused_message_id = \"reject\" ") "list \"m.example.org\" { message_id_hash = "
                                                     "false reused_message_id = \"reject\" "
                                                     "archived_at = "
                                                     "{\"https://a.example/{message_id}\"} }\n";
#define NOTE                                                                                       \
    "error the Message-ID is that of another post (SU-23): fingerprint "                           \
    "784905282b7ee0845bbfa3c0edec4969755ec601, was abababababababababababababababababababab\n"
#define OMITTED "note no Archived-At: its Message-ID is that of another post (SU-23)\n"
    static const struct decide_row rows[] = {
        {"to=a@example.org reused number=6", "Message-ID: <12345>\n\n",
         HEAD("a") "+Archived-At|<https://a.example/6> [AT-01]\n"
                   "+List-Id|<a.example.org> [LI-09]\n+X-List-Sequence|6 [SU-16]\n" NOTE},
        {"to=o@example.org reused number=6", "Message-ID: <12345>\n\n",
         HEAD("o") "+List-Id|<o.example.org> [LI-09]\n+X-List-Sequence|6 [SU-16]\n" NOTE OMITTED},
        {"to=o@example.org reused next number=6", "Message-ID: <12345>\n\n",
         HEAD("o") "+List-Id|<o.example.org> [LI-09]\n+X-List-Sequence|6 [SU-16]\n"
                   "note the number 6 is the next one, it is not given yet\n" NOTE OMITTED},
        {"to=r@example.org reused", "Message-ID: <12345>\n\n",
         HEAD("r") "550 5.7.1 List r.example.org: another post has this Message-ID already\n" NOTE},
        /* a post that is refused will not get the number */
        {"to=n@example.org reused next number=6", "Message-ID: <12345>\n\n",
         HEAD("n") "550 5.7.1 List n.example.org: another post has this Message-ID already\n" NOTE},
        {"to=n@example.org next number=6", "Message-ID: <12345>\n\n",
         HEAD("n") "+List-Id|<n.example.org> [LI-09]\n+X-List-Sequence|6 [SU-16]\n"
                   "note the number 6 is the next one, it is not given yet\n"},
        {"to=r@example.org known", "Message-ID: <12345>\n\n",
         HEAD("r") "+List-Id|<r.example.org> [LI-09]\n"},
        /* an empty id is nobody's */
        {"to=n@example.org reused number=6", "Message-ID: <>\n\n",
         HEAD("n") "+List-Id|<n.example.org> [LI-09]\n+X-List-Sequence|6 [SU-16]\n"},
        {"to=o@example.org reused number=6", "Message-ID:\n\n",
         HEAD("o") "+Archived-At|<https://a.example/6> [AT-01]\n"
                   "+List-Id|<o.example.org> [LI-09]\n+X-List-Sequence|6 [SU-16]\n"},
        /* what a list manager sends would bounce to it */
        {"reused", "Message-ID: <12345>\nList-Id: x <m.example.org>\n\n",
         "distribution m.example.org list-id\n-List-Id 1|x <m.example.org> [LI-12]\n"
         "+List-Id|<m.example.org> [LI-09]\n" NOTE OMITTED},
    };
    (void)state;
    decide_table(configuration, rows, CHECK_COUNT(rows));
}

static const char asking[] =
    "lists = {}\n"
    "list \"plain.example.org\" { address = \"plain@example.org\" }\n"
    "list \"s.example.org\" { address = \"s@example.org\" sequence = true "
    "  command_addresses = {\"s-request@example.org\"} }\n"
    "list \"t.example.org\" { address = \"t@example.org\" "
    "  archived_at = {\"https://a.example/{sequence}\"} }\n"
    "list \"m.example.org\" { address = \"m@example.org\" sequence = true "
    "  sequence_from = \"envelope-sender\" }\n"
    "list \"mr.example.org\" { address = \"mr@example.org\" sequence = true "
    "  sequence_from = \"envelope-sender\" reused_message_id = \"omit\" }\n"
    "list \"r.example.org\" { address = \"r@example.org\" reused_message_id = \"omit\" }\n"
    "list \"i.example.org\" { address = \"i@example.org\" sequence = true "
    "  missing_message_id = \"ignore\" }\n"
    "list \"a.example.org\" { select = \"recipient\" address = \"a@example.org\" sequence = true "
    "}\n"
    "list \"j.example.org\" { address = \"j@example.org\" missing_message_id = \"reject\" "
    "  duplicate_message_id = \"reject\" }\n"
    "list \"aj.example.org\" { select = \"recipient\" address = \"aj@example.org\" "
    "  missing_message_id = \"reject\" duplicate_message_id = \"reject\" }\n"
    "list \"sj.example.org\" { select = \"sender\" address = \"sj@example.org\" "
    "  missing_message_id = \"reject\" duplicate_message_id = \"reject\" }\n";

#define ID "Message-ID: <12345>\n"

/* RULINGS 6, 9, 10, 33, 50: whether a number is wanted, where it comes from, and whether the store
 * is asked */
static void test_store_needed(void **state)
{
    static const struct {
        const char *transaction;
        const char *header;
        const char *expected; /* wants a number, from the store, asks the store; number of sender */
    } rows[] = {
        {"list=plain.example.org", ID, "--- 0"},
        {"list=s.example.org", ID, "wna 0"},
        {"list=t.example.org", ID, "wna 0"},
        {"list=r.example.org", ID, "--a 0"},
        {"list=m.example.org from=m+bounces-7-x=y@example.org", ID, "w-- 7"},
        {"list=m.example.org from=x@y", ID, "w-- 0"},
        {"list=m.example.org", ID, "w-- 0"},
        /* the store says whether the id was used, and must not count */
        {"list=mr.example.org from=mr+bounces-7-x=y@example.org", ID, "w-a 7"},
        {"list=r.example.org from=r+bounces-7-x=y@example.org", ID, "--a 0"},
        {"to=a@example.org", ID, "wna 0"},
        /* no posts, or not yet */
        {"to=s@example.org", ID, "--- 0"},
        {"to=x@y", ID, "--- 0"},
        {"list=s.example.org", ID "Content-Type: (c) Multipart/Digest ;x=y\n", "--- 0"},
        {"list=m.example.org from=m+bounces-digest-x=y@example.org",
         ID "Content-Type: multipart/digest; boundary=x\n", "--- 0"},
        /* RULINGS 11: posts that call themselves digests */
        {"list=m.example.org from=m+bounces-7@example.org",
         ID "Content-Type: multipart/digest; boundary=x\n", "w-- 7"},
        {"to=a@example.org", ID "Content-Type: multipart/digest; boundary=x\n", "wna 0"},
        {"list=s.example.org from=s-request@example.org", ID, "--- 0"},
        {"list=i.example.org", "Subject: x\n", "--- 0"},
        {"list=s.example.org", ID "Content-Type: message/partial\n", "wna 0"},
        {"list=s.example.org", ID "X-No-Archive: yes\n", "wna 0"},
        {"list=s.example.org", "Subject: x\n", "wna 0"}, /* an id is added */
        /* an empty id is nobody's: the store counts such posts, and is asked nothing else */
        {"list=s.example.org", "Message-ID: <>\n", "wna 0"},
        {"list=r.example.org", "Message-ID:\n", "--- 0"},
        {"list=mr.example.org from=mr+bounces-7-x=y@example.org", "Message-ID: <>\n", "w-- 7"},
        {"list=r.example.org", "Message-ID: < >\n", "--a 0"},
    };
    struct decide d;
    (void)state;
    decide_open(&d, asking);
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        char message[512];
        snprintf(message, sizeof message, "%sFrom: a@b\n\n", rows[i].header);
        (void)decide_message(&d, rows[i].transaction, message);
        enum number_source source = d.made.post.number_source;
        snprintf(message, sizeof message, "%c%c%c %d", source != NUMBER_NONE ? 'w' : '-',
                 source == NUMBER_FROM_STORE ? 'n' : '-',
                 post_needs_store(&d.made.post) ? 'a' : '-',
                 source == NUMBER_FROM_SENDER ? (int)d.made.selection.sender_number : 0);
        check_row(rows[i].transaction);
        check_str("number", rows[i].expected, message);
    }
    decide_close(&d);
    check_end();
}

static void test_sender_number(void **state)
{
    static const struct {
        const char *sender;
        const char *address;
        uint64_t expected;
    } rows[] = {
        {"l+bounces-17-ann=example.com@lists.example.org", "l@lists.example.org", 17},
        {"l+bounces-17@lists.example.org", "l@lists.example.org", 17},
        {"l-bounces-17-ann=example.com@lists.example.org", "l@lists.example.org", 17},
        {"L+BOUNCES-17-x@LISTS.example.org", "l@lists.example.org", 17},
        {"l+bounces-00017-x@lists.example.org", "l@lists.example.org", 17}, /* leading zeros */
        {"l+bounces-17-@lists.example.org", "l@lists.example.org", 17},
        {"l+bounces-1-2-3@lists.example.org", "l@lists.example.org", 1},
        {"l+bounces-17@elsewhere.example", "l@lists.example.org", 17}, /* the local part decides */
        {"l+bounces-999999999999999@a", "l@a", UINT64_C(999999999999999)},
        {"a+b+bounces-3-x@a", "a+b@a", 3},
        /* none */
        {"", "l@lists.example.org", 0},
        {"l+bounces-17@lists.example.org", "", 0},
        {"l+bounces-digest-17@lists.example.org", "l@lists.example.org", 0},
        {"l+bounces-help@lists.example.org", "l@lists.example.org", 0},
        {"l+bounces-@lists.example.org", "l@lists.example.org", 0},
        {"l+bounces@lists.example.org", "l@lists.example.org", 0},
        {"l+bounces-17x@lists.example.org", "l@lists.example.org", 0},
        {"l+bounces-17.x@lists.example.org", "l@lists.example.org", 0},
        {"l+bounces-x17@lists.example.org", "l@lists.example.org", 0},
        {"l+bounces-+17@lists.example.org", "l@lists.example.org", 0},
        {"l.bounces-17@lists.example.org", "l@lists.example.org", 0},
        {"lbounces-17@lists.example.org", "l@lists.example.org", 0},
        {"ll+bounces-17@lists.example.org", "l@lists.example.org", 0},
        {"l+xbounces-17@lists.example.org", "l@lists.example.org", 0},
        {"l@lists.example.org", "l@lists.example.org", 0},
        {"l+bounces-0-x@lists.example.org", "l@lists.example.org", 0},
        {"l+bounces-1000000000000000@a", "l@a", 0},
        {"l+bounces-18446744073709551617@a", "l@a", 0},
        {"l+bounces-99999999999999999999999999999999999999@a", "l@a", 0},
    };
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        check_row(rows[i].sender);
        check_int("number", (long long)rows[i].expected,
                  (long long)sender_number(span_cstr(rows[i].sender), span_cstr(rows[i].address)));
    }
    check_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_number),        cmocka_unit_test(test_store),
        cmocka_unit_test(test_reused),        cmocka_unit_test(test_store_needed),
        cmocka_unit_test(test_sender_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

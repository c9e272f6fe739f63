/* What is done with a post: RULINGS A, C and D */
#include "check.h"
#include "decide.h"

#define HASH "RSZCG7IGPHFIRW3EMTVMMDNJMNCVCOLE" /* of 12345 */

static const char full_list[] =
    "lists = {}\n"
    "list \"l.example.org\" {\n"
    "  description = \"The list\" address = \"l@example.org\"\n"
    "  help = {\"mailto:l-help@example.org\"} subscribe = {\"mailto:l-join@example.org\"}\n"
    "  unsubscribe = {\"mailto:l-leave@example.org\"} owner = {\"mailto:l-owner@example.org\"}\n"
    "  post = {\"mailto:l@example.org\"} archive = {\"https://example.org/l/\"}\n"
    "  archived_at = {\"{archive}/{message_id_hash}\", \"https://b.example/{message_id}\"}\n"
    "}\n";

/* SU-01, SU-09, SU-10, SU-11, AT-01, AT-02, LI-05, LI-07, LH-01, LH-02: all fields of a list, in
 * the order of RULINGS 2, with their places */
static void test_order(void **state)
{
    static const struct decide_row rows[] = {{
        "",
        "List-Id: <l.example.org>\nMessage-ID: <12345>\nSubject: x\n\n",
        "distribution l.example.org list-id\n"
        "-List-Id 1|<l.example.org>\n"
        "+Message-ID-Hash|" HASH "\n"
        "+Archived-At|<https://example.org/l/" HASH ">\n"
        "+Archived-At|<https://b.example/12345>\n"
        "+List-Id|The list <l.example.org>\n"
        "+List-Help|<mailto:l-help@example.org>\n"
        "+List-Subscribe|<mailto:l-join@example.org>\n"
        "+List-Unsubscribe|<mailto:l-leave@example.org>\n"
        "+List-Post|<mailto:l@example.org>\n"
        "+List-Owner|<mailto:l-owner@example.org>\n"
        "+List-Archive|<https://example.org/l/>\n",
    }};

    (void)state;
    decide_table(full_list, rows, CHECK_COUNT(rows));
}

/* RULINGS 1: the second pass changes nothing; a difference in one name brings all edits back */
static void test_second_pass(void **state)
{
#define STAMPED                                                                                    \
    "Message-ID-Hash: " HASH "\n"                                                                  \
    "Archived-At: <https://example.org/l/" HASH ">\n"                                              \
    "Archived-At: <https://b.example/12345>\n"                                                     \
    "List-Id: The list <l.example.org>\nList-Help: <mailto:l-help@example.org>\n"                  \
    "List-Subscribe: <mailto:l-join@example.org>\n"                                                \
    "List-Unsubscribe:\n <mailto:l-leave@example.org>\nList-Post: <mailto:l@example.org>\n"        \
    "List-Owner: <mailto:l-owner@example.org>\n"
#define ARCHIVE "List-Archive: <https://example.org/l/>\n"
    struct decide d;

    (void)state;
    decide_open(&d, full_list);
    check_row("as stamped, one field folded otherwise");
    check_str("outcome", "distribution l.example.org list-id\n",
              decide_message(&d, "", STAMPED ARCHIVE "Message-ID: <12345>\n\n"));
    check_text("of two Archived-At the log has the first", "https://example.org/l/" HASH,
               d.made.plan.archived_at);
    check_row("fields of different names in another order");
    check_str("outcome", "distribution l.example.org list-id\n",
              decide_message(&d, "", "Message-ID: <12345>\n" ARCHIVE STAMPED "\n"));
    check_row("one field is missing: all is done again");
    (void)decide_message(&d, "", STAMPED "Message-ID: <12345>\n\n");
    check_int("removed", 9, (long long)d.made.plan.removed);
    check_int("added", 10, (long long)d.made.plan.added);
    check_row("one forged field more");
    (void)decide_message(&d, "", STAMPED ARCHIVE "x-list-sequence: 5\nMessage-ID: <12345>\n\n");
    check_int("removed", 11, (long long)d.made.plan.removed);
    check_row("the two Archived-At in another order");
    (void)decide_message(&d, "",
                         "Archived-At: <https://b.example/12345>\n"
                         "Archived-At: <https://example.org/l/" HASH ">\n" ARCHIVE
                         "Message-ID: <12345>\nList-Id: <l.example.org>\n\n");
    check_int("added", 10, (long long)d.made.plan.added);
    check_row("a value in another letter case is another value");
    (void)decide_message(&d, "",
                         STAMPED "List-Archive: <https://EXAMPLE.org/l/>\nMessage-ID: <12345>\n\n");
    check_int("added", 10, (long long)d.made.plan.added);
    decide_close(&d);
    check_end();
}

/* SU-07, SU-08, SU-16, SU-27, R1-08, AT-08, LH-08: names in the table's order, copies from the
 * highest index down (RULINGS 4), also of fields that the list does not set */
static void test_removal(void **state)
{
    static const struct decide_row rows[] = {{
        "to=l@example.org",
        "message-id-HASH: a\nList-Unsubscribe-Post: List-Unsubscribe=One-Click\n"
        "X-Message-Id-Hash: b\nMESSAGE-ID-HASH:\n\tc\n d \nMessage-ID: <12345>\n"
        "X-Message-ID-Header: e\nArchived-At: <f>\nX-Archived-At: g\nlist-id : h <i.j>\n"
        "List-Help: k\nList-Subscribe: l\nList-Unsubscribe: m\nList-Post: n\nList-Owner: o\n"
        "List-Sequence: w\nList-Archive: p\nX-List-Sequence: q\nX-List-Sequence-Number: "
        "r\nX-List-ID-Hash: s\n"
        "X-Alt-Message-ID: t\nList-Software: u\nMessage-ID-Hash : v\n\n",
        "feed l.example.org feed\n"
        "-Message-ID-Hash 3|v\n-Message-ID-Hash 2|c d\n-Message-ID-Hash 1|a\n"
        "-X-Message-ID-Hash 1|b\n-X-Message-ID-Header 1|e\n-Archived-At 1|<f>\n"
        "-X-Archived-At 1|g\n-List-Id 1|h <i.j>\n-List-Help 1|k\n-List-Subscribe 1|l\n"
        "-List-Unsubscribe 1|m\n-List-Unsubscribe-Post 1|List-Unsubscribe=One-Click\n"
        "-List-Post 1|n\n-List-Owner 1|o\n-List-Archive 1|p\n-X-List-Sequence 1|q\n"
        "-X-List-Sequence-Number 1|r\n-X-List-ID-Hash 1|s\n-X-Alt-Message-ID 1|t\n"
        "-List-Sequence 1|w\n",
    }};

    (void)state;
    decide_table(full_list, rows, CHECK_COUNT(rows));
}

/* RULINGS 70, 79: what a feed may take from private recipients of the same transaction */
static void test_private_recipients(void **state)
{
    static const struct decide_row rows[] = {
        {"client=198.51.100.7 to=l@example.org to=x@y",
         "List-Id: <L.example.org>\nList-Id: <foreign.example>\nArchived-At: <a>\n"
         "List-Post: b\nMessage-ID-Hash: c\nX-List-Sequence: 1\nX-Alt-Message-ID: d\n"
         "X-Archived-At: e\nX-Message-ID-Hash: f\nX-Message-ID-Header: g\nX-List-ID-Hash: h\n"
         "X-List-Sequence-Number: i\nList-Sequence: j\nMessage-ID: <1>\n\n",
         "feed l.example.org feed\n-Message-ID-Hash 1|c\n-X-Message-ID-Hash 1|f\n"
         "-X-Message-ID-Header 1|g\n-List-Id 1|<L.example.org>\n-X-List-Sequence 1|1\n"
         "-X-List-Sequence-Number 1|i\n-X-List-ID-Hash 1|h\n-X-Alt-Message-ID 1|d\n"
         "-List-Sequence 1|j\n"},
        {"client=198.51.100.7 to=l@example.org to=x@y", "Message-ID: <1>\nList-Post: b\n\n",
         "feed l.example.org feed\n"},
    };

    (void)state;
    decide_table(full_list, rows, CHECK_COUNT(rows));
}

#define ALIAS(keys)                                                                                \
    "lists = {}\nlist \"a.example.org\" { select = \"recipient\" address = \"a@example.org\"\n"    \
    "archived_at = {\"https://b.example/{message_id_hash}\"}\n" keys "}\n"                         \
    "list \"m.example.org\" { address = \"m@example.org\"\n" keys "}\n"

/* SU-03, SU-04 */
static void test_message_id_forms(void **state)
{
#define STAMP(hash)                                                                                \
    "distribution a.example.org recipient\n+Message-ID-Hash|" hash                                 \
    "\n+Archived-At|<https://b.example/" hash ">\n+List-Id|<a.example.org>\n"
/* RULINGS 6, AT-14: hashed, but the URL would be that of each such post */
#define EMPTY_ID                                                                                   \
    "distribution a.example.org recipient\n+Message-ID-Hash|3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ\n"    \
    "+List-Id|<a.example.org>\nnote Archived-At by template 1 left out: no value for "             \
    "{message_id_hash} (the Message-ID is empty)\n"
#define BLANK_HASH "XBMMWKBGC75QSVWZMAQVZDUE2HGPSCOG" /* of one blank */
    static const struct decide_row rows[] = {
        {"to=a@example.org", "Message-ID: <12345>\nMessage-ID: <other>\n\n", STAMP(HASH)},
        {"to=a@example.org", "message-id :    12345    \n\n", STAMP(HASH)},
        {"to=a@example.org", "Message-ID: 12345>\n\n", STAMP("YJIGBYRWZFG5LZEBQ7NR25B5HBR2BVD6")},
        {"to=a@example.org", "Message-ID: <12345\n\n", STAMP("XUFFJNJ2P2WC4NDPQRZFDJMV24POP64B")},
        {"to=a@example.org", "Message-ID:\n\n", EMPTY_ID},
        {"to=a@example.org", "Message-ID: <>\nMessage-ID: <12345>\n\n", EMPTY_ID},
        {"to=a@example.org", "Message-ID: < >\n\n",
         "distribution a.example.org recipient\n+Message-ID-Hash|" BLANK_HASH
         "\n+Archived-At|<https://b.example/" BLANK_HASH ">\n+List-Id|<a.example.org>\n"},
        {"to=a@example.org",
         "Message-ID:\r\n <CH0PR10MB5179DC56E53E0771FCB8109199F42@CH0PR10MB5179.namprd10.prod."
         "outlook.com>\r\n\r\n",
         STAMP("W5D2MQSITOHDGZDJKKL56I75NFD5TTCI")},
        {"to=a@example.org msgid=<12345>", "Subject: x\n\n", STAMP(HASH)}, /* Sendmail's own */
        {"to=a@example.org msgid=<x>", "Message-ID: <12345>\n\n", STAMP(HASH)},
    };

    (void)state;
    decide_table(ALIAS(""), rows, CHECK_COUNT(rows));
}

/* SU-02, AT-11, RULINGS 7: the known answers are SHA-1 computed elsewhere over the same texts */
static void test_missing_message_id(void **state)
{
#define POST_DATE "Date: Wed, 04 Jul 2007 16:49:58 +0900\n"
#define POST_REST "From: a@b\nTo: c@d\nSubject: An\n important message\n\n"
    static const struct {
        const char *transaction;
        const char *message;
        const char *id;
    } rows[] = {
        {"to=a@example.org", POST_DATE POST_REST,
         "<kcb3eqklonf5cmdknoqjfovrceury7zh@a.example.org>"},
        {"client=198.51.100.7 to=a@example.org",
         "X-Other: y\nDate:  Wed, 04 Jul 2007 16:49:58 +0900\nTo: c@d\nFrom: a@b\n"
         "Subject: An important message\n\n",
         "<kcb3eqklonf5cmdknoqjfovrceury7zh@a.example.org>"},
        /* two alarms of one second came by other ways, or at other times */
        {"to=a@example.org", "Received: x\n" POST_DATE POST_REST,
         "<pa2qug73nopprqyygjsivnwindochm6k@a.example.org>"},
        {"client=198.51.100.7 to=m@example.org", POST_DATE "Received:\n x\n" POST_REST,
         "<pa2qug73nopprqyygjsivnwindochm6k@m.example.org>"},
        {"to=a@example.org", "Received: one\nFrom: a@b\nReceived: two\n\n",
         "<qgyn6d665ds6idabnphyevpmicmffsik@a.example.org>"},
        /* the copies of a list manager go other ways, too */
        {"list=m.example.org", POST_DATE POST_REST,
         "<kcb3eqklonf5cmdknoqjfovrceury7zh@m.example.org>"},
        {"list=m.example.org", "Received: x\n" POST_DATE POST_REST,
         "<kcb3eqklonf5cmdknoqjfovrceury7zh@m.example.org>"},
        {"list=m.example.org", "Received: x\n" POST_REST,
         "<jygdrnxpi5p6vlhldx546kdb4dgw7t4r@m.example.org>"},
        /* without Date and Received the time of arrival */
        {"list=m.example.org", POST_REST, "<hr4vdcgsjt6iofaqpyu3h7543dazbwuo@m.example.org>"},
        {"to=a@example.org", "From: a@b\n\n", "<o5obsvo7v3oa336jzrposemvks77bldb@a.example.org>"},
        /* an empty Date is not a missing one */
        {"to=a@example.org", "Received: one\nDate:\nFrom: a@b\n\n",
         "<xng3ngaze4754253bbddj7autcr24e5k@a.example.org>"},
    };
    struct decide d;

    (void)state;
    decide_open(&d, ALIAS(""));
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        char name[512];

        snprintf(name, sizeof name, "%s %s", rows[i].transaction, rows[i].message);
        check_row(name);
        (void)decide_message(&d, rows[i].transaction, rows[i].message);
        check_str("generated id", rows[i].id,
                  d.made.plan.edit_count > 0 ? d.made.plan.edits[0].value.p : NULL);
    }
    check_row("in a feed nothing is stamped");
    (void)decide_message(&d, "client=198.51.100.7 to=m@example.org", POST_DATE POST_REST);
    check_int("added", 1, (long long)d.made.plan.added);
    decide_close(&d);
    check_end();
}

/* SU-05, SU-06, RULINGS 31, 32, 78 */
static void test_policies(void **state)
{
    static const struct decide_row reject[] = {
        {"to=a@example.org", "Subject: x\n\n",
         "distribution a.example.org recipient\n550 5.7.1 List a.example.org: a post must have a "
         "Message-ID field\n"},
        {"to=a@example.org msgid=<x>", "Subject: x\n\n",
         "distribution a.example.org recipient\n550 5.7.1 List a.example.org: a post must have a "
         "Message-ID field\n"},
        {"to=m@example.org", "Message-ID: <1>\nmessage-id: <1>\n\n",
         "feed m.example.org feed\n550 5.7.1 List m.example.org: a post must have only one "
         "Message-ID field\n"},
        {"", "List-Id: <m.example.org>\nMessage-ID: <12345>\nMessage-ID: <1>\n\n",
         "distribution m.example.org list-id\n-List-Id 1|<m.example.org>\n"
         "+Message-ID-Hash|" HASH "\n+List-Id|<m.example.org>\n"},
        /* RULINGS 78: the feed that several List-Ids fall back to is a list manager's output */
        {"to=x@y", "List-Id: <m.example.org>\nList-Id: <n.example.org>\nDate: x\nFrom: a@b\n\n",
         "feed m.example.org ambiguous\n-List-Id 2|<n.example.org>\n-List-Id 1|<m.example.org>\n"
         "+Message-ID|<2xq3nclwrptpywungpruwfgch5qwqj7x@m.example.org>\n"
         "error the List-Id fields name several lists and the sender does not decide\n"},
        {"to=m@example.org to=x@y",
         "List-Id: <m.example.org>\nList-Id: <n.example.org>\nMessage-ID: <1>\nMessage-ID: <2>\n"
         "List-Post: x\n\n",
         "feed m.example.org ambiguous\n-List-Id 2|<n.example.org>\n-List-Id 1|<m.example.org>\n"
         "-List-Post 1|x\n"
         "error the List-Id fields name several lists and the sender does not decide\n"},
    };
    static const struct decide_row ignore[] = {
        {"to=a@example.org", "Subject: x\n\n",
         "distribution a.example.org recipient\n+List-Id|<a.example.org>\n"
         "note Archived-At by template 1 left out: no value for {message_id_hash}\n"},
        {"to=m@example.org", "Subject: x\n\n", "feed m.example.org feed\n"},
        {"to=m@example.org", "Message-ID: <1>\nMESSAGE-ID: <2>\nMessage-ID: <3>\n\n",
         "feed m.example.org feed\n-Message-ID 3|<3>\n-Message-ID 2|<2>\n"},
        {"to=m@example.org to=x@y", "Message-ID: <1>\nMESSAGE-ID: <2>\n\n",
         "feed m.example.org feed\n-Message-ID 2|<2>\n"}, /* RULINGS 79 */
    };

    (void)state;
    decide_table(
        ALIAS("missing_message_id = \"reject\" duplicate_message_id = \"reject\"") "list "
                                                                                   "\"n.example."
                                                                                   "org\" {}\n",
        reject, CHECK_COUNT(reject));
    decide_table(ALIAS("missing_message_id = \"ignore\" duplicate_message_id = \"delete\""), ignore,
                 CHECK_COUNT(ignore));
}

/* AT-04, AT-06, RULINGS 11, 13 */
static void test_not_archived(void **state)
{
#define UNARCHIVED(why)                                                                            \
    "distribution a.example.org recipient\n+Message-ID-Hash|" HASH                                 \
    "\n+List-Id|<a.example.org>\nnote no Archived-At: " why "\n"
    static const struct decide_row rows[] = {
        {"to=a@example.org", "Message-ID: <12345>\nX-No-Archive: Yes\n\n",
         UNARCHIVED("the message has X-No-Archive")},
        {"to=a@example.org", "Message-ID: <12345>\nX-No-Archive: no\nX-No-Archive:\n yes(x)\n\n",
         UNARCHIVED("the message has X-No-Archive")},
        {"to=a@example.org", "Message-ID: <12345>\nX-Archive: no; expires=1\n\n",
         UNARCHIVED("the message has X-Archive")},
        {"to=a@example.org", "Message-ID: <12345>\nArchive: NO; x=y\n\n",
         UNARCHIVED("the message has Archive")},
        /* Mailman looks whether X-No-Archive is there, whatever it says */
        {"to=a@example.org", "Message-ID: <12345>\nX-No-Archive: yesterday\n\n",
         UNARCHIVED("the message has X-No-Archive")},
        {"to=a@example.org", "Message-ID: <12345>\nX-No-Archive:\n\n",
         UNARCHIVED("the message has X-No-Archive")},
        {"to=a@example.org", "Message-ID: <12345>\nArchive: yes\n\n", STAMP(HASH)},
        {"to=a@example.org", "Message-ID: <12345>\nArchive: yes\nArchive: \"NO\"(x)\n\n",
         UNARCHIVED("the message has Archive")},
        {"to=a@example.org", "Message-ID: <12345>\nX-Archive: \"no\n\n", STAMP(HASH)},
        {"to=a@example.org", "Message-ID: <12345>\nX-Archive: none\n\n", STAMP(HASH)},
        {"to=a@example.org",
         "Message-ID: <12345>\nRestrict: x,\n No-External-Archive; no-export\n\n",
         UNARCHIVED("the message has Restrict")},
        {"to=a@example.org",
         "Message-ID: <12345>\nRestrict: no-external-archives, xno-external-archive, "
         "no-external-\n archive\n\n",
         STAMP(HASH)},
        {"to=a@example.org",
         "Message-ID: <12345>\nRestrict: no-external-archive-x (no-external-archive)\n\n",
         UNARCHIVED("the message has Restrict")},
        {"to=a@example.org",
         "Message-ID: <12345>\nContent-Type: (c) Multipart/Digest ; boundary=x\n\n",
         STAMP(HASH)}, /* a poster's (RULINGS 11) */
        {"to=a@example.org", "Message-ID: <12345>\nContent-Type: message / partial; id=x\n\n",
         UNARCHIVED("a fragment (message/partial)")},
        {"to=a@example.org", "Message-ID: <12345>\nContent-Type: message/partially\n\n",
         STAMP(HASH)},
        /* a comment that is not closed: nothing is said of what stands in it */
        {"to=a@example.org", "Message-ID: <12345>\nContent-Type: (multipart/digest\n\n",
         STAMP(HASH)},
        {"to=a@example.org", "Message-ID: <12345>\nContent-Type: multipart (/digest\n\n",
         STAMP(HASH)},
        /* what is addressed to the list is no answer to a person */
        {"to=a@example.org from=ar@example.org", "Message-ID: <12345>\n\n", STAMP(HASH)},
    };
    static const struct decide_row honored[] = {
        {"to=a@example.org", "Message-ID: <12345>\nX-No-Archive: yes\n\n", STAMP(HASH)}};

    (void)state;
    decide_table("lists = {}\nlist \"a.example.org\" { select = \"recipient\" "
                 "address = \"a@example.org\" command_addresses = {\"ar@example.org\"}\n"
                 "archived_at = {\"https://b.example/{message_id_hash}\"} }\n",
                 rows, CHECK_COUNT(rows));
    decide_table(ALIAS("honor_no_archive = false"), honored, CHECK_COUNT(honored));
}

/* AT-03, AT-09, AT-10, SU-12, SU-17, R1-06, RULINGS 30, 46, 49 */
static void test_templates(void **state)
{
    static const char configuration[] =
        "lists = {}\nlist \"a.example.org\" { select = \"recipient\" address = \"a@example.org\"\n"
        "message_id_hash = false archived_at = {\"https://b.example/{message_id}\",\n"
        "\"https://b.example/{message_id:64}\", \"https://c.example/?q={message_id}\",\n"
        "\"https://d.example/{list_label}/{year}-{month:2}-{day}/{month_name}{month_abbr}\",\n"
        "\"https://e.example/{list_id_hash}\"} }\n";
    static const struct decide_row rows[] = {
        {"to=a@example.org",
         "Message-ID: <87myycy5eh.fsf@uwakimon.sk.tsukuba.ac.jp>\n"
         "Date: Wed, 04 Jul 2007 16:49:58 +0900\n\n",
         "distribution a.example.org recipient\n"
         "+Archived-At|<https://b.example/87myycy5eh.fsf@uwakimon.sk.tsukuba.ac.jp>\n"
         "+Archived-At|<https://c.example/?q=87myycy5eh.fsf%40uwakimon.sk.tsukuba.ac.jp>\n"
         "+Archived-At|<https://d.example/a/2007-07-4/JulyJul>\n"
         "+Archived-At|<https://e.example/RXTJ357KFOTJP3NFJA6KMO65X7VQOHJI>\n"
         "+List-Id|<a.example.org>\n"},
        {"to=a@example.org", "Message-ID: <a/b?c#d%e \"\xC3\xA9\x01>\nDate: nonsense\n\n",
         "distribution a.example.org recipient\n"
         "+Archived-At|<https://b.example/a%2Fb%3Fc%23d%25e%20%22%C3%A9%01>\n"
         "+Archived-At|<https://c.example/?q=a%2Fb%3Fc%23d%25e%20%22%C3%A9%01>\n"
         "+Archived-At|<https://e.example/4RRD3ZAPATKHTPTDDJYKBQSASLMC43FJ>\n"
         "+List-Id|<a.example.org>\n"
         "note Archived-At by template 4 left out: no value for {year}\n"},
    };

    (void)state;
    decide_table(configuration, rows, CHECK_COUNT(rows));
}

/* RULINGS 26: `keep`, in a distribution only */
static void test_keep(void **state)
{
    static const struct decide_row rows[] = {
        {"to=x@example.net",
         "List-Id: <m.example.org>\nMessage-ID: <12345>\nList-Help: <mailto:x@y>\nlist-help: z\n"
         "Archived-At: <https://b.example/\n " HASH ">\nArchived-At: <https://c.example/>\n"
         "List-Unsubscribe-Post: one\n\n",
         "distribution m.example.org list-id\n-List-Id 1|<m.example.org>\n-List-Help 2|z\n"
         "-List-Unsubscribe-Post 1|one\n"
         "+Message-ID-Hash|" HASH "\n+List-Id|<m.example.org>\n"},
        {"to=x@example.net",
         "List-Id: <m.example.org>\nMessage-ID: <12345>\nArchived-At: <https://c.example/>\n\n",
         "distribution m.example.org list-id\n-List-Id 1|<m.example.org>\n"
         "+Message-ID-Hash|" HASH "\n+Archived-At|<https://b.example/" HASH
         ">\n+List-Id|<m.example.org>\n+List-Help|<mailto:h@example.org>\n"},
        /* where every field is a poster's, the defaults' word is not heeded */
        {"to=a@example.org",
         "Message-ID: <12345>\nList-Help: <mailto:x@y>\nArchived-At: <https://c.example/>\n\n",
         "distribution a.example.org recipient\n-Archived-At 1|<https://c.example/>\n"
         "-List-Help 1|<mailto:x@y>\n+Message-ID-Hash|" HASH "\n+List-Id|<a.example.org>\n"},
        {"to=m@example.org", "Message-ID: <12345>\nList-Help: <mailto:x@y>\n\n",
         "feed m.example.org feed\n-List-Help 1|<mailto:x@y>\n"},
    };

    (void)state;
    decide_table("lists = {}\n"
                 "defaults { keep = {\"list-help\", \"Archived-At\", \"List-Unsubscribe-Post\"} }\n"
                 "list \"a.example.org\" { select = \"recipient\" address = \"a@example.org\" }\n"
                 "list \"m.example.org\" { address = \"m@example.org\" "
                 "archived_at = {\"https://b.example/{message_id_hash}\"} "
                 "help = {\"mailto:h@example.org\"} }\n",
                 rows, CHECK_COUNT(rows));
}

/* RULINGS 16: an item that names the recipient, with one and with several of them */
static void test_recipient_item(void **state)
{
    static const char configuration[] =
        "lists = {}\nlist \"m.example.org\" { message_id_hash = false\n"
        "unsubscribe = {\"https://u.example/?a={recipient} (web)\", \"mailto:u@example.org\"} }\n"
        "list \"only.example.org\" { message_id_hash = false\n"
        "unsubscribe = {\"https://u.example/{recipient}\"} }\n";
    static const struct decide_row rows[] = {
        {"to=J+x/@Example.NET", "Message-ID: <1>\nList-Id: x <m.example.org>\n\n",
         "distribution m.example.org list-id\n-List-Id 1|x <m.example.org>\n"
         "+List-Id|<m.example.org>\n"
         "+List-Unsubscribe|<https://u.example/?a=J%2Bx%2F%40Example.NET> (web),\n "
         "<mailto:u@example.org>\n"},
        {"to=a@b to=A@B", "Message-ID: <1>\nList-Id: <only.example.org>\n\n",
         "distribution only.example.org list-id\n-List-Id 1|<only.example.org>\n"
         "+List-Id|<only.example.org>\n+List-Unsubscribe|<https://u.example/a@b>\n"},
        {"to=a@b to=c@d", "Message-ID: <1>\nList-Id: x <m.example.org>\n\n",
         "distribution m.example.org list-id\n-List-Id 1|x <m.example.org>\n"
         "+List-Id|<m.example.org>\n+List-Unsubscribe|<mailto:u@example.org>\n"},
        {"to=a@b to=c@d", "Message-ID: <1>\nList-Id: x <only.example.org>\n\n",
         "distribution only.example.org list-id\n-List-Id 1|x <only.example.org>\n"
         "+List-Id|<only.example.org>\n"},
    };

    (void)state;
    decide_table(configuration, rows, CHECK_COUNT(rows));
}

/* RULINGS 19, 22: what the log is told */
static void test_notes(void **state)
{
    static const struct decide_row rows[] = {
        {"", "List-Id: <m.example.org>\nList-Id: <n.example.org>\nMessage-ID: <1>\n\n",
         "feed m.example.org ambiguous\n-List-Id 2|<n.example.org>\n-List-Id 1|<m.example.org>\n"
         "error the List-Id fields name several lists and the sender does not decide\n"},
        {"to=a@example.org to=m@example.org", "Message-ID: <12345>\n\n",
         "distribution a.example.org recipient\n+Message-ID-Hash|" HASH
         "\n+Archived-At|<https://b.example/" HASH ">\n+List-Id|<a.example.org>\n"
         "note several lists of ours in one transaction\n"},
    };

    (void)state;
    decide_table(ALIAS("") "list \"n.example.org\" {}\n", rows, CHECK_COUNT(rows));
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_second_pass),
        cmocka_unit_test(test_removal),
        cmocka_unit_test(test_private_recipients),
        cmocka_unit_test(test_message_id_forms),
        cmocka_unit_test(test_missing_message_id),
        cmocka_unit_test(test_policies),
        cmocka_unit_test(test_not_archived),
        cmocka_unit_test(test_templates),
        cmocka_unit_test(test_keep),
        cmocka_unit_test(test_recipient_item),
        cmocka_unit_test(test_notes),
        cmocka_unit_test(test_many_notes),
        cmocka_unit_test(test_long_texts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Numbers, the store's word, revision 1 and named tokens: SU-16 to SU-26, R1-01 to R1-08, RULINGS 8
 * to 11, 31 to 33, 39, 48, 50, 55, 64 to 66 */
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
            ALIAS("r", "list_id_hash = true archive = {\"http://archive.example.com\"} "
                       "archived_at = {\"{archive}/{list_id_hash}/{sequence}\"} ")
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
        /* the example of the document */
        {"to=r@example.org number=801",
         DATE "Message-ID: <87myycy5eh.fsf@uwakimon.sk.tsukuba.ac.jp>\n"
              "X-List-ID-Hash: forged\nX-List-Sequence-Number: 1\n\n",
         HEAD("r") "-X-List-Sequence-Number 1|1 [R1-08]\n-X-List-ID-Hash 1|forged [R1-08]\n"
                   "+Archived-At|<http://archive.example.com/RXTJ357KFOTJP3NFJA6KMO65X7VQOHJI/801> "
                   "[AT-01]\n"
                   "+List-Id|<r.example.org> [LI-09]\n"
                   "+List-Archive|<http://archive.example.com> [LH-01]\n"
                   "+X-List-Sequence|801 [SU-16]\n+X-List-Sequence-Number|801 [R1-04]\n"
                   "+X-List-ID-Hash|RXTJ357KFOTJP3NFJA6KMO65X7VQOHJI [R1-01]\n"},
        /* RULINGS 26: what the defaults would keep goes all the same */
        {"to=k@example.org number=5",
         DATE "Message-ID: <12345>\nX-List-Sequence: 8\nX-List-Sequence-Number: 9\n"
              "X-List-ID-Hash: kept\nX-List-Sequence: 10\nArchived-At: a\n\n",
         HEAD("k") "-Archived-At 1|a [SU-09]\n"
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
    decide_table_clauses(configuration, rows, CHECK_COUNT(rows));
}

/* RULINGS 10, 11: no posts, and posts that are not archived */
static void test_not_archived(void **state)
{
    static const char configuration[] =
        "lists = {}\n" ALIAS("n", "list_id_hash = true alt_message_id = true "
                                  "command_addresses = {\"n-request@example.org\"} "
                                  "archived_at = {\"https://a.example/{sequence}\"} ");
#define FIELDS                                                                                     \
    "+X-List-ID-Hash|3QFYHZSVEGMHPNGOPYLZI6WGYNQYDKAJ [R1-01]\n+X-Alt-Message-ID|<" HASH           \
    "> [public-inbox]\n"
#define NUMBERS "+X-List-Sequence|5 [SU-16]\n+X-List-Sequence-Number|5 [R1-04]\n"
    static const struct decide_row rows[] = {
        {"to=n@example.org number=5", DATE "Message-ID: <12345>\nX-No-Archive: yes\n\n",
         HEAD("n") "+List-Id|<n.example.org> [LI-09]\n" NUMBERS FIELDS
                   "note no Archived-At: the message has X-No-Archive\n"},
        {"to=n@example.org number=5", DATE "Message-ID: <12345>\nContent-Type: message/partial\n\n",
         HEAD("n") "+List-Id|<n.example.org> [LI-09]\n" NUMBERS FIELDS
                   "note no Archived-At: a fragment (message/partial)\n"},
        {"to=n@example.org number=5",
         DATE "Message-ID: <12345>\nContent-Type: multipart/digest\n\n",
         HEAD("n") "+Archived-At|<https://a.example/5> [AT-01]\n"
                   "+List-Id|<n.example.org> [LI-09]\n" NUMBERS FIELDS},
        {"to=n@example.org number=5 from=n-request@example.org", DATE "Message-ID: <12345>\n\n",
         HEAD("n") "+Archived-At|<https://a.example/5> [AT-01]\n"
                   "+List-Id|<n.example.org> [LI-09]\n" NUMBERS FIELDS},
        {"to=n@example.org number=5", DATE "Message-ID: <12345>\n\n",
         HEAD("n") "+Archived-At|<https://a.example/5> [AT-01]\n"
                   "+List-Id|<n.example.org> [LI-09]\n" NUMBERS FIELDS},
    };

    (void)state;
    decide_table_clauses(configuration, rows, CHECK_COUNT(rows));
}

/* RULINGS 50 */
static void test_number_of_sender(void **state)
{
    static const char configuration[] =
        "lists = {}\nlist \"m.example.org\" { address = \"m@example.org\" "
        "message_id_hash = false sequence_from = \"envelope-sender\" "
        "archived_at = {\"https://a.example/pipermail/{list_label}/{year}-{month_name}/"
        "{sequence:6}.html\", \"https://b.example/{message_id}\"} }\n"
        "list \"r.example.org\" { address = \"r@example.org\" message_id_hash = false "
        "sequence = true sequence_from = \"envelope-sender\" reused_message_id = \"omit\" }\n";
#define MLMMJ DATE "Message-ID: <12345>\nList-Id: <m.example.org>\n"
    static const struct decide_row rows[] = {
        {"from=m+bounces-42-ann=example.com@example.org", MLMMJ "\n",
         "distribution m.example.org list-id\n-List-Id 1|<m.example.org> [LI-12]\n"
         "+Archived-At|<https://a.example/pipermail/m/2007-July/000042.html> [AT-01]\n"
         "+Archived-At|<https://b.example/12345> [AT-01]\n"
         "+List-Id|<m.example.org> [LI-09]\n+X-List-Sequence|42 [SU-16]\n"},
        {"from=m-owner@example.org number=7", MLMMJ "\n",
         "distribution m.example.org list-id\n-List-Id 1|<m.example.org> [LI-12]\n"
         "+Archived-At|<https://b.example/12345> [AT-01]\n"
         "+List-Id|<m.example.org> [LI-09]\n"
         "note no number: the envelope sender has none\n"
         "note Archived-At by template 1 left out: no value for {sequence}\n"},
        /* the store is asked for reused ids only; it may have a number from earlier days */
        {"from=r+bounces-42@example.org number=7",
         "Message-ID: <12345>\nList-Id: <r.example.org>\n\n",
         "distribution r.example.org list-id\n-List-Id 1|<r.example.org> [LI-12]\n"
         "+List-Id|<r.example.org> [LI-09]\n+X-List-Sequence|42 [SU-16]\n"},
        {"from=m+bounces-digest-42@example.org", MLMMJ "Content-Type: multipart/digest\n\n",
         "distribution m.example.org list-id\n"
         "note no Archived-At: a digest\n"},
        /* a member's own multipart/digest has a post's sender (RULINGS 11) */
        {"from=r+bounces-42@example.org number=7",
         "Message-ID: <12345>\nContent-Type: multipart/digest\nList-Id: <r.example.org>\n\n",
         "distribution r.example.org list-id\n-List-Id 1|<r.example.org> [LI-12]\n"
         "+List-Id|<r.example.org> [LI-09]\n+X-List-Sequence|42 [SU-16]\n"},
    };

    (void)state;
    decide_table_clauses(configuration, rows, CHECK_COUNT(rows));
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
                   "error the store failed: what needs the number is left out "
                   "(on_store_failure)\n"
                   "note Archived-At by template 1 left out: no value for {sequence}\n"},
        {"to=r@example.org storefail", POST,
         HEAD("r") "-X-List-Sequence 1|1 [SU-16]\n+Archived-At|<https://b.example/12345> [AT-01]\n"
                   "+List-Id|<r.example.org> [LI-09]\n"
                   "error the store failed: nobody knows whether the Message-ID was used "
                   "before (on_store_failure)\n"},
        {"to=t@example.org next number=5", POST,
         HEAD("t") "-X-List-Sequence 1|1 [SU-16]\n+List-Id|<t.example.org> [LI-09]\n"
                   "+X-List-Sequence|5 [SU-16]\n"
                   "note the number 5 is the next one, it is not given yet\n"},
        {"to=r@example.org next", "Message-ID: <12345>\n\n",
         HEAD("r") "+Archived-At|<https://b.example/12345> [AT-01]\n"
                   "+List-Id|<r.example.org> [LI-09]\n"},
        {"to=t@example.org", POST,
         HEAD("t") "-X-List-Sequence 1|1 [SU-16]\n+List-Id|<t.example.org> [LI-09]\n"
                   "note the store was not asked: what it would say is left out\n"},
    };

    (void)state;
    decide_table_clauses(configuration, rows, CHECK_COUNT(rows));
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
    decide_table_clauses(configuration, rows, CHECK_COUNT(rows));
}

/* R1-01, R1-02, R1-03, R1-06, RULINGS 8, 34, 78: the clock of the tests stands at 07:49:58 UTC */
static void test_date(void **state)
{
    static const char configuration[] = "lists = {}\n" ALIAS(
        "a", "list_id_hash = true "
             "archived_at = {\"https://a.example/{list_id_hash}\", "
             "\"https://b.example/{year}\"} ")
        ALIAS(
            "plain",
            "archived_at = {\"https://b.example/{year}\"} ") "list \"m.example.org\" { address = "
                                                             "\"m@example.org\" message_id_hash = "
                                                             "false "
                                                             "  list_id_hash = true archived_at = "
                                                             "{\"https://b.example/{year}\"} }\n"
                                                             "list \"s.example.org\" { address = "
                                                             "\"s@example.org\" select = "
                                                             "\"sender\" "
                                                             "  message_id_hash = false "
                                                             "list_id_hash = true }\n"
                                                             "list \"n.example.org\" { address = "
                                                             "\"n@example.org\" list_id_hash = "
                                                             "true }\n";
#define ADDED "+Date|Wed, 4 Jul 2007 07:49:58 +0000 [R1-02]\n"
    static const struct decide_row rows[] = {
        {"to=a@example.org", "Message-ID: <12345>\n\n",
         HEAD("a") ADDED
         "+Archived-At|<https://a.example/QZRIW6PCNNQWDQHBUMYWDITZHFLDQEH4> [AT-01]\n"
         "+Archived-At|<https://b.example/2007> [AT-01]\n"
         "+List-Id|<a.example.org> [LI-09]\n"
         "+X-List-ID-Hash|QZRIW6PCNNQWDQHBUMYWDITZHFLDQEH4 [R1-01]\n"},
        /* Message-ID above Date; both enter the hash */
        {"to=n@example.org", "From: a@b\n\n",
         "feed n.example.org feed\n+Message-ID|<o5obsvo7v3oa336jzrposemvks77bldb@n.example.org> "
         "[SU-02]\n" ADDED},
        {"to=n@example.org to=x@y", "Message-ID: <1>\n\n", "feed n.example.org feed\n" ADDED},
        {"to=s@example.org", "Message-ID: <1>\n\n", "feed s.example.org feed\n" ADDED},
        /* the MTA writes one itself */
        {"to=a@example.org msgid=<12345>", "Subject: x\n\n",
         HEAD("a") "+List-Id|<a.example.org> [LI-09]\n"
                   "note Archived-At by template 1 left out: no value for {list_id_hash}\n"
                   "note Archived-At by template 2 left out: no value for {year}\n"
                   "note X-List-ID-Hash left out: the message has no Date\n"},
        /* each copy of a list manager's would get another one */
        {"", "List-Id: x <m.example.org>\nMessage-ID: <12345>\n\n",
         "distribution m.example.org list-id\n-List-Id 1|x <m.example.org> [LI-12]\n"
         "+List-Id|<m.example.org> [LI-09]\n"
         "note Archived-At by template 1 left out: no value for {year}\n"
         "note X-List-ID-Hash left out: the message has no Date\n"},
        {"from=s-owner@example.org", "Message-ID: <12345>\n\n",
         "distribution s.example.org sender\n+List-Id|<s.example.org> [LI-09]\n"
         "note X-List-ID-Hash left out: the message has no Date\n"},
        {"", "List-Id: <m.example.org>\nList-Id: <n.example.org>\nMessage-ID: <1>\n\n",
         "feed m.example.org ambiguous\n-List-Id 2|<n.example.org> [LI-12]\n"
         "-List-Id 1|<m.example.org> [LI-12]\n"
         "error the List-Id fields name several lists and the sender does not decide\n"},
        /* the first Date counts, as it stands; none is deleted */
        {"to=a@example.org", "Message-ID: <12345>\nDate: nonsense\nDate: x\n\n",
         HEAD("a") "+Archived-At|<https://a.example/O2CW4S6FVPQJO3Q7GJ4DA5SPEML7PV7Z> [AT-01]\n"
                   "+List-Id|<a.example.org> "
                   "[LI-09]\n+X-List-ID-Hash|O2CW4S6FVPQJO3Q7GJ4DA5SPEML7PV7Z [R1-01]\n"
                   "note Archived-At by template 2 left out: no value for {year}\n"},
        {"to=plain@example.org", "Message-ID: <12345>\n\n",
         HEAD("plain") "+List-Id|<plain.example.org> [LI-09]\n"
                       "note Archived-At by template 1 left out: no value for {year}\n"},
    };

    (void)state;
    decide_table_clauses(configuration, rows, CHECK_COUNT(rows));
}

/* RULINGS 65, AT-12 */
static void test_well_formed(void **state)
{
    static const char configuration[] =
        "lists = {}\n" ALIAS("w", "archived_at_requires = \"well-formed\" "
                                  "missing_message_id = \"ignore\" "
                                  "archived_at = {\"https://a.example/{message_id}\", "
                                  "\"https://b.example/fixed\"} ")
            ALIAS("v", "archived_at_requires = \"well-formed\" "
                       "archived_at = {\"https://a.example/{message_id}\"} ");
#define NOT "note no Archived-At: its Message-ID is not well-formed (archived_at_requires)\n"
    static const struct decide_row rows[] = {
        {"to=w@example.org", "Message-ID: <a.b@[127.0.0.1]>\n\n",
         HEAD("w") "+Archived-At|<https://a.example/a.b@%5B127.0.0.1%5D> [AT-01]\n"
                   "+Archived-At|<https://b.example/fixed> [AT-01]\n"
                   "+List-Id|<w.example.org> [LI-09]\n"},
        {"to=w@example.org", "Message-ID: <a;b@c>\n\n",
         HEAD("w") "+List-Id|<w.example.org> [LI-09]\n" NOT},
        {"to=w@example.org", "Message-ID: a@c\n\n",
         HEAD("w") "+List-Id|<w.example.org> [LI-09]\n" NOT},
        {"to=w@example.org", "Subject: x\n\n", HEAD("w") "+List-Id|<w.example.org> [LI-09]\n" NOT},
        {"to=v@example.org", DATE "\n",
         HEAD("v") "+Message-ID|<lzaiswqq355ewfesrsydqipqcwftdomo@v.example.org> "
                   "[SU-02]\n+Archived-At|<https://a.example/"
                   "lzaiswqq355ewfesrsydqipqcwftdomo@v.example.org> [AT-01]\n"
                   "+List-Id|<v.example.org> [LI-09]\n"},
    };

    (void)state;
    decide_table_clauses(configuration, rows, CHECK_COUNT(rows));
}

/* SU-24, SU-25, SU-26, RULINGS 48: known answers of facts about real archives */
static void test_tokens(void **state)
{
    static const char configuration[] =
        "lists = {}\n"
        "token \"ietf\" { digest = \"sha1\" of = \"{message_id}{list_label}\" "
        "  encoding = \"base64url\" }\n"
        "token \"sympa\" { digest = \"md5\" of = \"{message_id}\" encoding = \"base64url\" }\n"
        "token \"old\" { digest = \"sha1\" of = \"{message_id}{address}\" "
        "  encoding = \"base64url\" padding = true }\n"
        "token \"all\" { digest = \"sha256\" of = \"{message_id}{date}{from}{to}{subject}\" "
        "  encoding = \"hex\" }\n"
        "token \"rev\" { digest = \"sha256\" of = \"{list_id_hash}\" }\n"
        "token \"who\" { digest = \"sha1\" of = \"{from}{subject}{list_id}\" }\n"
        "list \"bpf.ietf.org\" { select = \"recipient\" address = \"bpf@ietf.org\" "
        "  message_id_hash = false archived_at = "
        "{\"https://mailarchive.ietf.org/arch/msg/{list_label}/{ietf}\"} }\n" ALIAS(
            "sympa",
            "archived_at = {\"https://h/sympa/msg/{list_label}/{year}-{month:2}/{sympa}\"} ")
            ALIAS("who", "missing_message_id = \"ignore\" "
                         "archived_at = {\"https://a.example/{who:4}\"} ")
                ALIAS("list", "missing_message_id = \"ignore\" "
                              "archived_at = {\"http://go.mail-archive.com/{old}\", "
                              "\"https://q.example/?{old:9}\"} ")
                    ALIAS("all",
                          "archived_at = {\"https://a.example/sha256-{all:7}\", "
                          "\"https://a.example/sha256-{all}\", \"https://a.example/{rev:4}\"} ");
    static const struct decide_row rows[] = {
        /* made of other fields, but a post without an id has no URL (RULINGS 48) */
        {"to=who@example.org", "From: a@b\n\n",
         HEAD("who") "+List-Id|<who.example.org> [LI-09]\n"
                     "note Archived-At by template 1 left out: no value for {who}\n"},
        {"to=who@example.org", "From: a@b\nMessage-ID: <>\n\n",
         HEAD("who") "+Archived-At|<https://a.example/Y43R> [AT-01]\n"
                     "+List-Id|<who.example.org> [LI-09]\n"},
        {"to=bpf@ietf.org",
         "Message-ID: <CAADnVQ+V33Cms=x6HHTCbpKN386NGNa5Z8KeiTujvrefqZod_A@mail.gmail.com>\n\n",
         "distribution bpf.ietf.org recipient\n"
         "+Archived-At|<https://mailarchive.ietf.org/arch/msg/bpf/5LnnKm093cGpOmDI9TnLQLBXyys> "
         "[AT-01]\n+List-Id|<bpf.ietf.org> [LI-09]\n"},
        {"to=sympa@example.org", DATE "Message-ID: <87myycy5eh.fsf@uwakimon.sk.tsukuba.ac.jp>\n\n",
         HEAD("sympa") "+Archived-At|<https://h/sympa/msg/sympa/2007-07/0WUaHd4roVtzVGndiwqTSg> "
                       "[AT-01]\n+List-Id|<sympa.example.org> [LI-09]\n"},
        {"to=list@example.org", "Message-ID: <12345>\n\n",
         HEAD("list") "+Archived-At|<http://go.mail-archive.com/TYC5RXtrO8He0zU5w8D0ePavPyc=> "
                      "[AT-01]\n+Archived-At|<https://q.example/?TYC5RXtrO> [AT-01]\n"
                      "+List-Id|<list.example.org> [LI-09]\n"},
        {"to=list@example.org", "Subject: x\n\n",
         HEAD("list") "+List-Id|<list.example.org> [LI-09]\n"
                      "note Archived-At by template 1 left out: no value for {old}\n"
                      "note Archived-At by template 2 left out: no value for {old}\n"},
        /* a missing field is empty; without a Date there is no {list_id_hash} */
        {"to=all@example.org", "Message-ID: <12345>\nFrom: a@b\nSubject:  x\n y \nFrom: z\n\n",
         HEAD("all") "+Archived-At|<https://a.example/sha256-b010095> [AT-01]\n"
                     "+Archived-At|<https://a.example/"
                     "sha256-b01009521b20b0215450d98a988c37591f7a575bf8c71a4048d0bf7255315e70> "
                     "[AT-01]\n"
                     "+List-Id|<all.example.org> [LI-09]\n"
                     "note Archived-At by template 3 left out: no value for {rev}\n"},
        {"to=all@example.org", DATE "Message-ID: <12345>\nTo: c\n\n",
         HEAD("all") "+Archived-At|<https://a.example/sha256-2ff42d3> [AT-01]\n"
                     "+Archived-At|<https://a.example/"
                     "sha256-2ff42d3030d3015415029c0e7d01675027d29a51a565277aba315f5ab07681ea> "
                     "[AT-01]\n"
                     "+Archived-At|<https://a.example/WCJF> [AT-01]\n"
                     "+List-Id|<all.example.org> [LI-09]\n"},
    };

    (void)state;
    decide_table_clauses(configuration, rows, CHECK_COUNT(rows));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_number),           cmocka_unit_test(test_not_archived),
        cmocka_unit_test(test_number_of_sender), cmocka_unit_test(test_store),
        cmocka_unit_test(test_reused),           cmocka_unit_test(test_date),
        cmocka_unit_test(test_well_formed),      cmocka_unit_test(test_tokens),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

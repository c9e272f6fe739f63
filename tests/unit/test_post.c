/* Which post a message is a copy of: RULINGS 6, 7, 10, 31, 33, 50, 66, 71, 78 */
#include "check.h"
#include "decide.h"

#include "spec/base_n.h"

static const char configuration[] =
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

/* Who is asked for what: RULINGS 6, 9, 10, 33, 50 */
static void test_number(void **state)
{
#define ID "Message-ID: <12345>\n"
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
    decide_open(&d, configuration);
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        char message[512];

        snprintf(message, sizeof message, "%sFrom: a@b\n\n", rows[i].header);
        (void)decide_message(&d, rows[i].transaction, message);
        snprintf(message, sizeof message, "%c%c%c %d", d.made.post.number_wanted ? 'w' : '-',
                 d.made.post.number_from_store ? 'n' : '-', d.made.post.store_needed ? 'a' : '-',
                 (int)d.made.post.number_from_sender);
        check_row(rows[i].transaction);
        check_str("number", rows[i].expected, message);
    }
    decide_close(&d);
    check_end();
}

/* RULINGS 10, 66: computed elsewhere as SHA-1 and SHA-256 over the same texts */
static void test_fingerprint(void **state)
{
#define KEY  "5994471abb01112afcc18159f6cc74b4f511b99806da59b3caf5a9c173cacfc5"
#define DATE "Date: Wed, 04 Jul 2007 16:49:58 +0900\n"
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

/* A generated id is a part of the fingerprint, so all copies have the same one: SU-02, SU-21 */
static void test_generated_id(void **state)
{
    unsigned char first[POST_FINGERPRINT_OCTETS];
    struct decide d;

    (void)state;
    decide_open(&d, configuration);
    (void)decide_message(&d, "list=s.example.org", DATE "From: a@b\nSubject: x\n\n");
    memcpy(first, d.made.post.fingerprint, sizeof first);
    check_row("a second copy");
    (void)decide_message(&d, "list=s.example.org from=x@y",
                         "Received: y\nSubject: x\nFrom: a@b\n" DATE "\n");
    check_bool("new", true, d.made.post.id_is_new);
    check_int("fingerprint", 0, memcmp(first, d.made.post.fingerprint, sizeof first));
    check_row("another subject");
    (void)decide_message(&d, "list=s.example.org", DATE "From: a@b\nSubject: z\n\n");
    check_bool("another post", true, memcmp(first, d.made.post.fingerprint, sizeof first) != 0);
    decide_close(&d);
    check_end();
}

/* RULINGS 31, 71, 78: what may be refused, and what a refusal spares the store */
static void test_faults(void **state)
{
    static const struct {
        const char *transaction;
        const char *header;
        enum post_fault fault;
    } rows[] = {
        {"to=j@example.org", "Subject: x\n", POST_NO_ID},
        {"to=j@example.org", ID ID, POST_SEVERAL_IDS},
        {"to=j@example.org", ID, POST_FINE},
        {"to=aj@example.org", "Subject: x\n", POST_NO_ID},
        {"to=aj@example.org", ID ID, POST_SEVERAL_IDS},
        {"to=sj@example.org", ID ID, POST_SEVERAL_IDS},
        {"list=j.example.org", "Subject: x\n", POST_FINE},
        {"list=j.example.org", ID ID, POST_FINE},
        {"from=sj-owner@example.org", ID ID, POST_FINE},
        {"from=sj-owner@example.org", "Subject: x\n", POST_FINE},
        {"", "List-Id: <j.example.org>\nList-Id: <s.example.org>\n" ID ID, POST_FINE},
        {"", "List-Id: <j.example.org>\nList-Id: <s.example.org>\n", POST_FINE},
        {"to=s@example.org", ID ID, POST_FINE},
        {"to=x@y", ID ID, POST_FINE},
    };
    struct decide d;

    (void)state;
    decide_open(&d, configuration);
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        char message[512];

        snprintf(message, sizeof message, "%s\n", rows[i].header);
        (void)decide_message(&d, rows[i].transaction, message);
        check_row(rows[i].transaction);
        check_int("fault", rows[i].fault, d.made.post.fault);
    }
    decide_close(&d);
    check_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_number),
        cmocka_unit_test(test_fingerprint),
        cmocka_unit_test(test_generated_id),
        cmocka_unit_test(test_faults),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

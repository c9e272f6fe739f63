/* List-Unsubscribe of a transaction, one-click, and what edits do to signatures: RFC 8058, RULINGS
 * 15 to 17, 26, 68, 82 */
#include "check.h"
#include "decide.h"

#include <stdlib.h>
#include <unistd.h>

/* HMAC-SHA256 with "the first key of all", computed elsewhere over "m.example.org", LF,
 * "ann@example.com" */
#define TOKEN "PGGpkT1ajxhx70uKhSCRVZmVBJkXz3NcCefpfGD6b5s"
#define LONE(id)                                                                                   \
    "distribution " id ".example.org list-id\n-List-Id 1|x <" id ".example.org> [LI-12]\n"         \
    "-List-Unsubscribe-Post 1|lone [RFC 8058]\n+List-Id|<" id ".example.org> [LI-09]\n"
#define POST "+List-Unsubscribe-Post|List-Unsubscribe=One-Click [RFC 8058]\n"

static char key_path[] = "test_plan_lists.XXXXXX";
static char text[4096];

/* mkstemp makes a file that only its owner can read. */
static int make_key_file(void **state)
{
    static const char keys[] = "# one-click\nthe first key of all\n\nthe older key of both\n";
    int fd = mkstemp(key_path);

    (void)state;
    if (fd < 0 || write(fd, keys, sizeof keys - 1) != (ssize_t)(sizeof keys - 1))
        return -1;
    return close(fd);
}

static int remove_key_file(void **state)
{
    (void)state;
    return unlink(key_path);
}

static const char *configured(const char *lists)
{
    char *folder = realpath(".", NULL);

    assert_non_null(folder);
    snprintf(text, sizeof text, "lists = {}\ntoken_key_file = \"%s/%s\"\n%s", folder, key_path,
             lists);
    free(folder);
    return text;
}

#define LIST(name, keys)                                                                           \
    "list \"" name ".example.org\" { message_id_hash = false unsubscribe_one_click = true " keys   \
    "}\n"
#define STAMPED(name)                                                                              \
    "distribution " name ".example.org list-id\n-List-Id 1|x <" name ".example.org> [LI-12]\n"     \
    "+List-Id|<" name ".example.org> [LI-09]\n"
#define FROM(name) "List-Id: x <" name ".example.org>\nMessage-ID: <1>\n\n"

static void test_one_click(void **state)
{
    static const char lists[] = LIST(
        "m", "unsubscribe = {\"https://u.example/{recipient_token}?a={recipient}\", "
             "\"mailto:u@example.org\"} ")
        LIST("two",
             "unsubscribe = {\"https://u.example/{recipient}\", "
             "\"HTTPS://v.example/{recipient}\"} ") "list \"off.example.org\" { message_id_hash = "
                                                    "false "
                                                    "  unsubscribe = "
                                                    "{\"https://u.example/{recipient}\"} }\n" LIST(
                                                        "k", "unsubscribe = "
                                                             "{\"https://u.example/{recipient}\"} "
                                                             "keep = {\"List-Unsubscribe\"} ")
                                                        LIST("kp",
                                                             "unsubscribe = "
                                                             "{\"https://u.example/{recipient}\"} "
                                                             "keep = {\"List-Unsubscribe\", "
                                                             "\"List-Unsubscribe-Post\"} ")
                                                            LIST("p",
                                                                 "unsubscribe = "
                                                                 "{\"https://u.example/"
                                                                 "{recipient}\"} keep = "
                                                                 "{\"List-Unsubscribe-Post\"} ")
                                                                LIST("long", "unsubscribe = "
                                                                             "{\"https://u.example/"
                                                                             "{recipient}\"} ");
    static const struct decide_row rows[] = {
        {"to=Ann@Example.com", FROM("m"),
         STAMPED("m") "+List-Unsubscribe|<https://u.example/" TOKEN "?a=Ann%40Example.com>,\n "
                      "<mailto:u@example.org> [LH-01]\n" POST},
        {"to=ann@example.com to=ANN@example.com",
         "List-Unsubscribe-Post: List-Unsubscribe=One-Click\n" FROM("m"),
         "distribution m.example.org list-id\n-List-Id 1|x <m.example.org> [LI-12]\n"
         "-List-Unsubscribe-Post 1|List-Unsubscribe=One-Click [RFC 8058]\n"
         "+List-Id|<m.example.org> [LI-09]\n"
         "+List-Unsubscribe|<https://u.example/" TOKEN "?a=ann%40example.com>,\n "
         "<mailto:u@example.org> [LH-01]\n" POST},
        /* several recipients, or none: their item is left out, and what is left is no click */
        {"to=ann@example.com to=bob@example.com",
         "List-Unsubscribe-Post: List-Unsubscribe=One-Click\n" FROM("m"),
         "distribution m.example.org list-id\n-List-Id 1|x <m.example.org> [LI-12]\n"
         "-List-Unsubscribe-Post 1|List-Unsubscribe=One-Click [RFC 8058]\n"
         "+List-Id|<m.example.org> [LI-09]\n+List-Unsubscribe|<mailto:u@example.org> [LH-01]\n"},
        {"", FROM("m"), STAMPED("m") "+List-Unsubscribe|<mailto:u@example.org> [LH-01]\n"},
        /* exactly one https item, and the list asks for it */
        {"to=a@b", FROM("two"),
         STAMPED("two") "+List-Unsubscribe|<https://u.example/a@b>, "
                        "<HTTPS://v.example/a@b> [LH-01]\n"},
        {"to=a@b", FROM("off"),
         STAMPED("off") "+List-Unsubscribe|<https://u.example/a@b> [LH-01]\n"},
        /* a kept List-Unsubscribe never gets ours */
        {"to=a@b", "List-Unsubscribe: <https://x.example/>\n" FROM("k"), STAMPED("k")},
        /* nor does ours that `keep` would leave alone: a second pass would take the other one */
        {"to=a@b", FROM("k"), STAMPED("k") "+List-Unsubscribe|<https://u.example/a@b> [LH-01]\n"},
        {"to=a@b",
         "List-Unsubscribe: <https://u.example/a@b>\nList-Id: <k.example.org>\n"
         "Message-ID: <1>\n\n",
         "distribution k.example.org list-id\n"},
        {"to=a@b",
         "List-Unsubscribe: <https://x.example/>\nList-Unsubscribe-Post: kept\n" FROM("kp"),
         STAMPED("kp")},
        {"to=a@b", "List-Unsubscribe: <https://x.example/>\n" FROM("kp"), STAMPED("kp")},
        /* a kept List-Unsubscribe-Post stays beside an https item that stays, no other (RFC 8058)
         */
        {"to=a@b",
         "List-Unsubscribe: <mailto:x@y>, <HTTPS://x.example/> (x)\n"
         "List-Unsubscribe: <mailto:x@y>\nList-Unsubscribe-Post: kept\n" FROM("kp"),
         "distribution kp.example.org list-id\n-List-Id 1|x <kp.example.org> [LI-12]\n"
         "-List-Unsubscribe 2|<mailto:x@y> [LH-08]\n+List-Id|<kp.example.org> [LI-09]\n"},
        {"to=a@b", "List-Unsubscribe-Post: lone\n" FROM("kp"),
         LONE("kp") "+List-Unsubscribe|<https://u.example/a@b> [LH-01]\n"},
        {"to=a@b",
         "List-Unsubscribe: <http://x.example/>\nList-Unsubscribe: <https://x.example/>\n"
         "List-Unsubscribe-Post: lone\n" FROM("kp"),
         "distribution kp.example.org list-id\n-List-Id 1|x <kp.example.org> [LI-12]\n"
         "-List-Unsubscribe 2|<https://x.example/> [LH-08]\n"
         "-List-Unsubscribe-Post 1|lone [RFC 8058]\n+List-Id|<kp.example.org> [LI-09]\n"},
        {"to=a@b", "List-Unsubscribe:\nList-Unsubscribe-Post: lone\n" FROM("kp"), LONE("kp")},
        {"to=a@b", "List-Unsubscribe: https://x.example/\nList-Unsubscribe-Post: lone\n" FROM("kp"),
         LONE("kp")},
        /* alone it never does; a pair of ours is found again as it is (RULINGS 1) */
        {"to=a@b",
         "List-Unsubscribe: <https://x.example/>\nList-Unsubscribe-Post: lone\n" FROM("p"),
         "distribution p.example.org list-id\n-List-Id 1|x <p.example.org> [LI-12]\n"
         "-List-Unsubscribe 1|<https://x.example/> [LH-08]\n"
         "-List-Unsubscribe-Post 1|lone [RFC 8058]\n+List-Id|<p.example.org> [LI-09]\n"
         "+List-Unsubscribe|<https://u.example/a@b> [LH-01]\n" POST},
        {"to=a@b",
         "List-Id: <p.example.org>\nList-Unsubscribe: <https://u.example/a@b>\n"
         "List-Unsubscribe-Post: List-Unsubscribe=One-Click\nMessage-ID: <1>\n\n",
         "distribution p.example.org list-id\n"},
        {"to=a@b", FROM("kp"), STAMPED("kp") "+List-Unsubscribe|<https://u.example/a@b> [LH-01]\n"},
    };
    struct decide d;
    char transaction[1100];

    (void)state;
    decide_open(&d, configured(lists));
    d.shows_clauses = true;
    decide_rows(&d, rows, CHECK_COUNT(rows));
    check_row("what cannot be inserted is not clicked");
    snprintf(transaction, sizeof transaction, "to=%0*d@b", 1000, 0);
    check_str("outcome",
              STAMPED("long") "error List-Unsubscribe left out: it has a line over 998 bytes\n",
              decide_message(&d, transaction, FROM("long")));
    decide_close(&d);
    check_end();
}

/* RULINGS 82 */
static void test_keys_unread(void **state)
{
#define UNREAD_OF(names)                                                                           \
    "note an item of " names " left out: the key for {recipient_token} was not read: /x/k: "       \
    "Permission denied\n"
#define UNREAD      UNREAD_OF("List-Unsubscribe")
#define UNREAD_POST UNREAD_OF("List-Unsubscribe, and List-Unsubscribe-Post,")
    static const struct decide_row rows[] = {
        {"to=ann@example.com", FROM("m"),
         STAMPED("m") "+List-Unsubscribe|<mailto:u@example.org> [LH-01]\n" UNREAD_POST},
        /* the daemon has two https items, or a click; this is no place to tell which */
        {"to=ann@example.com", FROM("w"),
         STAMPED(
             "w") "+List-Unsubscribe|<https://v.example/ann@example.com> [LH-01]\n" UNREAD_POST},
        {"to=ann@example.com", FROM("mail"),
         STAMPED(
             "mail") "+List-Unsubscribe|<https://v.example/ann@example.com> [LH-01]\n" UNREAD_POST},
        /* where none would be inserted anyway, none is left out */
        {"to=ann@example.com", FROM("off"),
         STAMPED("off") "+List-Unsubscribe|<mailto:u@example.org> [LH-01]\n" UNREAD},
        {"to=ann@example.com", FROM("k"), STAMPED("k") UNREAD},
        {"to=ann@example.com to=bob@example.com", FROM("m"),
         STAMPED("m") "+List-Unsubscribe|<mailto:u@example.org> [LH-01]\n"},
        {"to=ann@example.com", "List-Unsubscribe: <https://x.example/>\n" FROM("k"), STAMPED("k")},
    };
    struct decide d;

    (void)state;
    decide_open(
        &d, configured(
                LIST("m", "unsubscribe = {\"https://u.example/{recipient_token}\", "
                          "\"mailto:u@example.org\"} ")
                    LIST("k", "unsubscribe = {\"https://u.example/{recipient_token}\"}"
                              " keep = {\"List-Unsubscribe\"} ")
                        LIST("w", "unsubscribe = {\"https://u.example/{recipient_token}\", "
                                  "\"https://v.example/{recipient}\"} ")
                            LIST("mail",
                                 "unsubscribe = {\"mailto:{recipient_token}@u.example\", "
                                 "\"https://v.example/{recipient}\"} ") "list \"off.example.org\" "
                                                                        "{ message_id_hash = false "
                                                                        "  unsubscribe = "
                                                                        "{\"https://u.example/"
                                                                        "{recipient_token}\", "
                                                                        "\"mailto:u@example.org\"} "
                                                                        "}\n"));
    d.settings->recipient_key_count = 0;
    d.settings->recipient_keys_unread = true;
    d.settings->recipient_keys_fault = "/x/k: Permission denied";
    d.shows_clauses = true;
    decide_rows(&d, rows, CHECK_COUNT(rows));
    decide_close(&d);
    check_end();
}

/* RFC 6376 5.4.2: what of the edits a signature covers */
static void test_signatures(void **state)
{
#define BREAKS(domain, names)                                                                      \
    "note the DKIM-Signature of " domain " covers what is edited: " names "\n"
    static const char lists[] =
        "list \"a.example.org\" { select = \"recipient\" address = \"a@example.org\" "
        "  message_id_hash = false list_id_hash = true duplicate_message_id = \"delete\" "
        "  help = {\"mailto:h@example.org\"} }\n"
        "list \"k.example.org\" { address = \"k@example.org\" keep = {\"List-Owner\"} }\n";
    static const struct {
        const char *header;
        const char *notes;
    } rows[] = {
        {"DKIM-Signature: v=1; d=example.net; h=from:list-help:subject; b=x\n",
         BREAKS("example.net", "List-Help")},
        {"DKIM-Signature: v=1; d=example.net; h=from:to:subject; b=x\n", ""},
        {"List-Post: p\nList-Id: <x.y>\n"
         "DKIM-Signature: v=1; d=example.net;\n h=From : List-ID :\n\tlist-POST; b=x\n",
         BREAKS("example.net", "List-Id, List-Post")},
        /* each signature by itself; what is edited but not signed */
        {"DKIM-Signature: d=one.example; h=from:to\nList-Post: p\n"
         "dkim-signature: d=two.example; h=list-post\nDKIM-Signature: h=list-id\n",
         BREAKS("two.example", "List-Post") BREAKS("no domain", "List-Id")},
        /* over-signed: a field that is added beside those that stay */
        {"Message-ID: <2>\nDKIM-Signature: d=one.example; h=message-id\n",
         BREAKS("one.example", "Message-ID")},
        {"DKIM-Signature: d=one.example; h=message-id:message-id\n", ""},
        {"DKIM-Signature: d=one.example; h=date\n", BREAKS("one.example", "Date")},
        {"Date: x\nDKIM-Signature: d=one.example; h=date\n", ""},
        /* nothing that could end the log's note */
        {"DKIM-Signature: h=list-id; d=a\" x\n", BREAKS("a\" x", "List-Id")},
    };
    struct decide d;

    (void)state;
    decide_open(&d, configured(lists));
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        char message[512];
        const char *notes;

        snprintf(message, sizeof message, "Message-ID: <1>\n%s\n", rows[i].header);
        notes = strstr(decide_message(&d, "to=a@example.org", message), "note ");
        check_row(rows[i].header);
        check_str("notes", rows[i].notes, notes == NULL ? "" : notes);
    }
    check_row("an ARC-Message-Signature has a note, too");
    check_str(
        "notes",
        "note the ARC-Message-Signature of arc.example covers what is edited: List-Id\n" BREAKS(
            "one.example", "List-Help"),
        strstr(decide_message(&d, "to=a@example.org",
                              "Message-ID: <1>\nDate: x\nARC-Seal: d=arc.example; h=list-id\n"
                              "arc-message-signature: i=1; d=arc.example; h=list-id\n"
                              "DKIM-Signature: d=one.example; h=list-help\n\n"),
               "note "));
    check_row("over-signed, and one stays");
    check_str(
        "outcome",
        "distribution k.example.org list-id\n-List-Id 1|K <k.example.org>\n"
        "-List-Owner "
        "2|p\n+Message-ID-Hash|GVVBSK3ZCOYEYVCXJUMMFDKG4Y4VIKFL\n+List-Id|<k.example.org>\n" BREAKS(
            "one.example", "List-Owner"),
        decide_message(&d, "",
                       "List-Id: K <k.example.org>\nMessage-ID: <1>\nList-Owner: o\n"
                       "List-Owner: p\nDKIM-Signature: d=one.example; h=list-owner\n\n"));
    check_row("nothing is edited");
    check_str("outcome", "distribution a.example.org recipient\n",
              decide_message(&d, "to=a@example.org",
                             "List-Id: <a.example.org>\nMessage-ID: <12345>\nDate: x\n"
                             "X-List-ID-Hash: 4QLUVACYBS7KEBPVWGPSXSXDXM5UE7F4\n"
                             "List-Help: <mailto:h@example.org>\n"
                             "DKIM-Signature: d=one.example; h=list-id\n\n"));
    check_row("one of several fields stays");
    decide_close(&d);
    decide_open(&d, "lists = {}\nlist \"f.example.org\" { address = \"f@example.org\" }\n");
    check_str("outcome", "feed f.example.org feed\n-List-Id 1|<f.example.org>\n",
              decide_message(&d, "to=f@example.org to=x@y client=198.51.100.7",
                             "List-Id: <f.example.org>\nList-Id: <x.y>\nMessage-ID: <1>\n"
                             "DKIM-Signature: d=one.example; h=list-id\n\n"));
    check_row("both are signed");
    check_str(
        "outcome",
        "feed f.example.org feed\n-List-Id 1|<f.example.org>\n" BREAKS("one.example", "List-Id"),
        decide_message(&d, "to=f@example.org to=x@y client=198.51.100.7",
                       "List-Id: <f.example.org>\nList-Id: <x.y>\nMessage-ID: <1>\n"
                       "DKIM-Signature: d=one.example; h=list-id:list-id\n\n"));
    decide_close(&d);
    check_end();
}

/* RULINGS 83: what an author's signature names, and the message does not have, is not added. */
static void test_spare(void **state)
{
#define SPARED(names)                                                                              \
    "note not added, because the author's DKIM signature forbids it (oversigned): " names "\n"
#define S_LIST(name, more)                                                                         \
    "list \"" name ".example.org\" { select = \"recipient\" address = \"" name "@example.org\" "   \
    "message_id_hash = false oversigned = \"spare\" " more " }\n"
    static const char lists[] = "lists = {}\n" S_LIST("s", "help = {\"mailto:h@example.org\"}")
        S_LIST("d", "list_id_hash = true archived_at = "
                    "{\"https://a.example/{message_id}\"}") "list \"stamp.example.org\" { "
                                                            "select = \"recipient\" "
                                                            "address = \"t@example.org\" "
                                                            "message_id_hash = false }\n"
                                                            "list \"m.example.org\" { "
                                                            "address = \"m@example.org\" "
                                                            "message_id_hash = false "
                                                            "unsubscribe = "
                                                            "{\"https://u.example/"
                                                            "{recipient}\"} "
                                                            "unsubscribe_one_click = true "
                                                            "oversigned = \"spare\" }\n";
#define SIGNED(d, h) "From: A <a@example.net>\nDKIM-Signature: d=" d "; h=" h "\n"
#define S            "distribution s.example.org recipient\n"
#define ID           "+List-Id|<s.example.org>\n"
#define HELP         "+List-Help|<mailto:h@example.org>\n"
    static const struct decide_row rows[] = {
        {"to=s@example.org", SIGNED("example.net", "from : LIST-id") "Message-ID: <1>\n\n",
         S HELP SPARED("List-Id")},
        {"to=s@example.org", SIGNED("mail.example.net", "list-id:list-help") "Message-ID: <1>\n\n",
         S SPARED("List-Id, List-Help")},
        /* not the author's */
        {"to=s@example.org", SIGNED("example.com", "list-id") "Message-ID: <1>\n\n",
         S ID HELP BREAKS("example.com", "List-Id")},
        {"to=s@example.org", SIGNED("net", "list-id") "Message-ID: <1>\n\n",
         S ID HELP BREAKS("net", "List-Id")},
        {"to=s@example.org", "DKIM-Signature: d=example.net; h=list-id\nMessage-ID: <1>\n\n",
         S ID HELP BREAKS("example.net", "List-Id")},
        /* the domain of the first author, however it is spelled; any of several signatures */
        {"to=s@example.org",
         "From: \"x@y\" <a(c)@EXAMPLE.net.>, b@example.com\nDKIM-Signature: d=x.y; h=list-help\n"
         "DKIM-Signature: d=example.com; h=list-help\nDKIM-Signature: d=example.net;\n"
         "\th=list-id\nMessage-ID: <1>\n\n",
         S HELP SPARED("List-Id") BREAKS("x.y", "List-Help") BREAKS("example.com", "List-Help")},
        /* what is there is removed and replaced */
        {"to=s@example.org",
         SIGNED("example.net", "list-id:list-help:list-post") "Message-ID: <1>\nList-Id: <x.y>\n"
                                                              "List-Post: x\n\n",
         S "-List-Id 1|<x.y>\n-List-Post 1|x\n" ID SPARED("List-Help")
             BREAKS("example.net", "List-Id, List-Post")},
        /* never a Message-ID or a Date that is added */
        {"to=d@example.org",
         SIGNED("example.net", "message-id:date:archived-at:x-list-id-hash") "\n",
         "distribution d.example.org recipient\n"
         "+Message-ID|<lybi6i4l4xy3fxyfywunratttkqzi256@d.example.org>\n"
         "+Date|Wed, 4 Jul 2007 07:49:58 +0000\n+List-Id|<d.example.org>\n" SPARED(
             "Archived-At, X-List-ID-Hash") BREAKS("example.net", "Message-ID, Date")},
        /* with List-Unsubscribe its -Post goes; a list manager's output as well */
        {"to=x@y",
         SIGNED("example.net", "list-unsubscribe") "Message-ID: <1>\n"
                                                   "List-Id: M <m.example.org>\n\n",
         "distribution m.example.org list-id\n-List-Id 1|M <m.example.org>\n"
         "+List-Id|<m.example.org>\n" SPARED("List-Unsubscribe")},
        {"to=t@example.org", SIGNED("example.net", "list-id") "Message-ID: <1>\n\n",
         "distribution stamp.example.org recipient\n+List-Id|<stamp.example.org>\n" BREAKS(
             "example.net", "List-Id")},
    };
    struct decide d;

    (void)state;
    decide_open(&d, lists);
    decide_rows(&d, rows, CHECK_COUNT(rows));
    decide_close(&d);
    check_end();
}

/* A post can have thousands of signatures; the log line has an end. */
static void test_many_signatures(void **state)
{
    struct strbuf message = STRBUF_INIT;
    struct decide d;

    (void)state;
    decide_open(&d, "lists = {}\nlist \"f.example.org\" { address = \"f@example.org\" }\n");
    strbuf_add_str(&message, "List-Id: <x.y>\nMessage-ID: <1>\n");
    for (int i = 0; i < 1000; i++)
        strbuf_add_str(&message, "DKIM-Signature: d=one.example; h=list-id\n");
    strbuf_add_str(&message, "\n");
    (void)decide_message(&d, "to=f@example.org", strbuf_str(&message));
    check_row("1000 signatures");
    check_int("notes", 5, (long long)d.made.plan.note_count);
    strbuf_free(&message);
    decide_close(&d);
    check_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_click),       cmocka_unit_test(test_keys_unread),
        cmocka_unit_test(test_spare),           cmocka_unit_test(test_signatures),
        cmocka_unit_test(test_many_signatures),
    };

    return cmocka_run_group_tests(tests, make_key_file, remove_key_file);
}

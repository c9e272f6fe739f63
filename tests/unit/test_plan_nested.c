/* What a nested list keeps of its parent and what it replaces: AT-05, LI-11, LH-10 to LH-12,
 * RULINGS 27 to 29, 70, 78, 79 */
#include "check.h"
#include "decide.h"

#define HASH "RSZCG7IGPHFIRW3EMTVMMDNJMNCVCOLE" /* of 12345 */

#define FIELDS(name)                                                                               \
    "help = {\"mailto:" name "-help@example.org\"} "                                               \
    "subscribe = {\"mailto:" name "-join@example.org\"} "                                          \
    "unsubscribe = {\"mailto:" name "-leave@example.org\"} "                                       \
    "owner = {\"mailto:" name "-owner@example.org\"} "                                             \
    "post = {\"mailto:" name "@example.org\"} "                                                    \
    "archived_at = {\"https://" name ".example/{message_id_hash}\"} "                              \
    "parents = {\"far.example.net\", \"top.example.org\"} "

static const char configuration[] =
    "lists = {}\n"
    "list \"top.example.org\" { address = \"top@example.org\" }\n"
    "list \"sub.example.org\" { select = \"recipient\" address = \"sub@example.org\" "
    "  sequence = true list_id_hash = true alt_message_id = true " FIELDS(
        "sub") "}\n"
               "list \"own.example.org\" { select = \"recipient\" address = \"own@example.org\" "
               "  replace_post = true archive = {\"https://own.example/\"} " FIELDS(
                   "own") "}\n"
                          "list \"mute.example.org\" { select = \"recipient\" address = "
                          "\"mute@example.org\" "
                          "  replace_post = true message_id_hash = false parents = "
                          "{\"far.example.net\"} }\n"
                          "list \"kept.example.org\" { address = \"kept@example.org\" "
                          "  message_id_hash = false replace_post = true archive = "
                          "{\"https://kept.example/\"} "
                          "  keep = {\"List-Help\", \"List-Id\", \"List-Post\", "
                          "\"List-Archive\"} " FIELDS(
                              "kept") "}\n"
                                      "list \"man.example.org\" { address = \"man@example.org\" "
                                      "replace_post = true "
                                      "  archive = {\"https://man.example/\"} " FIELDS(
                                          "man") "}\n"
                                                 "list \"man2.example.org\" { address = "
                                                 "\"man2@example.org\" }\n"
                                                 "list \"man3.example.org\" { parents = "
                                                 "{\"far.example.net\"} parent_sources = "
                                                 "{\"127.0.0.1\"} }\n";

#define FAR                                                                                        \
    "Archived-At: <https://far.example/1>\n"                                                       \
    "Archived-At:\n <https://far.example/1>\n"                                                     \
    "List-Id: Far <far.example.net>\n"                                                             \
    "List-Help: <mailto:fh@far.example>\n"                                                         \
    "List-Subscribe: <mailto:fs@far.example>\n"                                                    \
    "List-Unsubscribe: <mailto:fu@far.example>\n"                                                  \
    "List-Unsubscribe-Post: List-Unsubscribe=One-Click\n"                                          \
    "List-Post: <mailto:fp@far.example>\n"                                                         \
    "List-Owner: <mailto:fo@far.example>\n"                                                        \
    "List-Archive: <https://far.example/>\n"                                                       \
    "X-List-Sequence: 4\n"                                                                         \
    "Message-ID-Hash: far\n"                                                                       \
    "X-Archived-At: far\n"                                                                         \
    "Date: Wed, 04 Jul 2007 16:49:58 +0900\n"                                                      \
    "Message-ID: <12345>\n"

#define REMOVED                                                                                    \
    "-Message-ID-Hash 1|far [SU-07]\n"                                                             \
    "-X-Archived-At 1|far [AT-08]\n"
#define REMOVED_LISTS                                                                              \
    "-List-Help 1|<mailto:fh@far.example> [LH-10]\n"                                               \
    "-List-Subscribe 1|<mailto:fs@far.example> [LH-10]\n"                                          \
    "-List-Unsubscribe 1|<mailto:fu@far.example> [LH-10]\n"                                        \
    "-List-Unsubscribe-Post 1|List-Unsubscribe=One-Click [RFC 8058]\n"

/* An alias list below one that is elsewhere. */
static void test_distribution(void **state)
{
    static const struct decide_row rows[] = {
        {"to=sub@example.org number=7", FAR "\n",
         "distribution sub.example.org recipient\n" REMOVED REMOVED_LISTS
         "-List-Owner 1|<mailto:fo@far.example> [LH-10]\n"
         "-X-List-Sequence 1|4 [SU-16]\n"
         "+Message-ID-Hash|" HASH " [SU-01]\n"
         "+Archived-At|<https://sub.example/" HASH "> [AT-05]\n"
         "+List-Help|<mailto:sub-help@example.org> [LH-10]\n"
         "+List-Subscribe|<mailto:sub-join@example.org> [LH-10]\n"
         "+List-Unsubscribe|<mailto:sub-leave@example.org> [LH-10]\n"
         "+List-Owner|<mailto:sub-owner@example.org> [LH-10]\n"
         "+X-List-Sequence|7 [SU-16]\n"
         "+X-List-Sequence-Number|7 [R1-04]\n"
         "+X-List-ID-Hash|3QFYHZSVEGMHPNGOPYLZI6WGYNQYDKAJ [R1-01]\n"
         "+X-Alt-Message-ID|<" HASH "> [public-inbox]\n"},
        {"to=own@example.org", FAR "\n",
         "distribution own.example.org recipient\n" REMOVED REMOVED_LISTS
         "-List-Post 1|<mailto:fp@far.example> [LH-12]\n"
         "-List-Owner 1|<mailto:fo@far.example> [LH-10]\n"
         "-List-Archive 1|<https://far.example/> [LH-11]\n"
         "-X-List-Sequence 1|4 [SU-16]\n"
         "+Message-ID-Hash|" HASH " [SU-01]\n"
         "+Archived-At|<https://own.example/" HASH "> [AT-05]\n"
         "+List-Help|<mailto:own-help@example.org> [LH-10]\n"
         "+List-Subscribe|<mailto:own-join@example.org> [LH-10]\n"
         "+List-Unsubscribe|<mailto:own-leave@example.org> [LH-10]\n"
         "+List-Post|<mailto:own@example.org> [LH-12]\n"
         "+List-Owner|<mailto:own-owner@example.org> [LH-10]\n"
         "+List-Archive|<https://own.example/> [LH-11]\n"},
        /* replace_post without a post: deleted only; without anything else to say */
        {"to=mute@example.org", "List-Id: <far.example.net>\nList-Post: p\nMessage-ID: <1>\n\n",
         "distribution mute.example.org recipient\n-List-Post 1|p [LH-12]\n"},
        /* not a parent's post, or not from where a parent's posts come */
        {"to=mute@example.org", "List-Id: <near.example.net>\nList-Post: p\nMessage-ID: <1>\n\n",
         "distribution mute.example.org recipient\n-List-Id 1|<near.example.net> [LI-12]\n"
         "-List-Post 1|p [LH-08]\n+List-Id|<mute.example.org> [LI-09]\n"},
        {"client=198.51.100.7 to=mute@example.org",
         "List-Id: <far.example.net>\nArchived-At: a\nMessage-ID: <1>\n\n",
         "distribution mute.example.org recipient\n-Archived-At 1|a [SU-09]\n"
         "-List-Id 1|<far.example.net> [LI-12]\n+List-Id|<mute.example.org> [LI-09]\n"},
        /* of several copies the first, of several List-Ids the first parent's */
        {"to=sub@example.org",
         "List-Id: <near.example.net>\nList-Post: 1\nList-Archive: 1\n"
         "List-Id: <FAR.example.net>\nlist-post: 2\nlist-archive: 2\nList-Id: <top.example.org>\n"
         "List-Id: <sub.example.org>\nMessage-ID: <12345>\n"
         "Archived-At: < https://sub.example/\n " HASH ">\nDate: x\n\n",
         "distribution sub.example.org recipient\n"
         "-List-Id 4|<sub.example.org> [LI-11]\n"
         "-List-Id 3|<top.example.org> [LI-05]\n"
         "-List-Id 1|<near.example.net> [LI-05]\n"
         "-List-Post 2|2 [LH-02]\n-List-Archive 2|2 [LH-02]\n"
         "+Message-ID-Hash|" HASH " [SU-01]\n"
         "+List-Help|<mailto:sub-help@example.org> [LH-10]\n"
         "+List-Subscribe|<mailto:sub-join@example.org> [LH-10]\n"
         "+List-Unsubscribe|<mailto:sub-leave@example.org> [LH-10]\n"
         "+List-Owner|<mailto:sub-owner@example.org> [LH-10]\n"
         "+X-List-ID-Hash|4QLUVACYBS7KEBPVWGPSXSXDXM5UE7F4 [R1-01]\n+X-Alt-Message-ID|<" HASH
         "> [public-inbox]\n"
         "note the store was not asked: what it would say is left out\n"},
        /* `keep` works as usual; the parent's List-Id is what stays of List-Id */
        {"to=a@example.net",
         "List-Id: <x.y>\nList-Id: <far.example.net>\nList-Help: h\nList-Help: i\nList-Post: p\n"
         "List-Id: <kept.example.org>\nMessage-ID: <12345>\n\n",
         "distribution kept.example.org list-id\n"
         "-List-Id 3|<kept.example.org> [LI-11]\n-List-Id 1|<x.y> [LI-05]\n-List-Help 2|i [LH-08]\n"
         "+Archived-At|<https://kept.example/" HASH "> [AT-05]\n"
         "+List-Subscribe|<mailto:kept-join@example.org> [LH-10]\n"
         "+List-Unsubscribe|<mailto:kept-leave@example.org> [LH-10]\n"
         "+List-Owner|<mailto:kept-owner@example.org> [LH-10]\n"
         "+List-Archive|<https://kept.example/> [LH-11]\n"},
    };

    (void)state;
    decide_table_clauses(configuration, rows, CHECK_COUNT(rows));
}

/* RULINGS 58: a sublist that a list manager serves adds its own List-Id, which goes; LI-05 */
static void test_list_manager(void **state)
{
    static const struct decide_row rows[] = {
        {"client=127.0.0.1",
         "List-Id: Mine <man.example.org>\nList-Post: own\nList-Post: parent\n"
         "List-Id: Top <top.example.org>\nMessage-ID: <12345>\n\n",
         "distribution man.example.org list-id\n"
         "-List-Id 1|Mine <man.example.org> [LI-11]\n"
         "-List-Post 2|parent [LH-12]\n-List-Post 1|own [LH-12]\n"
         "+Message-ID-Hash|" HASH " [SU-01]\n"
         "+Archived-At|<https://man.example/" HASH "> [AT-05]\n"
         "+List-Help|<mailto:man-help@example.org> [LH-10]\n"
         "+List-Subscribe|<mailto:man-join@example.org> [LH-10]\n"
         "+List-Unsubscribe|<mailto:man-leave@example.org> [LH-10]\n"
         "+List-Post|<mailto:man@example.org> [LH-12]\n"
         "+List-Owner|<mailto:man-owner@example.org> [LH-10]\n"
         "+List-Archive|<https://man.example/> [LH-11]\n"},
    };

    (void)state;
    decide_table_clauses(configuration, rows, CHECK_COUNT(rows));
}

/* On the way into the sublist's list manager: nothing is stamped, replace_post and archive wait. */
static void test_feed(void **state)
{
    static const struct decide_row rows[] = {
        {"to=man@example.org", FAR "List-Post: second\nList-Archive: second\n\n",
         "feed man.example.org feed\n" REMOVED REMOVED_LISTS "-List-Post 2|second [LH-02]\n"
         "-List-Owner 1|<mailto:fo@far.example> [LH-10]\n-List-Archive 2|second [LH-02]\n"
         "-X-List-Sequence 1|4 [SU-16]\n"},
        {"client=198.51.100.7 to=man@example.org",
         "List-Id: <far.example.net>\nArchived-At: a\n"
         "List-Post: p\nMessage-ID: <1>\n\n",
         "feed man.example.org feed\n-Archived-At 1|a [SU-09]\n"
         "-List-Id 1|<far.example.net> [LI-12]\n-List-Post 1|p [LH-08]\n"},
        /* RULINGS 78: what several ids of ours fall back to */
        {"",
         "List-Id: <man.example.org>\nList-Id: <man2.example.org>\n"
         "List-Id: <far.example.net>\nList-Post: p\nArchived-At: a\nMessage-ID: <1>\n\n",
         "feed man.example.org ambiguous\n-Archived-At 1|a [SU-09]\n"
         "-List-Id 3|<far.example.net> [LI-12]\n-List-Id 2|<man2.example.org> [LI-12]\n"
         "-List-Id 1|<man.example.org> [LI-12]\n-List-Post 1|p [LH-08]\n"
         "error the List-Id fields name several lists and the sender does not decide\n"},
        {"client=127.0.0.1",
         "List-Id: <man3.example.org>\nList-Id: <man2.example.org>\n"
         "List-Id: <far.example.net>\nList-Post: p\nArchived-At: a\nMessage-ID: <1>\n\n",
         "feed man3.example.org ambiguous\n-List-Id 2|<man2.example.org> [LI-05]\n"
         "-List-Id 1|<man3.example.org> [LI-11]\n"
         "error the List-Id fields name several lists and the sender does not decide\n"},
        /* RULINGS 70, 79: private recipients keep what is not ours */
        {"to=man@example.org to=x@y",
         FAR "List-Id: <man.example.org>\nList-Id: <near.example>\nList-Post: second\n\n",
         "distribution man.example.org list-id\n" REMOVED "-List-Id 3|<near.example> [LI-05]\n"
         "-List-Id 2|<man.example.org> [LI-11]\n" REMOVED_LISTS
         "-List-Post 2|second [LH-12]\n-List-Post 1|<mailto:fp@far.example> [LH-12]\n"
         "-List-Owner 1|<mailto:fo@far.example> [LH-10]\n"
         "-List-Archive 1|<https://far.example/> [LH-11]\n"
         "-X-List-Sequence 1|4 [SU-16]\n"
         "+Message-ID-Hash|" HASH " [SU-01]\n"
         "+Archived-At|<https://man.example/" HASH "> [AT-05]\n"
         "+List-Help|<mailto:man-help@example.org> [LH-10]\n"
         "+List-Subscribe|<mailto:man-join@example.org> [LH-10]\n"
         "+List-Unsubscribe|<mailto:man-leave@example.org> [LH-10]\n"
         "+List-Post|<mailto:man@example.org> [LH-12]\n"
         "+List-Owner|<mailto:man-owner@example.org> [LH-10]\n"
         "+List-Archive|<https://man.example/> [LH-11]\n"},
        {"to=man@example.org to=x@y", FAR "List-Post: second\n\n",
         "feed man.example.org feed\n-Message-ID-Hash 1|far [SU-07]\n"
         "-X-List-Sequence 1|4 [SU-16]\n"},
    };

    (void)state;
    decide_table_clauses(configuration, rows, CHECK_COUNT(rows));
}

/* RULINGS 70: beside private recipients a parent of ours keeps its List-Id, the list loses its own
 */
static void test_private_recipients(void **state)
{
    struct decide d;

    (void)state;
    decide_open(&d, "lists = {}\nlist \"top.example.org\" {}\n"
                    "list \"open.example.org\" { address = \"open@example.org\" "
                    "parents = {\"top.example.org\"} parent_sources = {\"203.0.113.0/24\"} }\n");
    d.shows_clauses = true;
    check_row("the first one with the parent's id stays");
    check_str("outcome",
              "feed open.example.org feed\n-List-Id 3|<top.example.org> [LI-12]\n"
              "-List-Id 2|<open.example.org> [LI-12]\n",
              decide_message(&d, "client=203.0.113.4 to=open@example.org to=x@y",
                             "List-Id: <top.example.org>\nList-Id: <open.example.org>\n"
                             "List-Id: <top.example.org>\nList-Id: <near.example>\n"
                             "Message-ID: <1>\nList-Help: h\n\n"));
    decide_close(&d);
    check_end();
}

/* RULINGS 1: the second pass changes nothing beside a parent's fields either */
static void test_second_pass(void **state)
{
#define OF_PARENT                                                                                  \
    "Archived-At: <https://far.example/1>\nArchived-At: <https://far.example/1>\n"                 \
    "List-Id: Far <far.example.net>\nList-Post: <mailto:fp@far.example>\n"                         \
    "List-Archive: <https://far.example/>\nDate: Wed, 04 Jul 2007 16:49:58 +0900\n"                \
    "Message-ID: <12345>\n"
    static const struct decide_row rows[] = {
        {"to=sub@example.org number=7",
         "Message-ID-Hash: " HASH "\nArchived-At: <https://sub.example/" HASH ">\n"
         "List-Help: <mailto:sub-help@example.org>\n"
         "List-Subscribe: <mailto:sub-join@example.org>\n"
         "List-Unsubscribe: <mailto:sub-leave@example.org>\n"
         "List-Owner: <mailto:sub-owner@example.org>\nX-List-Sequence: 7\n"
         "X-List-Sequence-Number: 7\nX-List-ID-Hash: 3QFYHZSVEGMHPNGOPYLZI6WGYNQYDKAJ\n"
         "X-Alt-Message-ID: <" HASH ">\n" OF_PARENT "\n",
         "distribution sub.example.org recipient\n"},
    };

    (void)state;
    decide_table_clauses(configuration, rows, CHECK_COUNT(rows));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_distribution), cmocka_unit_test(test_list_manager),
        cmocka_unit_test(test_feed),         cmocka_unit_test(test_private_recipients),
        cmocka_unit_test(test_second_pass),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

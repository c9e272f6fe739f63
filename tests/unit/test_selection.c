/* Which list, in which role: RULINGS 77 */
#include "check.h"
#include "decide.h"

static const char configuration[] =
    "lists = {}\n"
    "trusted = {\"192.0.2.0/24\", \"daemon:out\", \"authenticated\", \"local\"}\n"
    "list \"dev.example.org\" { address = \"dev@example.org\" "
    "  command_addresses = {\"dev-request@example.org\"} }\n"
    "list \"dev-announce.example.org\" { address = \"dev-announce@example.org\" }\n"
    "list \"other.example.org\" { address = \"other@example.org\" }\n"
    "list \"alias.example.org\" { select = \"recipient\" address = \"alias@example.org\" "
    "  command_addresses = {\"alias-request@example.org\"} }\n"
    "list \"second.example.org\" { select = \"recipient\" address = \"second@example.org\" }\n"
    "list \"first.example.org\" { select = \"recipient\" address = \"first@example.org\" "
    "  crosspost = \"first\" command_addresses = {\"first-owner@example.org\"} }\n"
    "list \"also.example.org\" { select = \"recipient\" address = \"also@example.org\" "
    "  crosspost = \"first\" command_addresses = {\"also-owner@example.org\"} }\n"
    "list \"alone.example.org\" { select = \"recipient\" address = \"alone@example.org\" "
    "  private_recipients = \"defer\" command_addresses = {\"alone-owner@example.org\"} }\n"
    "list \"maj.example.org\" { select = \"sender\" address = \"maj@example.org\" }\n"
    "list \"old.example.org\" { select = \"sender\" senders = {\"bounce@example.org\"} }\n";

struct row {
    const char *transaction;
    const char *header;  /* before "From: a@example.net" */
    const char *outcome; /* its first line */
};

static void check_rows(const char *text, const struct row *rows, size_t count)
{
    struct decide d;
    decide_open(&d, text);
    for (size_t i = 0; i < count; i++) {
        char message[1024], first[256];
        const char *outcome;
        snprintf(message, sizeof message, "%sFrom: a@example.net\nMessage-ID: <1@a>\n\n",
                 rows[i].header);
        outcome = decide_message(&d, rows[i].transaction, message);
        snprintf(first, sizeof first, "%.*s", (int)strcspn(outcome, "\n"), outcome);
        snprintf(message, sizeof message, "%s %s", rows[i].transaction, rows[i].header);
        check_row(message);
        check_str("outcome", rows[i].outcome, first);
    }
    decide_close(&d);
    check_end();
}

/* LI-12, LI-13: a List-Id speaks only out of the mouth of a trusted client. RULINGS 23. */
static void test_list_id_needs_trust(void **state)
{
    static const struct row rows[] = {
        {"client=192.0.2.7", "List-Id: <dev.example.org>\n",
         "distribution dev.example.org list-id"},
        {"client=198.51.100.7", "List-Id: <dev.example.org>\n", "none"},
        {"client=198.51.100.7 daemon=out", "List-Id: <dev.example.org>\n",
         "distribution dev.example.org list-id"},
        {"client=198.51.100.7 daemon=Out", "List-Id: <dev.example.org>\n", "none"},
        {"client=198.51.100.7 auth", "List-Id: <dev.example.org>\n",
         "distribution dev.example.org list-id"},
        {"", "List-Id: <dev.example.org>\n", "distribution dev.example.org list-id"},
        {"", "List-Id: <unknown.example.org>\n", "none"},
        {"", "List-Id: dev.example.org\n", "none"},
        {"", "list-ID: \"x <other.example.org>\" (<other.example.org>) <DEV .Example.ORG>\n",
         "distribution dev.example.org list-id"}, /* LI-06, LI-10 */
        {"", "List-Id: <alias.example.org>\n", "none"},
    };
    (void)state;
    check_rows(configuration, rows, CHECK_COUNT(rows));
}

/* RULINGS 19, 75, 78 */
static void test_several_list_ids(void **state)
{
    static const struct row rows[] = {
        {"", "List-Id: <dev.example.org>\nList-Id: <DEV.example.org>\n",
         "distribution dev.example.org list-id"},
        {"from=other-bounces@example.org",
         "List-Id: <dev.example.org>\nList-Id: <other.example.org>\n",
         "distribution other.example.org list-id"},
        {"from=owner-other@example.org",
         "List-Id: <dev.example.org>\nList-Id: <other.example.org>\n",
         "distribution other.example.org list-id"},
        {"from=DEV+bounces-7-x=y@Example.org",
         "List-Id: <other.example.org>\nList-Id: <dev.example.org>\n",
         "distribution dev.example.org list-id"},
        {"from=dev-announce-bounces@example.org",
         "List-Id: <dev.example.org>\nList-Id: <dev-announce.example.org>\n",
         "distribution dev-announce.example.org list-id"},
        {"from=a@example.net", "List-Id: <other.example.org>\nList-Id: <dev.example.org>\n",
         "feed other.example.org ambiguous"},
        {"from=other@example.org", "List-Id: <other.example.org>\nList-Id: <dev.example.org>\n",
         "feed other.example.org ambiguous"},
        {"", "List-Id: <unknown.example.org>\nList-Id: <dev.example.org>\n",
         "distribution dev.example.org list-id"},
        {"", "List-Id: <maj.example.org>\nList-Id: <dev.example.org>\n",
         "distribution dev.example.org list-id"},
    };
    (void)state;
    check_rows(configuration, rows, CHECK_COUNT(rows));
}

/* ---- nested lists --------------------------------------------------------------------------- */

static const char nested[] =
    "lists = {}\n"
    "trusted = {\"192.0.2.0/24\", \"local\"}\n"
    "list \"top.example.org\" { address = \"top@example.org\" }\n"
    "list \"mid.example.org\" { address = \"mid@example.org\" parents = {\"TOP.example.org\"} }\n"
    "list \"low.example.org\" { address = \"low@example.org\" "
    "  parents = {\"mid.example.org\", \"top.example.org\", \"far.example.net\"} }\n"
    "list \"one.example.org\" { address = \"one@example.org\" parents = {\"two.example.org\"} }\n"
    "list \"two.example.org\" { address = \"two@example.org\" parents = {\"one.example.org\"} }\n"
    "list \"c1.example.org\" { address = \"c1@example.org\" parents = {\"c2.example.org\"} }\n"
    "list \"c2.example.org\" { address = \"c2@example.org\" parents = {\"c3.example.org\"} }\n"
    "list \"c3.example.org\" { address = \"c3@example.org\" parents = {\"c1.example.org\"} }\n"
    "list \"sub.example.org\" { select = \"recipient\" address = \"sub@example.org\" "
    "  parents = {\"top.example.org\", \"far.example.net\"} }\n"
    "list \"some.example.org\" { select = \"recipient\" address = \"some@example.org\" "
    "  parents = {\"top.example.org\", \"far.example.net\"} "
    "parent_sources = {\"203.0.113.0/24\"} "
    "command_addresses = {\"some-request@example.org\"} }\n"
    "list \"any.example.org\" { address = \"any@example.org\" parents = {\"far.example.net\"} "
    "  parent_sources = {\"0.0.0.0/0\", \"::/0\"} }\n"
    "list \"maj.example.org\" { select = \"sender\" address = \"maj@example.org\" "
    "  parents = {\"far.example.net\"} parent_sources = {\"203.0.113.0/24\"} }\n";

#define TOP "List-Id: <top.example.org>\n"
#define MID "List-Id: <mid.example.org>\n"
#define LOW "List-Id: <low.example.org>\n"
#define ONE "List-Id: <one.example.org>\n"
#define TWO "List-Id: <two.example.org>\n"
#define ANY "List-Id: <any.example.org>\n"
#define FAR "List-Id: Far away\n <FAR.example.\tnet>\n"

/* LI-11, RULINGS 14, 19, 58, 78 */
static void test_nested_list_ids(void **state)
{
    static const struct row rows[] = {
        {"", MID TOP, "distribution mid.example.org list-id"},
        {"", TOP MID, "distribution mid.example.org list-id"},
        {"", TOP LOW MID, "distribution low.example.org list-id"},
        {"", TOP LOW, "distribution low.example.org list-id"},
        {"from=top-bounces@example.org", TOP MID, "distribution mid.example.org list-id"},
        {"", TOP, "distribution top.example.org list-id"}, /* RULINGS 57 */
        {"", TOP FAR, "distribution top.example.org list-id"},
        {"client=198.51.100.7", TOP MID, "none"},
        /* two that are left when the parents are gone */
        {"", TOP MID ONE, "feed mid.example.org ambiguous"},
        {"from=one-bounces@example.org", TOP MID ONE, "distribution one.example.org list-id"},
        {"from=top-bounces@example.org", TOP MID ONE, "feed mid.example.org ambiguous"},
        /* that name each other */
        {"", ONE TWO, "feed one.example.org ambiguous"},
        {"", ONE TWO MID, "feed one.example.org ambiguous"},
        {"from=two-bounces@example.org", ONE TWO, "distribution two.example.org list-id"},
        {"", "List-Id: <c3.example.org>\nList-Id: <c1.example.org>\nList-Id: <c2.example.org>\n",
         "feed c3.example.org ambiguous"},
        {"", "List-Id: <c1.example.org>\nList-Id: <c2.example.org>\n",
         "distribution c1.example.org list-id"},
    };
    static const struct row exception[] = {
        {"to=sub@example.org", TOP, "distribution sub.example.org recipient"},
        {"to=sub@example.org to=SUB@example.org", TOP, "distribution sub.example.org recipient"},
        {"to=sub@example.org to=x@y", TOP, "distribution top.example.org list-id"},
        {"to=x@y to=sub@example.org", TOP, "distribution top.example.org list-id"},
        {"to=sub@example.org", MID, "distribution mid.example.org list-id"},
        {"to=sub@example.org", TOP MID, "distribution mid.example.org list-id"},
        {"to=sub@example.org", TOP ONE, "feed top.example.org ambiguous"},
        {"to=mid@example.org", TOP, "distribution top.example.org list-id"},
        {"", TOP, "distribution top.example.org list-id"},
        {"client=198.51.100.7 to=sub@example.org", TOP, "distribution sub.example.org recipient"},
    };
    (void)state;
    check_rows(nested, rows, CHECK_COUNT(rows));
    check_rows(nested, exception, CHECK_COUNT(exception));
}

/* RULINGS 19: of more ids than a post can have in earnest the parents are not compared. */
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
    for (int others = 15; others < 17; others++) { /* RULINGS 97: 16 are read */
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

/* RULINGS 27, 78: whether a parent's fields may stay; the place of its List-Id or -1 */
static void test_parent(void **state)
{
    static const struct {
        const char *transaction;
        const char *header;
        int parent;
    } rows[] = {
        /* its list manager passed it on */
        {"", LOW FAR, 1},
        {"", FAR LOW, 0},
        {"", "X: y\n" TOP FAR LOW, 1},
        {"", MID TOP LOW, 0},
        {"", LOW "List-Id: <elsewhere.example>\n", -1},
        {"from=owner-maj@example.org", FAR, 0}, /* parent_sources was asked by the feed */
        {"list=low.example.org", FAR, 0},
        /* an alias list, and a feed: `trusted`, unless there are parent_sources */
        {"to=sub@example.org", FAR, 0},
        {"to=sub@example.org", TOP, 0},
        {"client=192.0.2.9 to=sub@example.org", FAR, 0},
        {"client=198.51.100.7 to=sub@example.org", FAR, -1},
        {"client=203.0.113.4 to=some@example.org", FAR, 0},
        {"client=192.0.2.9 to=some@example.org", FAR, -1},
        {"client=192.0.2.9 from=some-request@example.org", FAR, -1},
        {"client=192.0.2.9 to=some@example.org", TOP, -1},
        {"client=203.0.113.4 to=some-request@example.org", FAR, -1}, /* RULINGS 112 */
        {"client=192.0.2.9 to=low@example.org", FAR, 0},
        {"client=198.51.100.7 to=low@example.org", FAR, -1},
        {"client=198.51.100.7 to=any@example.org", FAR, 0},
        {"client=198.51.100.7 to=any@example.org", "List-Id: far.example.net\n", -1},
        {"client=203.0.113.4 to=maj@example.org", FAR, 0},
        {"client=198.51.100.7 to=maj@example.org", FAR, -1},
        /* the feed that several ids fall back to: who wrote them is not clear, so the client must
         * be named, and it is the first id that decides */
        {"", LOW ONE FAR, -1},
        {"client=192.0.2.9", LOW ONE FAR, -1},
        {"client=192.0.2.9", ANY ONE FAR, 2},
        {"client=192.0.2.9", ONE ANY FAR, -1},
        {"", ANY ONE FAR, -1}, /* no address, so in no network */
        {"to=x@y", FAR, -1},
    };
    struct decide d;
    (void)state;
    decide_open(&d, nested);
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        char message[512];
        snprintf(message, sizeof message, "%sMessage-ID: <1@a>\n\n", rows[i].header);
        (void)decide_message(&d, rows[i].transaction, message);
        snprintf(message, sizeof message, "%s %s", rows[i].transaction, rows[i].header);
        check_row(message);
        check_int("parent", rows[i].parent,
                  d.made.selection.has_parent ? (int)d.made.selection.parent_field : -1);
    }
    decide_close(&d);
    check_end();
}

/* RULINGS 69, 76, 77 */
static void test_sender(void **state)
{
    static const struct row rows[] = {
        {"from=maj-owner@example.org", "", "distribution maj.example.org sender"},
        {"from=owner-maj@example.org", "", "distribution maj.example.org sender"},
        {"from=maj@example.org", "", "none"},
        {"from=bounce@example.org", "", "distribution old.example.org sender"},
        {"from=BOUNCE@EXAMPLE.org", "", "distribution old.example.org sender"},
        {"client=198.51.100.7 from=bounce@example.org", "", "none"},
        {"from=bounce@example.org", "List-Id: <dev.example.org>\n",
         "distribution dev.example.org list-id"},
        {"from=bounce@example.org to=alias@example.org", "", "distribution old.example.org sender"},
        {"from=dev-bounces@example.org", "", "none"},
        {"from=<>", "", "none"},
    };
    (void)state;
    check_rows(configuration, rows, CHECK_COUNT(rows));
}

/* LI-09, LH-09, RULINGS 12 */
static void test_command_response(void **state)
{
    static const struct row rows[] = {
        {"from=dev-request@example.org", "", "distribution dev.example.org command response"},
        {"from=<>", "From: \"a, b\" <x@y>, DEV-request@example.org (dev)\n",
         "distribution dev.example.org command response"},
        {"from=dev-owner@example.org", "From: dev-request@example.org\n",
         "distribution dev.example.org command response"},
        {"from=owner-dev@example.org", "From: dev-request@example.org\n",
         "distribution dev.example.org command response"},
        /* not of the list manager: somebody writes under its name */
        {"from=x@example.org", "From: dev-request@example.org\n", "none"},
        {"from=other-owner@example.org", "From: dev-request@example.org\n", "none"},
        /* nothing that is addressed to a list, in any spelling, is an answer to a person */
        {"from=dev-request@example.org to=x@y to=\"dev\"@example.org", "",
         "feed dev.example.org feed"},
        {"from=dev-request@example.org to=dev+x@example.org", "",
         "feed dev.example.org feed removes only"},
        {"from=\"dev-request\"@example.org.", "", "distribution dev.example.org command response"},
        {"client=198.51.100.7 from=dev-request@example.org", "", "none"},
        {"client=198.51.100.7 from=dev-request@example.org to=dev@example.org", "",
         "feed dev.example.org feed"},
        {"from=dev-request@example.org", "List-Id: <other.example.org>\n",
         "distribution other.example.org list-id"},
        {"from=dev-request@example.org", "List-Id: <dev.example.org>\n",
         "distribution dev.example.org list-id response"},
        {"client=198.51.100.7 from=alias-request@example.org to=alias@example.org", "",
         "distribution alias.example.org recipient"},
        {"from=<>", "Auto-Submitted: auto-replied\n", "none"},
    };
    (void)state;
    check_rows(configuration, rows, CHECK_COUNT(rows));
}

/* LI-09, RULINGS 12: entries with "from:" */
static const char from_addresses[] =
    "lists = {}\n"
    "trusted = {\"local\"}\n"
    "list \"dev.example.org\" { address = \"dev@example.org\" "
    "  command_addresses = {\"dev-request@example.org\", \"from:dev-bounces@example.org\", "
    "    \"From:dev-confirm@example.org\"} }\n"
    "list \"mid.example.org\" { address = \"mid@example.org\" "
    "  command_addresses = {\"from:dev-bounces+mid@example.org\"} }\n"
    "list \"robot.example.org\" { address = \"robot@example.org\" "
    "  command_addresses = {\"dev-confirm+help@example.org\"} }\n"
    "list \"alias.example.org\" { select = \"recipient\" address = \"alias@example.org\" "
    "  command_addresses = {\"from:alias-bot@example.org\"} }\n";

#define DEV_ID "List-Id: <dev.example.org>\n"

/* LI-09, RULINGS 12: such an address counts in From, with a token too, and not in the envelope. */
static void test_from_address(void **state)
{
    static const struct row rows[] = {
        /* a post of Mailman without VERP, and its notices */
        {"from=dev-bounces@example.org", DEV_ID, "distribution dev.example.org list-id"},
        {"from=dev-bounces@example.org", DEV_ID "From: dev-bounces@example.org\n",
         "distribution dev.example.org list-id response"},
        {"from=dev-bounces@example.org", DEV_ID "From: \"Dev\" <DEV-Confirm+0a1B@Example.ORG>\n",
         "distribution dev.example.org list-id response"},
        {"from=dev-confirm+0a1b@example.org", DEV_ID, "distribution dev.example.org list-id"},
        {"from=dev-request@example.org", DEV_ID, "distribution dev.example.org list-id response"},
        /* without a List-Id it is the rule */
        {"from=dev-bounces@example.org", "", "none"},
        {"from=<>", "From: dev-bounces@example.org\n",
         "distribution dev.example.org command response"},
        {"", "From: x@y, dev-confirm+1@example.org\n",
         "distribution dev.example.org command response"},
        {"", "From: g: dev-confirm+@example.org;\n",
         "distribution dev.example.org command response"},
        {"", "From: x@y\nFrom: dev-bounces@example.org\n", "none"}, /* the first field only */
        {"client=198.51.100.7", "From: dev-bounces@example.org\n", "none"},
        {"client=198.51.100.7 to=alias@example.org", "From: alias-bot+7@example.org\n",
         "distribution alias.example.org recipient"},
        {"client=198.51.100.7 from=alias-bot@example.org to=alias@example.org", "",
         "distribution alias.example.org recipient"},
        {"", "From: \"dev-confirm+1\"@example.org\n",
         "distribution dev.example.org command response"},
        /* no token */
        {"", "From: dev-confirm-1@example.org\n", "none"},
        {"", "From: dev-confirms+1@example.org\n", "none"},
        {"", "From: dev-confirm+1@lists.example.org\n", "none"},
        {"", "From: dev-request+1@example.org\n", "none"}, /* of plain ones there are none */
        {"", "From: +1@example.org\n", "none"},
        {"", "From: dev-confirm+1\n", "none"},
    };
    static const struct row no_plain_one[] = {
        {"", "From: b+1@example.org\n", "distribution a.example.org command response"},
        {"from=b@example.org", "", "none"},
    };
    (void)state;
    check_rows(from_addresses, rows, CHECK_COUNT(rows));
    check_rows("lists = {}\n"
               "list \"a.example.org\" { command_addresses = {\"from:b@example.org\"} }\n",
               no_plain_one, CHECK_COUNT(no_plain_one));
}

/* RULINGS 12: posts of an owner, as Mailman 3 distributes them, and notices to the owners */
static void test_owner(void **state)
{
    static const char mailman[] =
        "lists = {}\n"
        "list \"dev.example.org\" { address = \"dev@example.org\" manager = \"mailman3\" "
        "  aliases = {\"dev@example.net\"} owner = {\"mailto:dev-owner@example.org\", "
        "\"mailto:olga@example.com\"} }\n";
#define OWNER DEV_ID "From: dev-owner@example.org\n"
    static const struct row rows[] = {
        /* To or Cc has the list */
        {"from=dev-bounces@example.org", OWNER "To: dev@example.org\n",
         "distribution dev.example.org list-id"},
        {"from=dev-bounces@example.org", OWNER "To: dev+news@example.org\n",
         "distribution dev.example.org list-id"},
        {"from=dev-bounces@example.org", OWNER "To: Dev <dev@example.net>\n",
         "distribution dev.example.org list-id"},
        {"from=dev-bounces@example.org",
         OWNER "To: b@example.com\nCC: \"Club, the\" <club@example.net>, D <DEV@example.org>\n",
         "distribution dev.example.org list-id"},
        /* full personalisation has moved the list to Cc, or to Reply-To */
        {"from=dev-bounces@example.org", OWNER "To: ann@example.com\nCc: dev@example.org\n",
         "distribution dev.example.org list-id"},
        {"from=dev-bounces@example.org", OWNER "To: ann@example.com\nReply-To: dev@example.org\n",
         "distribution dev.example.org list-id response"},
        /* the owner's personal address is no command address */
        {"from=dev-bounces@example.org", DEV_ID "From: olga@example.com\nTo: dev@example.org\n",
         "distribution dev.example.org list-id"},
        {"from=dev-bounces@example.org", DEV_ID "To: olga@example.com\nReply-To: dev@example.org\n",
         "distribution dev.example.org list-id"},
        {"from=dev-bounces@example.org", DEV_ID "To: dev-owner@example.org\nCC: dev@example.org\n",
         "distribution dev.example.org list-id"},
        {"from=dev-bounces@example.org", DEV_ID "To: dev-owner@example.org\n",
         "distribution dev.example.org list-id response"},
    };
    (void)state;
    check_rows(mailman, rows, CHECK_COUNT(rows));
}

/* RULINGS 12, 77: the sender, a plain address, one with "from:", one with a token: the longest */
static void test_from_address_order(void **state)
{
    static const struct row rows[] = {
        {"from=dev-request@example.org", "From: dev-bounces+mid@example.org\n",
         "distribution dev.example.org command response"},
        {"", "From: dev-confirm+help@example.org\n",
         "distribution robot.example.org command response"},
        {"", "From: dev-bounces@example.org, dev-confirm+help@example.org\n",
         "distribution robot.example.org command response"},
        {"", "From: dev-confirm+1@example.org, dev-bounces+mid@example.org\n",
         "distribution mid.example.org command response"},
        {"", "From: dev-bounces+mid+1@example.org\n",
         "distribution mid.example.org command response"},
        {"", "From: dev-bounces+midi+1@example.org\n",
         "distribution dev.example.org command response"},
        /* another list's, and still one of the list that the List-Id names */
        {"", DEV_ID "From: dev-confirm+help@example.org\n",
         "distribution dev.example.org list-id response"},
        {"", DEV_ID "From: dev-bounces+mid@example.org\n",
         "distribution dev.example.org list-id response"},
        {"", DEV_ID "From: dev-bounces+mid+1@example.org\n",
         "distribution dev.example.org list-id response"},
        {"", DEV_ID "From: alias-bot+1@example.org\n", "distribution dev.example.org list-id"},
        {"", "List-Id: <mid.example.org>\nFrom: dev-bounces+1@example.org\n",
         "distribution mid.example.org list-id"},
    };
    (void)state;
    check_rows(from_addresses, rows, CHECK_COUNT(rows));
}

/* A recipient decides, or nothing: RULINGS 20, 21 */
static void test_recipients(void **state)
{
    static const struct row rows[] = {
        {"client=198.51.100.7 to=ALIAS@example.ORG", "",
         "distribution alias.example.org recipient"},
        {"client=198.51.100.7 to=<alias@example.org>", "List-Id: <dev.example.org>\n",
         "distribution alias.example.org recipient"},
        {"client=198.51.100.7 to=alias+tag@example.org", "",
         "distribution alias.example.org recipient"},
        {"client=198.51.100.7 to=alias@example.net", "", "none"}, /* nothing is guessed */
        {"client=198.51.100.7 to=alias", "", "none"},
        {"client=198.51.100.7 to=x@y mta=alias@example.org", "",
         "distribution alias.example.org recipient"},
        {"client=198.51.100.7 to=x%y@z mta=alias", "", "distribution alias.example.org recipient"},
        {"client=198.51.100.7 to=x@y mta=alias+z", "", "distribution alias.example.org recipient"},
        {"client=198.51.100.7 to=x@y mta=alias+z\\@w", "",
         "distribution alias.example.org recipient"},
        {"client=198.51.100.7 to=x@y mta=alias\\@w", "", "none"},
        {"client=198.51.100.7 to=x@y mta=alias\\@w+z", "", "none"},
        {"client=198.51.100.7 to=alias@example.org mta=x@y", "",
         "distribution alias.example.org recipient"},
        {"client=198.51.100.7 to=dev+tag@example.org", "",
         "feed dev.example.org feed removes only"},
        /* named by the list, and a person's */
        {"client=198.51.100.7 to=dev-request@example.org", "",
         "feed dev.example.org feed removes only"},
        {"client=198.51.100.7 to=x%y@z mta=dev-request@example.org", "",
         "feed dev.example.org feed removes only"},
        {"client=198.51.100.7 to=dev-requests@example.org", "", "none"},
        {"client=198.51.100.7 to=dev-request@example.net", "", "none"},
        {"client=198.51.100.7 to=alias-request@example.org", "", /* RULINGS 112 */
         "feed alias.example.org contact removes only"},
        {"client=198.51.100.7 to=alias-request+x@example.org", "",
         "feed alias.example.org contact removes only"},
        {"client=198.51.100.7 to=dev-request+x@example.org", "",
         "feed dev.example.org feed removes only"},
        {"client=198.51.100.7 to=x@y mta=alias%example.org", "", "none"}, /* a name as it stands */
        {"from=<> to=dev-request@example.org", "From: dev-request@example.org\n",
         "distribution dev.example.org command response"},
        {"client=198.51.100.7 to=dev+tag@example.org to=other@example.org", "",
         "feed other.example.org feed"},
        {"client=198.51.100.7 to=dev+tag@example.org to=dev@example.org", "",
         "feed dev.example.org feed"},
        {"client=198.51.100.7 to=dev+tag@example.org to=alias@example.org", "", /* deferred */
         "feed dev.example.org feed removes only"},
        {"to=dev+tag@example.org to=alias@example.org", "",
         "distribution alias.example.org recipient"},
        {"client=198.51.100.7 to=dev@example.org", "", "feed dev.example.org feed"},
        {"to=dev@example.org", "", "feed dev.example.org feed"},
        {"to=dev@example.org", "List-Id: <dev.example.org>\n",
         "distribution dev.example.org list-id"},
        {"client=198.51.100.7 to=maj@example.org", "", "feed maj.example.org feed"},
        {"client=198.51.100.7 to=x@y to=other@example.org to=dev@example.org", "",
         "feed other.example.org feed"},
        {"to=dev@example.org to=alias@example.org", "", "distribution alias.example.org recipient"},
        {"client=198.51.100.7 to=x@example.net", "", "none"},
        {"client=198.51.100.7", "", "none"},
        {"client=198.51.100.7 to=x@y list=dev.example.org", "",
         "distribution dev.example.org forced"}, /* RULINGS 24 */
    };
    (void)state;
    check_rows(configuration, rows, CHECK_COUNT(rows));
}

/* A post that a person sends on: RULINGS 114 */
static void test_resent(void **state)
{
    static const struct row rows[] = {
        {"client=192.0.2.7 from=ann@example.net to=alias@example.org", DEV_ID,
         "distribution alias.example.org resent"},
        {"client=192.0.2.7 from=ann@example.net to=alias+x@example.org", DEV_ID,
         "distribution alias.example.org resent"},
        {"client=192.0.2.7 from=ann@example.net to=other@example.org to=alias@example.org", DEV_ID,
         "distribution alias.example.org resent"},
        {"client=192.0.2.7 from=ann@example.net to=other@example.org", DEV_ID,
         "feed other.example.org resent"},
        {"client=192.0.2.7 from=other-bounces@example.org to=dev@example.org", DEV_ID,
         "feed dev.example.org resent"},
        /* a list manager's */
        {"client=192.0.2.7 from=dev-bounces@example.org to=alias@example.org", DEV_ID,
         "distribution dev.example.org list-id"},
        {"client=192.0.2.7 from=<> to=alias@example.org", DEV_ID,
         "distribution dev.example.org list-id"},
        {"client=192.0.2.7 from=ann@example.net to=alias@example.org to=x@y", DEV_ID,
         "distribution dev.example.org list-id"},
        {"client=192.0.2.7 from=ann@example.net to=other+x@example.org", DEV_ID,
         "distribution dev.example.org list-id"},
        {"client=192.0.2.7 from=ann@example.net to=other@example.org to=dev-request@example.org",
         DEV_ID, "distribution dev.example.org list-id"},
        {"client=192.0.2.7 from=ann@example.net", DEV_ID, "distribution dev.example.org list-id"},
        {"client=198.51.100.7 from=ann@example.net to=alias@example.org", DEV_ID,
         "distribution alias.example.org recipient"},
    };
    (void)state;
    check_rows(configuration, rows, CHECK_COUNT(rows));
}

/* RULINGS 22, 109 */
static void test_crosspost(void **state)
{
    static const struct {
        const char *transaction;
        const char *answers; /* "a" accepted, "d" deferred, for each recipient */
        bool shares_header;
    } rows[] = {
        {"client=198.51.100.7 to=alias@example.org to=second@example.org", "ad", false},
        {"client=198.51.100.7 to=alias@example.org to=Alias@example.org", "aa", false},
        {"client=198.51.100.7 to=dev@example.org to=other@example.org", "aa", false},
        {"client=198.51.100.7 to=dev@example.org to=alias@example.org", "ad", false},
        {"client=198.51.100.7 to=alias@example.org to=dev@example.org", "ad", false},
        {"client=198.51.100.7 to=alias@example.org to=dev@example.org to=dev@example.org", "add",
         false},
        {"client=198.51.100.7 to=alias@example.org to=x@y to=second@example.org", "aad", false},
        {"client=198.51.100.7 to=alias@example.org to=first@example.org", "ad", false},
        {"client=198.51.100.7 to=first@example.org to=also@example.org", "aa", true},
        {"client=198.51.100.7 to=also@example.org to=first@example.org to=first-owner@example.org",
         "aaa", true},
        {"client=198.51.100.7 to=also@example.org to=also-owner@example.org to=first@example.org",
         "aaa", true},
        {"client=198.51.100.7 to=first@example.org to=also@example.org to=alias@example.org", "aad",
         true},
        {"client=198.51.100.7 to=first@example.org to=dev@example.org", "ad", false},
        {"client=198.51.100.7 to=dev@example.org to=first@example.org", "ad", false},
        {"client=198.51.100.7 to=first@example.org to=alias@example.org", "ad", false},
        {"client=198.51.100.7 auth to=alias@example.org to=second@example.org", "aa", true},
        {"client=192.0.2.1 to=alias@example.org to=second@example.org", "aa", true},
        {"to=alias@example.org to=second@example.org", "aa", true},
        /* RULINGS 109: below another list, or a contact of one */
        {"client=198.51.100.7 to=dev+tag@example.org to=alias@example.org", "ad", false},
        {"client=198.51.100.7 to=alias@example.org to=dev+tag@example.org", "ad", false},
        {"client=198.51.100.7 to=dev-request@example.org to=alias@example.org", "ad", false},
        {"client=198.51.100.7 to=alias@example.org to=dev-request@example.org", "ad", false},
        {"client=198.51.100.7 to=dev@example.org to=alias-request@example.org", "ad", false},
        {"client=198.51.100.7 to=alias-request@example.org to=dev@example.org", "ad", false},
        {"client=198.51.100.7 to=alias-request@example.org to=dev+tag@example.org", "ad", false},
        {"client=198.51.100.7 to=alias-request@example.org to=second@example.org", "ad", false},
        {"client=198.51.100.7 to=second@example.org to=alias-request@example.org", "ad", false},
        {"client=198.51.100.7 to=alias-request@example.org to=alias@example.org", "aa", false},
        {"client=198.51.100.7 to=alias@example.org to=alias-request@example.org", "aa", false},
        /* contacts alone defer nobody: a mail to two owners is one mail */
        {"client=198.51.100.7 to=alias-request@example.org to=dev-request@example.org", "aa",
         false},
        {"client=198.51.100.7 to=alias-request@example.org to=first-owner@example.org", "aa",
         false},
        {"client=198.51.100.7 to=dev+tag@example.org to=other@example.org", "aa", false},
        {"client=198.51.100.7 to=alias@example.org to=second+x@example.org", "ad", false},
        {"client=198.51.100.7 to=alias@example.org to=\"second\"@example.org.", "ad", false},
        {"client=198.51.100.7 to=alias@example.org to=dev+tag@example.org to=dev@example.org",
         "add", false},
        /* nobody comes again with it */
        {"client=198.51.100.7 cleanup to=alias@example.org to=second@example.org", "aa", true},
        /* a list that wants no private recipient beside it */
        {"client=198.51.100.7 to=alone@example.org to=x@y", "ap", false},
        {"client=198.51.100.7 to=x@y to=alone@example.org", "ap", false},
        {"client=198.51.100.7 to=x@y to=alone@example.org to=alone+1@example.org to=u@v", "appa",
         false},
        {"client=198.51.100.7 to=x@y to=alias@example.org", "aa", false},
        {"client=198.51.100.7 to=alone@example.org to=alone-owner@example.org", "aa", false},
        {"client=198.51.100.7 to=x@y to=alone-owner@example.org", "aa", false},
        {"client=198.51.100.7 auth to=alone@example.org to=x@y", "aa", false},
        {"client=192.0.2.1 to=alone@example.org to=x@y", "aa", false},
        {"client=198.51.100.7 cleanup to=alone@example.org to=x@y", "aa", false},
        /* a deferred list counts as not there */
        {"client=198.51.100.7 to=dev@example.org to=alias@example.org to=other@example.org", "ada",
         false},
    };
    struct decide d;
    (void)state;
    decide_open(&d, configuration);
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        const char *cleanup = strstr(rows[i].transaction, "cleanup");
        const char *recipients = cleanup != NULL ? cleanup : strstr(rows[i].transaction, "to=");
        char client[64], answers[8] = "";
        snprintf(client, sizeof client, "%.*s", (int)(recipients - rows[i].transaction),
                 rows[i].transaction);
        (void)decide_message(&d, client, "\n");
        decide_recipients(&d, recipients, answers);
        check_row(rows[i].transaction);
        check_str("answers", rows[i].answers, answers);
        check_bool("shares_header", rows[i].shares_header, d.envelope.shares_header);
    }
    decide_close(&d);
    check_end();
}

/* mlmilter(8), PROTOCOL: what can be accepted before its header is seen */
static void test_may_be_ours(void **state)
{
    static const struct {
        const char *transaction;
        bool expected;
    } rows[] = {
        {"client=198.51.100.7 to=x@y", false},
        {"client=198.51.100.7", false},
        {"client=198.51.100.7 to=x@y to=dev@example.org", true},
        {"client=192.0.2.1 to=x@y", true},
        {"to=x@y", true},
    };
    struct decide d;
    (void)state;
    decide_open(&d, configuration);
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        (void)decide_message(&d, rows[i].transaction, "\n");
        check_row(rows[i].transaction);
        check_bool("may be ours", rows[i].expected, envelope_may_be_ours(&d.envelope));
    }
    decide_close(&d);
    decide_open(&d, "lists = {}\nlist \"a.example.org\" { select = \"recipient\" "
                    "address = \"a@example.org\" }\n");
    (void)decide_message(&d, "to=x@y", "\n");
    check_row("only lists that the MTA expands: trust does not matter");
    check_bool("may be ours", false, envelope_may_be_ours(&d.envelope));
    decide_close(&d);
    decide_open(&d, "lists = {}\nlist \"a.example.org\" { select = \"recipient\" "
                    "address = \"a@example.org\" "
                    "command_addresses = {\"from:b@example.org\"} }\n");
    (void)decide_message(&d, "to=x@y", "\n");
    check_row("but From may say a command address: RULINGS 12");
    check_bool("may be ours", true, envelope_may_be_ours(&d.envelope));
    decide_close(&d);
    check_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_list_id_needs_trust),
        cmocka_unit_test(test_several_list_ids),
        cmocka_unit_test(test_nested_list_ids),
        cmocka_unit_test(test_many_list_ids),
        cmocka_unit_test(test_parent),
        cmocka_unit_test(test_sender),
        cmocka_unit_test(test_command_response),
        cmocka_unit_test(test_from_address),
        cmocka_unit_test(test_from_address_order),
        cmocka_unit_test(test_owner),
        cmocka_unit_test(test_recipients),
        cmocka_unit_test(test_resent),
        cmocka_unit_test(test_crosspost),
        cmocka_unit_test(test_may_be_ours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

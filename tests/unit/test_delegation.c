/* config/delegation: what delegated files may hold (LI-03, RULINGS 14, 59, 76). */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "delegation_help.h"

/* What is in force whatever alice writes. */
static void write_others(void)
{
    write_file("own/x.conf", "list \"main.admin.example\" { address = \"main@admin.example\"\n"
                             "  command_addresses = {\"main-request@admin.example\"} }\n"
                             "list \"taken.alice.example\" { address = \"taken@alice.example\"\n"
                             "  command_addresses = {\"robot@alice.example\", "
                             "\"from:notices@alice.example\"} }\n"
                             "list \"s.admin.example\" { select = \"sender\" senders = "
                             "{\"bounces@alice.example\"} }\n");
    write_file("a/z.conf", "list \"fine.alice.example\" { address = \"fine@alice.example\" }\n");
    write_file("b/b.conf", "list \"b.bob.example\" { }\n");
}

#define OTHERS 5

/* Domains: known good and known bad (RULINGS 59). */
static void test_domains(void **state)
{
    static const struct {
        const char *domains, *domain;
        bool covered;
    } rows[] = {
        {"alice.example", "alice.example", true},
        {"alice.example", "ALICE.Example", true},
        {"Alice.EXAMPLE", "alice.example", true},
        {"alice.example", "lists.alice.example", false},
        {"alice.example", "malice.example", false},
        {"alice.example", "alice.example.org", false},
        {"alice.example", "alice.exampl", false},
        {"*.alice.example", "lists.alice.example", true},
        {"*.alice.example", "a.b.ALICE.example", true},
        {"*.alice.example", "alice.example", false},
        {"*.alice.example", "malice.example", false},
        {"*.alice.example", "x.malice.example", false},
        {"*.alice.example", "alice.example.org", false},
        {"*.alice.example", "x.alice.example.org", false},
        {"xn--mnchen-3ya.example", "xn--mnchen-3ya.example", true},
        {"*.xn--mnchen-3ya.example", "x.xn--mnchen-3ya.example", true},
        {"localhost", "0123456789abcdef0123456789abcdef.012026.localhost", false},
        {"*.localhost", "0123456789abcdef0123456789abcdef.012026.localhost", true},
    };
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        char text[400];
        check_row(rows[i].domain);
        snprintf(text, sizeof text,
                 "lists = {}\ndelegate d { files = {\"a/*\"} domains = {\"%s\"} }\n",
                 rows[i].domains);
        write_file("m.conf", text);
        snprintf(text, sizeof text, "list \"l.%s\" { }\n", rows[i].domain);
        write_file("a/x.conf", text);
        struct loaded l = load_main(NULL);
        check_bool("loaded", true, l.settings != NULL);
        check_int("lists", rows[i].covered, l.settings ? (int)l.settings->index.count : -1);
        check_int("errors", rows[i].covered ? 0 : 1, (int)l.diagnostics.delegated);
        if (!rows[i].covered)
            check_says(&l, "a/x.conf:1: list: \"l.");
        loaded_free(&l);

        /* The same for an address, whose list has a good id. */
        snprintf(
            text, sizeof text,
            "lists = {}\ndelegate d { files = {\"a/*\"} domains = {\"id.example\", \"%s\"} }\n",
            rows[i].domains);
        write_file("m.conf", text);
        snprintf(text, sizeof text, "list \"l.id.example\" {\naddress = \"l@%s\" }\n",
                 rows[i].domain);
        write_file("a/x.conf", text);
        l = load_main(NULL);
        check_int("addresses", rows[i].covered, l.settings ? (int)l.settings->index.count : -1);
        if (!rows[i].covered)
            check_says(&l, "a/x.conf:2: address: \"l@");
        loaded_free(&l);
    }
    check_end();
}

/* International domains are compared as A-labels, however they are written (AT-07). */
static void test_international(void **state)
{
    static const struct {
        const char *domain, *address;
        bool covered;
    } rows[] = {
        {"m\xC3\xBCnchen.example", "l@m\xC3\xBCnchen.example", true},
        {"m\xC3\xBCnchen.example", "l@M\xC3\x9CNCHEN.example", true},
        {"m\xC3\xBCnchen.example", "l@xn--mnchen-3ya.example", true},
        {"xn--mnchen-3ya.example", "l@m\xC3\xBCnchen.example", true},
        {"*.m\xC3\xBCnchen.example", "l@x.M\xC3\xBCnchen.example", true},
        {"*.m\xC3\xBCnchen.example", "l@m\xC3\xBCnchen.example", false},
        {"m\xC3\xBCnchen.example", "l@m\xC3\xB6nchen.example", false},
        {"m\xC3\xBCnchen.example", "l@munchen.example", false},
        {"m\xC3\xBCnchen.example", "l@xm\xC3\xBCnchen.example", false},
    };
    (void)state;
#ifndef HAVE_LIBIDN2
    check_skip("libidn2 is not built in");
    return;
#endif
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        char text[400];
        check_row(rows[i].address);
        snprintf(
            text, sizeof text,
            "lists = {}\ndelegate d { files = {\"a/*\"} domains = {\"id.example\", \"%s\"} }\n",
            rows[i].domain);
        write_file("m.conf", text);
        snprintf(text, sizeof text, "list \"l.id.example\" { address = \"%s\" }\n",
                 rows[i].address);
        write_file("a/x.conf", text);
        struct loaded l = load_main(NULL);
        check_int("lists", rows[i].covered, l.settings ? (int)l.settings->index.count : -1);
        loaded_free(&l);
    }
    check_end();
}

/* Sections that are wrong are the administrator's mistake, and an error. */
#define NAME_64 "ABCDEFGHIJKLMNOPabcdefghijklmnopABCDEFGHIJKLMNOPabcdefghijklmnop"

static void test_sections(void **state)
{
#define D(inner) "lists = {}\ndelegate \"d\" {\n" inner "\n}\n"
#define F        "files = {\"/nowhere/x\"}\n"
    static const struct {
        const char *text, *says;
    } rows[] = {
        {D(F "domains = {\"alice.example\"}"), NULL},
        {D(F "domains = alice.example"), NULL},
        {D(F "domains = {\"m\xC3\xBCnchen.example\"}"), NULL},
        {D(F), "2: domains: is missing"},
        {D(F "domains = {}"), "2: domains: is missing"},
        {D("domains = {x.y}"), "2: files: is missing"},
        {D("domains = {x.y} files = {}"), "2: files: is missing"},
        {D("domains = {x.y} files = {\"\"}"), "3: files: \"\" names no file"},
        {D("domains = {x.y} files = {\"/a/\"}"), "3: files: \"/a/\" names no file"},
        {D(F "domains = {\"x.y\",\n\"*\"}"), "5: domains: \"*\" is no domain"},
        {D(F "domains = {\"\"}"), "4: domains: \"\" is no domain"},
        {D(F "domains = {\"*.\"}"), "4: domains: "},
        {D(F "domains = {\"*.*.x\"}"), "4: domains: "},
        {D(F "domains = {\"x.*\"}"), "4: domains: "},
        {D(F "domains = {\"*x.y\"}"), "4: domains: "},
        {D(F "domains = {\".x.y\"}"), "4: domains: "},
        {D(F "domains = {\"x..y\"}"), "4: domains: "},
        {D(F "domains = {\"x.y.\"}"), "4: domains: "},
        {D(F "domains = {\"x y\"}"), "4: domains: "},
        {D(F "domains = {\"a@x.y\"}"), "4: domains: "},
        {D(F "domains = {\"[192.0.2.1]\"}"), "4: domains: "},
        {D(F "domains = {x.y}\ndomain = {x.y}"),
         "5: domain: is not known (did you mean \"domains\"?)"},
        {D(F "domains = {x.y}\naddress = \"x@y\""),
         "5: address: is not known (expected a key of a delegate; a text of several words must be "
         "in quotes)"},
        {D(F "domains = {x.y}\nlists = {}"), "5: lists: is a key of the main file"},
        {D(F "domains = {x.y}\ndomains = {x.z}"), "5: domains: is set a second time"},
        {D(F "domains = {x.y} lists_max = 1"), NULL},
        {D(F "domains = {x.y} lists_max = \"999999999\""), NULL},
        {D(F "domains = {x.y}\nlists_max = 0"), "5: lists_max: \"0\" is no number of lists"},
        {D(F "domains = {x.y}\nlists_max = 1000000000"), "5: lists_max: "},
        {D(F "domains = {x.y}\nlists_max = \"-1\""), "5: lists_max: "},
        {D(F "domains = {x.y}\nlists_max = 10k"), "5: lists_max: "},
        {D(F "domains = {x.y}\nlists_max = \"\""), "5: lists_max: "},
        {"delegate { " F "domains = {x.y} }", "1: delegate: has no name"},
        {"delegate \"\" { " F "domains = {x.y} }", "1: delegate: \"\" is no name"},
        {"delegate \"a b\" { " F "domains = {x.y} }", "1: delegate: \"a b\" is no name"},
        {"delegate \"" NAME_64 "x\" { " F "domains = {x.y} }",
         "x\" is too long (expected at most 64 bytes)"},
        {"delegate a { " F "domains = {x.y} }\n\ndelegate b { " F "domains = {x.y} }\n", NULL},
        {"delegate a { " F "domains = {x.y} }\n\ndelegate \"A\" { " F "domains = {x.y} }\n",
         "4: delegate: \"A\" appears a second time (first in line 1)"},
    };
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        struct loaded l = load_text(rows[i].text);
        check_row(rows[i].text);
#ifndef HAVE_LIBIDN2
        if (strchr(rows[i].text, '\xC3') != NULL) {
            loaded_free(&l);
            continue;
        }
#endif
        check_bool("loaded", rows[i].says == NULL, l.settings != NULL);
        if (rows[i].says != NULL)
            check_says(&l, rows[i].says);
        loaded_free(&l);
    }
    check_end();
}

/* Line numbers of tokens, delegates, `defaults` and lists that stand among each other. */
static void test_lines(void **state)
{
    (void)state;
    struct loaded l =
        load_text("lists = {}\n"
                  "defaults { keep = {\n\"List-Help\",\n\"x1\"} }\n"
                  "delegate a {\nfiles = {\n\"/nowhere/\"}\ndomains = {x.y} }\n"
                  "list \"a.b.c\" {\nkeep = {\"x3\"} }\n"
                  "delegate b { files = {\"/nowhere/x\"}\n\ndomains = {\"x.y\", \"-..\"} }\n"
                  "list \"a.b.d\" { }\n"
                  "user = \"a/b\"\n");
    check_row("lines");
    check_says(&l, ":7: files: \"/nowhere/\"");
    check_says(&l, ":10: keep: \"x3\"");
    check_says(&l, ":13: domains: \"-..\"");
    check_says(&l, ":4: keep: \"x1\"");
    check_says(&l, ":15: user: ");
    check_end();
    loaded_free(&l);
}

#define LIST(inner) "list \"n.alice.example\" {\n" inner "\n}\n"

/* Each costs the lists of this file, is told with its line, and changes nothing else. */
static void test_wrong_texts(void **state)
{
    static const struct {
        const char *text, *says;
    } rows[] = {
        {LIST(""), NULL},
        {LIST("address = \"n@Lists.ALICE.example\""), NULL},
        {"", NULL},
        {"# nothing\n", NULL},
        /* the form */
        {"list \"n.alice.example\" {\n", "a/m.conf:1: list: has a \"{\" that is not closed"},
        {"\nlist { }\n", "a/m.conf:2: list: has no name or list id"},
        {LIST("") "\xFF", "a/m.conf:4: "},
        {LIST("") "\nx = \x01\n", "a/m.conf:5: "},
        {LIST("colour = red"), "a/m.conf:2: colour: is not known"},
        {"socket = \"inet:1@h\"\n", "a/m.conf:1: socket: only list sections"},
        {"defaults { post = {\"NO\"} }\n", "a/m.conf:1: defaults: only list sections"},
        {"token \"t\" { key_file = \"/etc/passwd\" of = \"x\" }\n", "a/m.conf:1: token: only list"},
        {"delegate \"x\" { files = {\"/etc/*\"} domains = {\"*.example\"} }\n",
         "a/m.conf:1: delegate: only list sections"},
        {"include(\"/etc/passwd\")\n", "a/m.conf:1: "},
        {"include = \"/etc/passwd\"\n", "a/m.conf:1: include: only list sections"},
        {"include \"/etc/passwd\" { }\n", "a/m.conf:1: include: only list sections"},
        {LIST("include(\"/etc/passwd\")"), "a/m.conf:2: "},
        {LIST("description = \"${HOME}\""), "a/m.conf:2: description: "},
        {LIST("key_file = \"/etc/passwd\""), "a/m.conf:2: key_file: is not known"},
        {LIST("token_key_file = \"/etc/passwd\""), "a/m.conf:2: token_key_file: is a key of the"},
        /* ids */
        {"list \"n.bob.example\" { }\n",
         "a/m.conf:1: list: \"n.bob.example\" lies outside of the domains of delegate \"alice\" "
         "(expected \"alice.example\" or \"*.alice.example\"); its lists are disabled\n"},
        {"list \"n.malice.example\" { }\n", "a/m.conf:1: list: "},
        {"list \"alice.example\" { }\n", "a/m.conf:1: list: "}, /* its name space is "example" */
        {"list \"Taken.alice.example\" { }\n",
         "a/m.conf:1: list: \"Taken.alice.example\" appears a second time (first in "
         "own/x.conf:3); its lists are disabled\n"},
        {LIST("") LIST(""), "a/m.conf:4: list: \"n.alice.example\" appears a "
                            "second time (first in a/m.conf:1)"},
        {LIST("") "list \"m.bob.example\" { }\n", "a/m.conf:4: list: "},
        /* addresses (RULINGS 12, 59, 76) */
        {LIST("address = \"n@bob.example\""),
         "a/m.conf:2: address: \"n@bob.example\" lies outside of the domains"},
        {LIST("address = \"n@[192.0.2.1]\""), "a/m.conf:2: address: "},
        {LIST("address = \"\\\"n@alice.example\\\"@bob.example\""), "a/m.conf:2: address: "},
        {LIST("address = \"TAKEN@alice.example\""),
         "a/m.conf:2: address: \"TAKEN@alice.example\" is the address of list "
         "\"taken.alice.example\" already (own/x.conf:3)"},
        {LIST("address = \"robot@alice.example\""),
         "a/m.conf:2: address: \"robot@alice.example\" is a command address of list "
         "\"taken.alice.example\" already"},
        {LIST("select = \"sender\" senders = {\"n@bob.example\"}"), "a/m.conf:2: senders: "},
        {LIST("select = \"sender\"\nsenders = {\"n@alice.example\",\n\"Bounces@alice.example\"}"),
         "a/m.conf:4: senders: \"Bounces@alice.example\" is a sender of list \"s.admin.example\""},
        {LIST("command_addresses = {\"n@bob.example\"}"), "a/m.conf:2: command_addresses: "},
        {LIST("command_addresses = {\"main-request@admin.example\"}"),
         "a/m.conf:2: command_addresses: "},
        {LIST("command_addresses = {\"Robot@alice.example\"}"),
         "a/m.conf:2: command_addresses: \"Robot@alice.example\" is a command address of list"},
        {LIST("command_addresses = {\"from:n@alice.example\"}"), NULL},
        {LIST("command_addresses = {\"from:robot+x@alice.example\"}"), NULL},
        {LIST("command_addresses = {\"from:n@bob.example\"}"),
         "a/m.conf:2: command_addresses: \"from:n@bob.example\" lies outside of the domains"},
        {LIST("command_addresses = {\"from:Robot@alice.example\"}"),
         "a/m.conf:2: command_addresses: \"Robot@alice.example\" is a command address of list "
         "\"taken.alice.example\" already (own/x.conf:3)"},
        {LIST("command_addresses = {\"from:Notices@alice.example\"}"),
         "a/m.conf:2: command_addresses: \"Notices@alice.example\" is a command address of list"},
        {LIST("command_addresses = {\"Notices@alice.example\"}"),
         "a/m.conf:2: command_addresses: \"Notices@alice.example\" is a command address of list"},
        {LIST("address = \"notices@alice.example\""),
         "a/m.conf:2: address: \"notices@alice.example\" is a command address of list "
         "\"taken.alice.example\" already"},
        {LIST("command_addresses = {\"from:taken@alice.example\"}"),
         "a/m.conf:2: command_addresses: \"taken@alice.example\" is the address of list"},
        {LIST("address = \"n@alice.example\" command_addresses = {\"from:{address}\"}"),
         "a/m.conf:2: command_addresses: \"n@alice.example\" is the address of list"},
        {LIST("command_addresses = {\"taken@alice.example\"}"),
         "a/m.conf:2: command_addresses: \"taken@alice.example\" is the address of list"},
        {LIST("address = \"n@alice.example\" command_addresses = {\"{address}\"}"),
         "a/m.conf:2: command_addresses: \"n@alice.example\" is the address of list"},
        {LIST("command_addresses = {\"q@alice.example\"}") "list \"m.alice.example\" { address = "
                                                           "\"q@alice.example\" }\n",
         "a/m.conf:2: command_addresses: "},
        /* headers */
        {LIST("description = \"a\\nBcc: x@y\""), "a/m.conf:2: description: "},
        {LIST("help = {\"mailto:x@y.z (a\\r\\nBcc: x)\"}"), "a/m.conf:2: help: "},
        /* parents (RULINGS 14) */
        {LIST("parents = {\"taken.alice.example\", \"far.away.example\"}"), NULL},
        {LIST("parents = {\"far.away.example\",\n\"MAIN.admin.example\"}"),
         "a/m.conf:3: parents: \"MAIN.admin.example\" lies outside of the domains"},
    };
    (void)state;
    write_others();
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        check_row(rows[i].text);
        write_file("a/m.conf", rows[i].text);
        struct loaded l = load_main(NULL);
        bool has = strncmp(rows[i].text, "list", 4) == 0 && rows[i].says == NULL;
        check_int("lists", OTHERS + has, l.settings ? (int)l.settings->index.count : -1);
        check_int("errors", 0, (int)l.diagnostics.errors);
        check_bool("delegated errors", rows[i].says != NULL, l.diagnostics.delegated > 0);
        if (rows[i].says != NULL) {
            check_says(&l, rows[i].says);
            check_says(&l, "its lists are disabled");
            check_bool("a list in force", false, has_list(&l, "n.alice.example"));
            check_bool("the address in force", false,
                       l.settings != NULL &&
                           list_by_address(&l.settings->index, span_cstr("n@alice.example")));
        }
        check_bool("alice's other list", true, has_list(&l, "fine.alice.example"));
        check_bool("bob's list", true, has_list(&l, "b.bob.example"));
        if (says(&l, "root:"))
            check_complain("messages", "nothing of other files", strbuf_str(&l.messages));
        loaded_free(&l);
    }
    check_end();
}

/* The administrator's files come first, whatever their names; then the delegates as they stand. */
static void test_order(void **state)
{
    static const char *const ids[] = {"z.admin.example", "a.bob.example", "B.alice.example",
                                      "a.alice.example", "a-b.alice.example"};
    (void)state;
    write_file("m.conf", "lists = {\"own/*.conf\"}\n" BOB ALICE);
    write_file("own/z.conf", "list \"z.admin.example\" { }\n");
    write_file("b/z.conf", "list \"a.bob.example\" { }\n");
    write_file("a/B.conf", "list \"B.alice.example\" { }\n");
    write_file("a/a.conf", "list \"a.alice.example\" { }\n");
    write_file("a/b.conf", "list \"a-b.alice.example\" { }\n");
    write_file("a/.c.conf", "list \"hidden.alice.example\" { }\n");
    struct loaded l = load_main(NULL);
    assert_string_equal(strbuf_str(&l.messages), "");
    assert_int_equal(l.settings->index.count, CHECK_COUNT(ids));
    for (size_t i = 0; i < CHECK_COUNT(ids); i++)
        check_text("id", ids[i], l.settings->index.lists[i]->id);
    check_end();
    loaded_free(&l);

    /* Of two delegated files with one id the first stays, and the other one is told of it. */
    write_file("a/b.conf", "list \"A.alice.example\" { }\n");
    l = load_main(NULL);
    assert_string_equal(strbuf_str(&l.messages),
                        "a/b.conf:1: list: \"A.alice.example\" appears a second time (first in "
                        "a/a.conf:1); its lists are disabled\n");
    loaded_free(&l);
}

/* What stands in `defaults` is for delegated lists too, and must fit them. */
static void test_defaults(void **state)
{
    (void)state;
    write_file("m.conf", "lists = {}\ndefaults { post = {\"NO\"}\nsubscribe = "
                         "{\"mailto:{address_local}-join@{address_domain}\"} }\n" ALICE BOB);
    write_file("a/a.conf", "list \"a.alice.example\" { address = \"a@alice.example\" }\n");
    write_file("a/b.conf", "list \"b.alice.example\" { }\n");
    struct loaded l = load_main(NULL);
    assert_non_null(l.settings);
    assert_int_equal(l.settings->index.count, 1);
    const struct list *list = l.settings->index.lists[0];
    check_text("post", "NO", field_of(list, FIELD_LIST_POST));
    check_text("subscribe", "<mailto:a-join@alice.example>", field_of(list, FIELD_LIST_SUBSCRIBE));
    check_says(&l, "a/b.conf:1: list: \"b.alice.example\" has no address, which subscribe of the "
                   "defaults needs");
    loaded_free(&l);

    write_file("m.conf",
               "lists = {}\ndefaults { command_addresses = {\"robot@admin.example\"} }\n" ALICE);
    l = load_main(NULL);
    assert_non_null(l.settings);
    assert_int_equal(l.settings->index.count, 0);
    check_says(&l, "m.conf:2: command_addresses: \"robot@admin.example\" lies outside");
    check_end();
    loaded_free(&l);
}

/* What a manager stands for is made from the list's address, so it lies in the delegate's domains;
 * a file that comes to nothing leaves it as it is for those after it (RULINGS 90). */
static void test_managers(void **state)
{
    (void)state;
    write_file("m.conf", "lists = {}\ndefaults { manager = \"mlmmj\" }\n" ALICE);
    write_file("a/a.conf", "list \"a.alice.example\" { address = \"a@alice.example\" }\n"
                           "list \"b.alice.example\" { description = \"B\" }\n");
    write_file("a/c.conf", "list \"c.alice.example\" { address = \"c@alice.example\" }\n"
                           "list \"d.alice.example\" { address = \"d@alice.example\" manager = "
                           "\"ezmlm\" }\n");
    struct loaded l = load_main(NULL);
    assert_non_null(l.settings);
    assert_int_equal(l.settings->index.count, 2);
    check_text("help", "<mailto:c+help@alice.example>",
               field_of(l.settings->index.lists[0], FIELD_LIST_HELP));
    check_text("help", "<mailto:d-help@alice.example>",
               field_of(l.settings->index.lists[1], FIELD_LIST_HELP));
    check_says(&l,
               "m.conf:2: manager: \"mlmmj\" makes all of the list's address, and there is none "
               "(expected address = \"LOCAL@DOMAIN\" in the list), in list "
               "\"b.alice.example\", which takes it from the defaults; a/a.conf: its lists are "
               "disabled\n");
    loaded_free(&l);
    check_end();
}

/* A list of ours that comes later may be a parent of no list outside of its domains (RULINGS 14).
 */
static void test_later_parents(void **state)
{
    (void)state;
    write_file("a/a.conf", "list \"a.alice.example\" {\nparents = {\"far.example.org\", "
                           "\"B.bob.example\", \"z.alice.example\"} }\n\n"
                           "list \"c.alice.example\" {\nparents = {\"b.bob.example\"} }\n");
    write_file("a/z.conf", "list \"z.alice.example\" { }\n");
    write_file("b/b.conf", "list \"b.bob.example\" { }\n");
    struct loaded l = load_main(NULL);
    assert_non_null(l.settings);
    assert_int_equal(l.settings->index.count, 4);
    const struct list *list = l.settings->index.lists[0];
    assert_non_null(list->nesting);
    assert_int_equal(list->nesting->parent_count, 2);
    check_text("first", "far.example.org", list->nesting->parents[0]);
    check_text("second", "z.alice.example", list->nesting->parents[1]);
    assert_null(l.settings->index.lists[1]->nesting);
    check_says(&l, "a/a.conf:2: parents: \"B.bob.example\" lies outside of the domains of delegate "
                   "\"alice\" (expected \"alice.example\" or \"*.alice.example\"); it is left out, "
                   "the list stays in force\n");
    check_says(&l, "a/a.conf:5: parents: \"b.bob.example\" ");
    assert_int_equal(l.diagnostics.delegated, 2);
    loaded_free(&l);

    /* Without bob's list both are no lists of ours, and stay. */
    remove_file("b/b.conf");
    l = load_main(NULL);
    assert_string_equal(strbuf_str(&l.messages), "");
    assert_int_equal(l.settings->index.lists[0]->nesting->parent_count, 3);
    loaded_free(&l);
    check_end();
}

/* RULINGS 14, 15: what the administrator wrote for all lists is no mistake of the delegate's. */
static void test_inherited(void **state)
{
    (void)state;
    write_file("m.conf", "lists = {\"own/*.conf\"}\n" ALICE BOB
                         "defaults { parents = {\"main.example\", \"b.bob.example\"} "
                         "unsubscribe_one_click = true }\nlist \"main.example\" {}\n");
    write_file("a/a.conf", "list \"a.alice.example\" { select = recipient address = "
                           "\"a@alice.example\" unsubscribe = {\"http://alice.example/\"} }\n"
                           "list \"c.alice.example\" { parents = {\"b.bob.example\"} }\n");
    write_file("b/b.conf", "list \"b.bob.example\" { }\n");
    struct loaded l = load_main(NULL);
    assert_non_null(l.settings);
    assert_int_equal(l.settings->index.count, 4);
    assert_int_equal(l.diagnostics.delegated, 1); /* its own parents */
    check_says(&l, "a/a.conf:2: parents: \"b.bob.example\" ");
    const struct list *list = list_by_id(&l.settings->index, span_cstr("a.alice.example"));
    assert_non_null(list->nesting);
    assert_int_equal(list->nesting->parent_count, 2);
    list = list_by_id(&l.settings->index, span_cstr("c.alice.example"));
    assert_null(list->nesting);
    list = list_by_id(&l.settings->index, span_cstr("b.bob.example"));
    assert_int_equal(list->nesting->parent_count, 1);
    loaded_free(&l);
    check_end();
}

/* One owner's many errors hide nobody's. */
static void test_floods(void **state)
{
    struct strbuf text = STRBUF_INIT;
    (void)state;
    for (int i = 0; i < 1000; i++)
        strbuf_addf(&text, "list \"l%d.bob.example\" { }\n", i);
    write_octets("a/a.conf", strbuf_span(&text));
    struct loaded l = load_main(NULL);
    check_row("one file");
    check_int("delegated", 1, (int)l.diagnostics.delegated);
    check_says(&l, "a/a.conf:1: list: ");
    loaded_free(&l);

    for (int i = 0; i < 300; i++) {
        char name[30];
        snprintf(name, sizeof name, "a/x%03d.conf", i);
        write_file(name, "list { }\n");
    }
    write_file("b/b.conf", "list \"x.alice.example\" { }\n");
    l = load_main(NULL);
    check_row("many files");
    check_bool("few", true, l.diagnostics.delegated <= 30);
    check_says(&l, "m.conf:2: delegate: \"alice\" has 276 more files that are wrong\n");
    check_says(&l, "b/b.conf:1: list: \"x.alice.example\" lies outside");
    loaded_free(&l);
    strbuf_free(&text);
    check_end();
}

/* 10,000 lists of one file. */
static void test_large_file(void **state)
{
    struct strbuf text = STRBUF_INIT;
    (void)state;
    for (int i = 0; i < 10000; i++)
        strbuf_addf(&text, "list \"l%d.lists.alice.example\" { address = \"l%d@alice.example\" }\n",
                    i, i);
    write_octets("a/a.conf", strbuf_span(&text));
    struct loaded l = load_main(NULL);
    assert_string_equal(strbuf_str(&l.messages), "");
    assert_int_equal(l.settings->index.count, 10000);
    loaded_free(&l);
    strbuf_free(&text);
}

static void write_lists(const char *name, int first, int count)
{
    struct strbuf text = STRBUF_INIT;
    for (int i = first; i < first + count; i++)
        strbuf_addf(&text, "list \"l%d.alice.example\" { }\n", i);
    write_octets(name, strbuf_span(&text));
    strbuf_free(&text);
}

/* RULINGS 87: the lists of all files count, in byte order; the file that would pass the number is
 * disabled, and nothing else. On a reload its last good version counts as well. */
static void test_lists_max(void **state)
{
    (void)state;
    write_file("m.conf", "lists = {}\ndelegate \"alice\" { files = {\"a/*.conf\"} domains = "
                         "{\"alice.example\"} lists_max = 10 }\n" BOB);
    write_lists("a/a.conf", 100, 6);
    write_lists("a/b.conf", 200, 5);
    write_lists("a/c.conf", 300, 4);
    write_file("b/b.conf", "list \"b.bob.example\" { }\n");
    struct loaded l = load_main(NULL);
    check_row("start");
    check_int("wrong files", 1, (int)l.settings->delegated_wrong);
    check_int("lists", 11, (int)l.settings->index.count);
    check_bool("the file before it", true, has_list(&l, "l105.alice.example"));
    check_bool("the file itself", false, has_list(&l, "l200.alice.example"));
    check_bool("one behind it that fits", true, has_list(&l, "l303.alice.example"));
    check_bool("bob's", true, has_list(&l, "b.bob.example"));
    check_says(&l, "a/b.conf:5: list: is one too many (expected at most 10 in all files of its "
                   "delegate: lists_max); its lists are disabled\n");

    write_lists("a/c.conf", 300, 5); /* its four still fit */
    struct loaded again = load_main(l.settings);
    check_row("reload");
    check_bool("the last good version", true, has_list(&again, "l303.alice.example"));
    check_bool("not the new one", false, has_list(&again, "l304.alice.example"));
    check_says(&again, "a/c.conf:5: list: is one too many (expected at most 10 in all files of its "
                       "delegate: lists_max); its last good version stays in force\n");
    loaded_free(&again);

    write_lists("a/a.conf", 100, 9); /* nor do these any more */
    again = load_main(l.settings);
    check_row("a reload with more lists before");
    check_int("lists", 10, (int)again.settings->index.count);
    check_bool("the last good version", false, has_list(&again, "l300.alice.example"));
    loaded_free(&again);
    loaded_free(&l);
    check_end();
}

/* A delegate's file that is checked alone is checked with its domains, and wrong is wrong. */
/* The lists of a file are adopted from their trial: every way leads to them, hints about them are
 * counted with those about others, and of a file that is wrong nothing is left. */
static void test_adopted(void **state)
{
    static const char text[] =
        "list \"n.alice.example\" { address = \"n@alice.example\" aliases = {\"m@alice.example\"}\n"
        "select = sender senders = {\"s@alice.example\"} command_addresses = {\"r@alice.example\", "
        "\"from:f@alice.example\", \"always:q@alice.example\"} }\n"
        "list \"d.alice.example\" { address = \"d@alice.example\" select = sender }\n";
    (void)state;
    write_file(
        "m.conf",
        "lists = {\"own/*.conf\"}\ndefaults { help = {\"htps:x\", \"mailto:h@x.example\"} }\n" ALICE
            BOB);
    write_file("own/x.conf", "list \"own.example\" { }\n");
    write_file("a/a.conf", text);
    write_file("a/b.conf", "list \"c.alice.example\" { }\nlist \"o.alice.example\" { address = "
                           "\"o@alice.example\" command_addresses = {\"n@alice.example\"} }\n");
    write_file("b/b.conf", "list \"b1.bob.example\" { }\nlist \"b2.bob.example\" { }\n"
                           "list \"b3.bob.example\" { }\n");
    write_file("b/c.conf", "list \"b2.bob.example\" { }\n");
    struct loaded l = load_main(NULL);
    assert_non_null(l.settings);
    const struct list_index *index = &l.settings->index;
    const struct list *n = list_by_id(index, span_cstr("n.alice.example"));
    assert_non_null(n);
    check_int("lists", 6, (int)index->count);
    check_bool("address", true, list_by_address(index, span_cstr("n@alice.example")) == n);
    check_bool("alias", true, list_by_address(index, span_cstr("m@alice.example")) == n);
    check_bool("name", true, list_by_name(index, span_cstr("n")) == NULL);
    check_bool("sender", true, list_by_sender(index, span_cstr("s@alice.example")) == n);
    check_bool("derived sender", true,
               list_by_sender(index, span_cstr("d-bounces@alice.example")) ==
                   list_by_id(index, span_cstr("d.alice.example")));
    check_bool("command", true, list_by_command_address(index, span_cstr("r@alice.example")) == n);
    check_bool("from", true, list_by_from_token(index, span_cstr("f+1@alice.example"), NULL) == n);
    check_bool("always", true, list_always_commands(index, n, span_cstr("q@alice.example")));
    check_bool("of the wrong file", true,
               list_by_id(index, span_cstr("c.alice.example")) == NULL &&
                   list_by_address(index, span_cstr("o@alice.example")) == NULL);
    check_says(&l, "a/b.conf:2: command_addresses: \"n@alice.example\" is the address of list "
                   "\"n.alice.example\" already (");
    check_says(&l, "b/c.conf:1: list: \"b2.bob.example\" appears a second time (first in ");
    check_says(&l, "b/b.conf:2); its lists are disabled\n");
    check_says(&l, "which takes it from the defaults (and so in 6 lists)\n");
    check_int("hints", 1, (int)l.diagnostics.hints);
    loaded_free(&l);
    check_end();
}

/* What is wrong with the defaults is told of each file that takes it from there. */
static void test_shared_nesting(void **state)
{
    (void)state;
    write_file("m.conf", "lists = {}\ndefaults { parents = {\"no id\"} }\n" ALICE BOB);
    write_file("a/a.conf", "list \"a.alice.example\" { }\nlist \"b.alice.example\" { }\n");
    write_file("b/b.conf", "list \"b.bob.example\" { }\n");
    struct loaded l = load_main(NULL);
    assert_non_null(l.settings);
    check_int("lists", 0, (int)l.settings->index.count);
    check_int("files", 2, (int)l.settings->delegated_wrong);
    check_says(&l, "a/a.conf: its lists are disabled\n");
    check_says(&l, "b/b.conf: its lists are disabled\n");
    loaded_free(&l);
    check_end();
}

static void test_check_files(void **state)
{
    char *paths[1];
    (void)state;
    write_others();
    write_file("a/m.conf", "list \"n.bob.example\" { }\n");
    static const struct {
        const char *name;
        bool fine;
    } rows[] = {{"a/m.conf", false}, {"a/z.conf", true}, {"own/x.conf", true}, {"b/b.conf", true}};
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        struct diagnostics d;
        diagnostics_init(&d);
        paths[0] = strdup(path_of(rows[i].name));
        struct settings *settings = settings_load_files(path_of("m.conf"), paths, 1, &d);
        check_row(rows[i].name);
        check_bool("fine", rows[i].fine, settings != NULL);
        check_bool("errors", rows[i].fine, d.errors == 0);
        free(paths[0]);
        settings_free(settings);
        diagnostics_free(&d);
    }
    check_end();
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_domains),        TEST(test_sections),      TEST(test_lines),
        TEST(test_wrong_texts),    TEST(test_order),         TEST(test_defaults),
        TEST(test_managers),       TEST(test_later_parents), TEST(test_inherited),
        TEST(test_floods),         TEST(test_large_file),    TEST(test_adopted),
        TEST(test_shared_nesting), TEST(test_check_files),   TEST(test_international),
        TEST(test_lists_max),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

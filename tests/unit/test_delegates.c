/* config/delegate: what delegated files may contain (LI-03, RULINGS 14, 59, 76). The rows of
 * settings.txt have more. */
#include "config_help.h"

/* Loads m.conf, which must be right. Checks the ids of all lists, with a blank after each, and all
 * messages. */
static struct loaded check_load(const struct settings *previous, const char *ids,
                                const char *messages)
{
    struct loaded l = load_main(previous);
    struct strbuf got = STRBUF_INIT;
    for (int i = 0; i < list_count(&l); i++)
        strbuf_addf(&got, "%s ", list_number(&l, (size_t)i)->id.p);
    check_str("lists", ids, strbuf_str(&got));
    check_str("messages", messages, strbuf_str(&l.messages));
    strbuf_free(&got);
    assert_non_null(l.settings);
    return l;
}

static void check_load_only(const char *ids, const char *messages)
{
    struct loaded l = check_load(NULL, ids, messages);
    loaded_free(&l);
}

/* A domain, and an id or an address in a domain (RULINGS 59). International domains are compared as
 * A-labels, however they are written (AT-07). */
static void test_domains(void **state)
{
#define MUNCHEN "m\xC3\xBCnchen.example"
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
#ifdef HAVE_LIBIDN2
        {MUNCHEN, MUNCHEN, true},
        {MUNCHEN, "M\xC3\x9CNCHEN.example", true},
        {MUNCHEN, "xn--mnchen-3ya.example", true},
        {"xn--mnchen-3ya.example", MUNCHEN, true},
        {"*." MUNCHEN, "x.M\xC3\xBCnchen.example", true},
        {"*." MUNCHEN, MUNCHEN, false},
        {MUNCHEN, "m\xC3\xB6nchen.example", false},
        {MUNCHEN, "munchen.example", false},
        {MUNCHEN, "xm\xC3\xBCnchen.example", false},
#endif
    };
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++)
        for (int is_address = 0; is_address < 2; is_address++) {
            bool is_ascii = span_is_printable_ascii(span_cstr(rows[i].domain));
            char text[400];
            if (!is_address && !is_ascii)
                continue; /* ids are ASCII */
            check_row(rows[i].domain);
            snprintf(text, sizeof text,
                     "lists = {}\ndelegate d { files = {\"a/*\"} domains = {\"id.example\", "
                     "\"%s\"} }\n",
                     rows[i].domains);
            write_file("m.conf", text);
            snprintf(text, sizeof text,
                     is_address ? "list \"l.id.example\" {\naddress = \"l@%s\" }\n"
                                : "\nlist \"l.%s\" { }\n",
                     rows[i].domain);
            write_file("a/x.conf", text);
            struct loaded l = load_main(NULL);
            check_int("lists", rows[i].covered, list_count(&l));
            check_int("errors", !rows[i].covered, (int)l.diagnostics.delegated);
            if (!rows[i].covered)
                check_says(&l, is_address ? "a/x.conf:2: address: \"l@" : "a/x.conf:2: list: \"l.");
            loaded_free(&l);
        }
    check_end();
}

/* The administrator's files come first, whatever their names; then the delegates as they are. */
static void test_order(void **state)
{
    (void)state;
    write_file("m.conf", "lists = {\"own/*.conf\"}\n" BOB ALICE);
    write_file("own/z.conf", "list \"z.admin.example\" { }\n");
    write_file("b/z.conf", "list \"a.bob.example\" { }\n");
    write_file("a/B.conf", "list \"B.alice.example\" { }\n");
    write_file("a/a.conf", "list \"a.alice.example\" { }\n");
    write_file("a/b.conf", "list \"a-b.alice.example\" { }\n");
    write_file("a/.c.conf", "list \"hidden.alice.example\" { }\n");
    check_load_only("z.admin.example a.bob.example B.alice.example a.alice.example "
                    "a-b.alice.example ",
                    "");
    /* Of two delegated files with one id the first stays. */
    write_file("a/b.conf", "list \"A.alice.example\" { }\n");
    check_load_only("z.admin.example a.bob.example B.alice.example a.alice.example ",
                    "a/b.conf:1: list: \"A.alice.example\" appears a second time (first in "
                    "a/a.conf:1); its lists are disabled\n");
    check_end();
}

/* `defaults` are for delegated lists, too, and must be right for them. An error in them is
 * reported for each file: another one may be right. */
static void test_defaults(void **state)
{
    (void)state;
    write_file("m.conf", "lists = {}\ndefaults { post = {\"NO\"}\nsubscribe = "
                         "{\"mailto:{address_local}-join@{address_domain}\"} }\n" ALICE BOB);
    write_file("a/a.conf", "list \"a.alice.example\" { address = \"a@alice.example\" }\n");
    write_file("a/b.conf", "list \"b.alice.example\" { }\n");
    struct loaded l = check_load(
        NULL, "a.alice.example ",
        "a/b.conf:1: list: \"b.alice.example\" has no address, which subscribe of the defaults "
        "needs (expected address = \"LOCAL@DOMAIN\" in the list); its lists are disabled\n");
    check_text("post", "NO", field_of(list_number(&l, 0), FIELD_LIST_POST));
    check_text("subscribe", "<mailto:a-join@alice.example>",
               field_of(list_number(&l, 0), FIELD_LIST_SUBSCRIBE));
    loaded_free(&l);

    write_file("m.conf", "lists = {}\ndefaults {\ncommand_addresses = {\"robot@admin.example\"} "
                         "}\n" ALICE);
#define OUTSIDE(file, id)                                                                          \
    "m.conf:3: command_addresses: \"robot@admin.example\" lies outside of the domains of "         \
    "delegate \"alice\", in list \"" id                                                            \
    ".alice.example\", which takes it from the defaults; " file ": its lists are disabled\n"
    check_load_only("", OUTSIDE("a/a.conf", "a") OUTSIDE("a/b.conf", "b"));
    /* Aliases of the defaults are the administrator's: no delegate gets them. */
    write_file("m.conf", "lists = {}\ndefaults { aliases = {\"root@admin.example\"} }\n" ALICE);
    check_load_only("a.alice.example b.alice.example ", "");
    check_end();
}

/* The addresses of a manager are made of the list's, so they are in the delegate's domains; a file
 * that is left out changes nothing for those after it (RULINGS 90). */
static void test_managers(void **state)
{
    (void)state;
    write_file("m.conf", "lists = {}\ndefaults { manager = \"mlmmj\" }\n" ALICE);
    write_file("a/a.conf", "list \"a.alice.example\" { address = \"a@alice.example\" }\n"
                           "list \"b.alice.example\" { description = \"B\" }\n");
    write_file("a/c.conf", "list \"c.alice.example\" { address = \"c@alice.example\" }\n"
                           "list \"d.alice.example\" { address = \"d@alice.example\" manager = "
                           "\"ezmlm\" }\n");
    struct loaded l = check_load(
        NULL, "c.alice.example d.alice.example ",
        "a/a.conf:2: list: \"b.alice.example\" has no address, which help of its manager needs "
        "(expected address = \"LOCAL@DOMAIN\" in the list); its lists are disabled\n");
    check_text("help", "<mailto:c+help@alice.example>",
               field_of(list_number(&l, 0), FIELD_LIST_HELP));
    check_text("help", "<mailto:d-help@alice.example>",
               field_of(list_number(&l, 1), FIELD_LIST_HELP));
    loaded_free(&l);
    check_end();
}

/* Somebody else's local part is a hint, unless the domains are virtual (RULINGS 111). */
static void test_virtual(void **state)
{
    (void)state;
    for (int is_virtual = 0; is_virtual < 2; is_virtual++) {
        char text[400];
        snprintf(text, sizeof text,
                 "lists = {}\ndelegate \"alice\" { files = {\"a/*.conf\"} domains = "
                 "{\"alice.example\"} virtual = %s }\n"
                 "list \"team.main.example\" { address = \"team@main.example\" }\n",
                 is_virtual ? "true" : "false");
        write_file("m.conf", text);
        write_file("a/a.conf",
                   "list \"team.alice.example\" { address = \"team@alice.example\" }\n");
        struct loaded l = load_main(NULL);
        check_row(text);
        check_bool("a hint", !is_virtual,
                   strstr(strbuf_str(&l.messages), " has the local part of ") != NULL);
        check_bool("virtual", is_virtual, list_domain_is_virtual(list_number(&l, 1)));
        check_bool("the administrator's", false, list_domain_is_virtual(list_number(&l, 0)));
        check_bool("the owner", false, list_has_same_owner(list_number(&l, 0), list_number(&l, 1)));
        loaded_free(&l);
    }
    check_end();
}

/* A parent outside of the domains is left out, and its line is reported; also if it is a list that
 * comes later (RULINGS 14). */
static void test_parents(void **state)
{
#define LEFT_OUT                                                                                   \
    " lies outside of the domains of delegate \"alice\"; it is left out, the list stays in "       \
    "force\n"
    (void)state;
    write_file("a/a.conf", "list \"a.alice.example\" {\n\nparents = {\"far.example.org\",\n"
                           "\"B.bob.example\", \"z.alice.example\"} }\n"
                           "list \"c.alice.example\" {\nparents = {\"b.bob.example\"} }\n");
    write_file("a/z.conf", "list \"z.alice.example\" { }\n");
    write_file("b/b.conf", "list \"b.bob.example\" { }\n");
    struct loaded l =
        check_load(NULL, "a.alice.example c.alice.example z.alice.example b.bob.example ",
                   "a/a.conf:4: parents: \"B.bob.example\"" LEFT_OUT
                   "a/a.conf:6: parents: \"b.bob.example\"" LEFT_OUT);
    const struct nesting *nesting = list_number(&l, 0)->nesting;
    assert_non_null(nesting);
    assert_int_equal(nesting->parent_count, 2);
    check_text("first", "far.example.org", nesting->parents[0].id);
    check_text("second", "z.alice.example", nesting->parents[1].id);
    assert_null(list_number(&l, 1)->nesting);
    loaded_free(&l);

    /* Without bob's list both are no lists of ours, and stay. */
    remove_file("b/b.conf");
    l = check_load(NULL, "a.alice.example c.alice.example z.alice.example ", "");
    assert_int_equal(list_number(&l, 0)->nesting->parent_count, 3);
    loaded_free(&l);

    /* Those of the defaults are the administrator's. */
    write_file("m.conf", "lists = {}\n" ALICE BOB "defaults { parents = {\"main.example\", "
                         "\"b.bob.example\"} }\nlist \"main.example\" {}\n");
    write_file("a/a.conf", "list \"a.alice.example\" { }\n");
    write_file("b/b.conf", "list \"b.bob.example\" { }\n");
    l = check_load(NULL, "main.example a.alice.example z.alice.example b.bob.example ", "");
    assert_int_equal(list_number(&l, 1)->nesting->parent_count, 2);
    loaded_free(&l);
    check_end();
}

static void write_lists(const char *name, int first, int count)
{
    struct strbuf text = STRBUF_INIT;
    for (int i = first; i < first + count; i++)
        strbuf_addf(&text, "list \"l%d.alice.example\" { }\n", i);
    write_octets(name, strbuf_span(&text));
    strbuf_free(&text);
}

/* One owner's many errors hide nobody else's. */
static void test_floods(void **state)
{
    (void)state;
    write_lists("b/b.conf", 0, 1000);
    struct loaded l = load_main(NULL);
    check_row("one file");
    check_int("delegated", 1, (int)l.diagnostics.delegated);
    check_says(&l, "b/b.conf:1: list: \"l0.alice.example\" lies outside of the domains of");
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
    check_says(&l, "m.conf:2: delegate: \"alice\" has 275 more files that are wrong\n");
    check_says(&l, "b/b.conf:1: list: \"x.alice.example\" lies outside");
    loaded_free(&l);
    check_end();
}

/* RULINGS 87: the lists of all files count, in byte order; the file that would pass the number is
 * disabled, and nothing else. On a reload its last good version counts as well. */
static void test_lists_max(void **state)
{
#define TOO_MANY(place, outcome)                                                                   \
    place ": list: is one too many (expected at most 10 in all files of its delegate: "            \
          "lists_max); " outcome "\n"
    (void)state;
    write_file("m.conf", "lists = {}\ndelegate \"alice\" { files = {\"a/*.conf\"} domains = "
                         "{\"alice.example\"} lists_max = 10 }\n" BOB);
    write_lists("a/a.conf", 100, 6);
    write_lists("a/b.conf", 200, 5);
    write_lists("a/c.conf", 300, 4);
    write_file("b/b.conf", "list \"b.bob.example\" { }\n");
    struct loaded l = load_main(NULL);
    check_int("wrong files", 1, (int)l.settings->delegated_wrong);
    check_int("lists", 11, list_count(&l));
    check_bool("the file before it", true, has_list(&l, "l105.alice.example"));
    check_bool("the file itself", false, has_list(&l, "l200.alice.example"));
    check_bool("one after it that fits", true, has_list(&l, "l303.alice.example"));
    check_bool("bob's", true, has_list(&l, "b.bob.example"));
    check_str("messages", TOO_MANY("a/b.conf:5", "its lists are disabled"),
              strbuf_str(&l.messages));

    write_lists("a/c.conf", 300, 5); /* its four still fit */
    struct loaded again = load_main(l.settings);
    check_bool("the last good version", true, has_list(&again, "l303.alice.example"));
    check_bool("not the new one", false, has_list(&again, "l304.alice.example"));
    check_says(&again, TOO_MANY("a/c.conf:5", "its last good version stays in force"));
    loaded_free(&again);

    write_lists("a/a.conf", 100, 9); /* these no longer do */
    again = load_main(l.settings);
    check_int("lists", 10, list_count(&again));
    check_bool("the last good version", false, has_list(&again, "l300.alice.example"));
    loaded_free(&again);
    loaded_free(&l);

    write_file("m.conf", "lists = {}\n" ALICE);
    write_lists("a/a.conf", 1000, 9990);
    l = load_main(NULL);
    check_int("10,000 lists", 10000, list_count(&l));
    loaded_free(&l);
    check_end();
}

/* A file that is wrong leaves nothing: no list, no way to one, no hint, no text; and the lists of
 * files before it stay as they were. */
static void test_way_back(void **state)
{
    static const char good[] =
        "list \"n.alice.example\" { address = \"n@alice.example\" aliases = {\"m@alice.example\"}\n"
        "select = sender senders = {\"s@alice.example\"} command_addresses = {\"r@alice.example\", "
        "\"from:f@alice.example\", \"always:q@alice.example\"} }\n"
        "list \"d.alice.example\" { address = \"d@alice.example\" select = sender }\n";
    (void)state;
    write_file("m.conf", "lists = {}\ndefaults { help = {\"htps:x\"} parents = {\"p.example\"} }\n"
                         "list \"own.example\" { }\n" ALICE);
    write_file("a/a.conf", good);
    write_file("a/b.conf",
               "list \"c.alice.example\" { aliases = {\"alias@alice.example\"} select = sender "
               "senders = {\"c@alice.example\"} help = {\"htps:y\"} }\n"
               "list \"o.alice.example\" { address = \"o@alice.example\" command_addresses = "
               "{\"from:a-longer-one@alice.example\", \"n@alice.example\"} }\n");
    write_file("a/c.conf", "list \"c.alice.example\" { address = \"alias@alice.example\" "
                           "select = sender senders = {\"c@alice.example\"} description = "
                           "\"C\" }\n");
    struct loaded l = check_load(
        NULL, "own.example n.alice.example d.alice.example c.alice.example ",
        "a/b.conf:1: hint: help: \"htps:y\" has a scheme that is not known (expected one such as "
        "\"https:\" or \"mailto:\")\na/b.conf:2: command_addresses: \"n@alice.example\" is an "
        "address of list "
        "\"n.alice.example\" (a/a.conf:1); its lists are disabled\n"
        "m.conf:2: hint: help: \"htps:x\" has a scheme that is not known (expected one such as "
        "\"https:\" or \"mailto:\"), in list \"own.example\", which takes it from the defaults\n");
    const struct list_index *index = &l.settings->index;
    const struct list *n = list_number(&l, 1), *c = list_number(&l, 3);
    check_bool("address", true,
               list_get(index, LIST_BY_ADDRESS, span_cstr("n@alice.example")) == n);
    check_bool("alias", true, list_get(index, LIST_BY_ADDRESS, span_cstr("m@alice.example")) == n);
    check_bool("no bare name", true, list_by_name(index, span_cstr("n")) == NULL);
    check_bool("sender", true, list_by_sender(index, span_cstr("s@alice.example")) == n);
    check_bool("derived sender", true,
               list_by_sender(index, span_cstr("d-b@alice.example")) == list_number(&l, 2));
    check_bool("command", true,
               list_get(index, LIST_BY_COMMAND, span_cstr("r@alice.example")) == n);
    check_bool("from", true,
               list_by_token(index, LIST_BY_COMMAND_FROM, span_cstr("f+1@alice.example"), NULL) ==
                   n);
    check_bool("always", true, list_always_commands(index, n, span_cstr("q@alice.example")));
    check_bool("address of the next file", true,
               list_get(index, LIST_BY_ADDRESS, span_cstr("alias@alice.example")) == c);
    check_bool("sender of the next file", true,
               list_by_sender(index, span_cstr("c@alice.example")) == c);
    check_bool("address of the wrong file", true,
               list_get(index, LIST_BY_ADDRESS, span_cstr("o@alice.example")) == NULL);
    check_text("List-Id", "C <c.alice.example>", field_of(c, FIELD_LIST_ID));
    check_text("List-Help", "<htps:x>", field_of(c, FIELD_LIST_HELP));
    check_text("parents", "p.example", c->nesting->parents[0].id);
    loaded_free(&l);
    check_end();
}

/* A delegate's file that is checked alone is checked with its domains, whatever path leads to it.
 */
static void test_check_files(void **state)
{
    static const struct {
        const char *name;
        bool is_right;
    } rows[] = {{"a/m.conf", false},        {"a/z.conf", true},     {"own/x.conf", true},
                {"own/../a/m.conf", false}, {"link/m.conf", false}, {"m2.conf", true}};
    (void)state;
    write_file("own/x.conf", "list \"main.admin.example\" { }\n");
    write_file("a/z.conf", "list \"fine.alice.example\" { }\n");
    write_file("a/m.conf", "list \"n.bob.example\" { }\n");
    write_file("m2.conf", "list \"n.bob.example\" { }\n");
    assert_int_equal(symlink("a", path_of("link")), 0);
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        char *paths[] = {(char *)(uintptr_t)path_of(rows[i].name)};
        struct loaded l = load_request(&(struct settings_request){
            .path = path_of("m.conf"), .keys = KEYS_NOT_READ, .files = paths, .file_count = 1});
        check_row(rows[i].name);
        check_bool("right", rows[i].is_right, l.settings != NULL);
        check_bool("errors", rows[i].is_right, l.diagnostics.errors == 0);
        loaded_free(&l);
    }
    check_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(test_domains),     IN_FOLDER(test_order),     IN_FOLDER(test_defaults),
        IN_FOLDER(test_managers),    IN_FOLDER(test_parents),   IN_FOLDER(test_virtual),
        IN_FOLDER(test_floods),      IN_FOLDER(test_lists_max), IN_FOLDER(test_way_back),
        IN_FOLDER(test_check_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

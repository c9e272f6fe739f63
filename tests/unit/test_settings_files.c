/* config/load and config/delegate, besides folders.txt: what is watched, domains, rights, and the
 * limits of a delegate (RULINGS 59, 73, 87, 98, 117). */
#include "config_help.h"

#include "config/read/files.h"

#include <stdarg.h>

#define GOOD  "list \"n.alice.example\" { }\n"
#define KEEPS "its last good version stays in force\n"
#define LINK  "its path has a symbolic link (expected the real path)"

/* ---- what is watched ---- */

/* What editors leave beside a file does not count (mlmilter.conf(5): watch). */
static void test_fits(void **state)
{
    static const struct {
        const char *component, *name;
        bool fits;
    } rows[] = {
        {"*.conf", "a.conf", true},
        {"*.conf", ".conf", false},
        {"*.conf", "4913", false},
        {"*.conf", ".a.conf.swp", false},
        {"*.conf", ".a.conf", false},
        {"*.conf", ".#a.conf", false},
        {"*.conf", "#a.conf#", false},
        {"*.conf", "a.conf~", false},
        {"*.conf", "a.conf.bak", false},
        {"*.conf", "a.CONF", false},
        {".*.conf", ".a.conf", true},
        {"[a-c]?.conf", "bx.conf", true},
        {"[a-c]?.conf", "dx.conf", false},
        {"a\\*.conf", "a*.conf", true},
        {"a\\*.conf", "ab.conf", false},
        {"mlmilter.conf", "mlmilter.conf", true},
        {"mlmilter.conf", "mlmilter.conf.new", false},
        {"..data", "..data", true},
        {"..data", "..data_tmp", false},
        {"*", "..data", false},
        {"*", "a~", true}, /* the loader would read it, too */
    };
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        check_row(rows[i].name);
        check_bool(rows[i].component, rows[i].fits, path_fits(&rows[i].component, 1, rows[i].name));
    }
    check_end();
}

/* Relative names are in the folder of the main file (RULINGS 60), whose own name is no pattern. */
static void test_watched(void **state)
{
    struct strbuf got = STRBUF_INIT, expected = STRBUF_INIT;
    (void)state;
    write_file("keys*", "0123456789abcdef\n");
    assert_int_equal(chmod(path_of("keys*"), 0600), 0);
    write_file("m.conf", "lists = {\"lists.d/*.conf\", \"/srv/[ab]*/x.conf\"}\n"
                         "token_key_file = \"keys*\"\n"
                         "delegate \"a\" { files = {\"alice/*.conf\", \"/srv/b/one.conf\", "
                         "\"/s/c/*.conf\"} domains = {\"a.example\"} }\n");
    struct loaded l = load_main(NULL);
    assert_non_null(l.settings);
    for (size_t i = 0; i < l.settings->watched_count; i++)
        strbuf_addf(&got, "%s\n", l.settings->watched[i]);
    const char *escaped = strstr(folder, "[x]");
    for (int i = 0; i < 4; i++) {
        static const char *const names[] = {"m.conf\n", "keys\\*\n",
                                            "lists.d/*.conf\n/srv/[ab]*/x.conf\n",
                                            "alice/*.conf\n/srv/b/one.conf\n/s/c/*.conf\n"};
        strbuf_addf(&expected, "%.*s\\[x\\]%s/%s", (int)(escaped - folder), folder, escaped + 3,
                    names[i]);
    }
    check_span("patterns", strbuf_span(&expected), strbuf_span(&got));
    check_end();
    strbuf_free(&got);
    strbuf_free(&expected);
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

static void write_others(void)
{
    write_file("own/x.conf", "list \"main.admin.example\" { }\n");
    write_file("a/z.conf", "list \"fine.alice.example\" { }\n");
    write_file("b/b.conf", "list \"b.bob.example\" { }\n");
}

static void check_others(const struct loaded *l)
{
    check_bool("loads", true, l->settings != NULL);
    check_int("errors", 0, (int)l->diagnostics.errors);
    check_bool("the administrator's list", true, has_list(l, "main.admin.example"));
    check_bool("alice's other list", true, has_list(l, "fine.alice.example"));
    check_bool("bob's list", true, has_list(l, "b.bob.example"));
}

/* Loads; checks all messages, and whether n.alice.example is in force. */
static struct loaded check_load(const char *what, const struct settings *previous, bool is_in_force,
                                const char *messages)
{
    struct loaded l = load_main(previous);
    check_row(what);
    check_others(&l);
    check_bool("the list", is_in_force, has_list(&l, "n.alice.example"));
    check_str("messages", messages, strbuf_str(&l.messages));
    return l;
}

static void check_load_only(const char *what, const struct settings *previous, bool is_in_force,
                            const char *messages)
{
    struct loaded l = check_load(what, previous, is_in_force, messages);
    loaded_free(&l);
}

/* Becomes a user without rights, and back. Returns false if that user cannot load anything. */
static bool become_nobody(void)
{
    return geteuid() != 0 ||
           (setegid(65534) == 0 && seteuid(65534) == 0 && access(path_of("m.conf"), R_OK) == 0);
}

static void become_root(void)
{
    if (getuid() == 0)
        assert_true(seteuid(0) == 0 && setegid(0) == 0);
}

static void test_unreadable(void **state)
{
    (void)state;
    write_others();
    write_file("a/m.conf", GOOD);
    if (!become_nobody()) {
        become_root();
        check_skip("the folder of temporary files is closed to others");
        return;
    }
    struct loaded first = check_load("all readable", NULL, true, "");
    become_root();
    assert_int_equal(chmod(path_of("a/m.conf"), 0), 0);
    assert_true(become_nobody());
    check_load_only("at the start", NULL, false,
                    "a/m.conf: cannot be read: Permission denied; its lists are disabled\n");
    check_load_only("on a reload", first.settings, true,
                    "a/m.conf: cannot be read: Permission denied; its last good version stays in "
                    "force\n");
    become_root();

    /* The folder: all of its files stay as they were; without a last version none is in force. */
    assert_int_equal(chmod(path_of("a"), 0), 0);
    assert_true(become_nobody());
#define KEPT                                                                                       \
    "m.conf:2: files: \"a/*.conf\" leads into a, which cannot be read: Permission denied; the "    \
    "last "                                                                                        \
    "good versions of its files stay in force\n"
    struct loaded second = check_load("the folder", first.settings, true, KEPT);
    check_load_only("and once more", second.settings, true, KEPT);
    loaded_free(&second);
    struct loaded l = load_main(NULL);
    check_row("the folder at the start");
    check_bool("bob's list", true, has_list(&l, "b.bob.example"));
    check_str(
        "messages",
        "m.conf:2: files: \"a/*.conf\" leads into a, which cannot be read: Permission denied; no "
        "list below it is in force\n",
        strbuf_str(&l.messages));
    loaded_free(&l);
    become_root();
    assert_int_equal(chmod(path_of("a"), 0755), 0);
    loaded_free(&first);
    check_end();
}

static bool becomes_a_link; /* a/s.conf, before it is opened */

int __real_openat(int where, const char *name, int flags, ...);
int __wrap_openat(int where, const char *name, int flags, ...);
int __wrap_openat(int where, const char *name, int flags, ...)
{
    if (becomes_a_link && strcmp(name, "s.conf") == 0) {
        becomes_a_link = false;
        remove_file("a/s.conf");
        assert_int_equal(symlink("m.conf", path_of("a/s.conf")), 0);
    }
    return __real_openat(where, name, flags, 0);
}

static void test_becomes_a_link(void **state)
{
    (void)state;
    write_others();
    write_file("a/m.conf", GOOD);
    write_file("a/s.conf", "");
    becomes_a_link = true;
    check_load_only("a link", NULL, true,
                    "a/s.conf: cannot be read: " LINK "; its lists are disabled\n");
    check_bool("has happened", false, becomes_a_link);
    check_end();
}

/* mlmilterctl(1): check FILE */
static void test_is_main_file(void **state)
{
    static const struct {
        const char *text;
        bool is_main;
    } rows[] = {
        {"lists = {}", true}, {"list \"a.b\" {}", false}, {"list \"a.b\" {}\ntoken \"t\" {", true}};
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        write_file("a/x.conf", rows[i].text);
        check_row(rows[i].text);
        check_bool("a main file", rows[i].is_main, settings_is_main_file(path_of("a/x.conf")));
    }
    check_bool("no file", false, settings_is_main_file(path_of("none.conf")));
    check_end();
}

/* ---- limits ---- */

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

static void test_many_files(void **state)
{
    static const struct {
        int files; /* in a/; a/z.conf is the first */
        const char *messages;
    } rows[] = {
        {9999, ""},
        {10000, "c.conf: cannot be read: its delegate has too many files (expected at most 10000); "
                "its lists are disabled\n"},
        {10101, "m.conf:2: delegate: \"alice\" has 77 more files that are wrong\n"},
    };
    int files = 1;
    (void)state;
    write_others();
    write_file("m.conf", "lists = {\"own/*.conf\"}\n"
                         "delegate alice { files = {\"a/*.conf\", \"c.conf\"} domains = "
                         "{\"alice.example\"} }\n" BOB);
    write_file("c.conf", GOOD);
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        char name[30];
        while (++files <= rows[i].files) {
            snprintf(name, sizeof name, "a/y%05d.conf", files);
            write_file(name, "");
        }
        files--;
        struct loaded l = load_main(NULL);
        check_row(rows[i].messages);
        check_bool("the last one", i == 0, has_list(&l, "n.alice.example"));
        check_bool("bob's list", true, has_list(&l, "b.bob.example"));
        check_says(&l, rows[i].messages);
        loaded_free(&l);
    }
    check_end();
}

/* 16 MiB. Files full of line ends, which are written before they are cut. */
static void test_many_bytes(void **state)
{
    static char text[1024 * 1024];
    (void)state;
    write_others();
    memset(text, '\n', sizeof text);
    for (int i = 0; i < 16; i++) {
        char name[30];
        snprintf(name, sizeof name, "a/y%05d.conf", i);
        write_octets(name, span_of(text, sizeof text));
        if (i < 14)
            continue;
        struct loaded l = load_main(NULL);
        check_row(i == 14 ? "15 MiB and a list" : "16 MiB and a list");
        check_bool("alice's list", i == 14, has_list(&l, "fine.alice.example"));
        check_bool("bob's list", true, has_list(&l, "b.bob.example"));
        if (i > 14)
            check_says(&l, "a/z.conf: cannot be read: the files of its delegate are too large "
                           "(expected at most 16 MiB in all); its lists are disabled\n");
        loaded_free(&l);
    }
    check_end();
}

static void write_many(char letter, struct span text, int files)
{
    for (int i = 0; i < files; i++) {
        char name[30];
        snprintf(name, sizeof name, "a/%c%d.conf", letter, i);
        write_octets(name, text);
    }
}

/* Last good versions are 16 MiB at most, too: files that are wrong and new ones in turn do not
 * collect. */
static void test_many_good_versions(void **state)
{
    static char text[1024 * 1024];
    struct loaded before = {.settings = NULL};
    size_t bytes = 0;
    (void)state;
    write_others();
    memset(text, '\n', sizeof text);
    for (int i = 0; i < 4; i++) {
        if (i > 0)
            write_many((char)('x' - i + 1), span_cstr("x"), 16);
        write_many((char)('x' - i), span_of(text, sizeof text), 16);
        struct loaded l = load_main(before.settings);
        loaded_free(&before);
        before = l;
    }
    for (size_t i = 0; i < before.settings->delegated_count; i++)
        bytes += before.settings->delegated[i].text.n;
    check_int("MiB", 32, (int)(bytes / sizeof text));
    loaded_free(&before);
    check_end();
}

/* Writes a file whose lists take 2.8 MB: 100 lists with 100 aliases, which a list's address makes
 * long. */
static void write_heavy(const char *name)
{
    struct strbuf text = STRBUF_INIT;
    char local[201];
    memset(local, 'x', sizeof local - 1);
    local[sizeof local - 1] = '\0';
    for (int i = 0; i < 100; i++) {
        strbuf_addf(&text, "list \"%c%d.alice.example\" { address = \"%c%d%s@alice.example\"\n",
                    name[2], i, name[2], i, local);
        strbuf_add_str(&text, "aliases = {");
        for (int k = 0; k < 100; k++)
            strbuf_addf(&text, "%s\"%d.{address}\"", k > 0 ? "," : "", k);
        strbuf_add_str(&text, "} }\n");
    }
    write_file(name, strbuf_str(&text));
    strbuf_free(&text);
}

/* The file whose lists pass 16 MiB is disabled, or stays as it was (RULINGS 117). */
static void test_much_memory(void **state)
{
#define HEAVY                                                                                      \
    ": list: the lists of its delegate take too much memory (expected at most 16 MiB in all); "
    (void)state;
    write_others();
    write_file("a/m.conf", GOOD);
    write_heavy("a/b.conf");
    write_heavy("a/c.conf");
    write_heavy("a/d.conf");
    write_heavy("a/e.conf");
    write_heavy("a/f.conf");
    struct loaded before = check_load("five heavy files", NULL, true, "");
    write_heavy("a/a.conf");
    struct loaded l = load_main(NULL);
    check_row("six");
    check_bool("the last", false, has_list(&l, "f0.alice.example"));
    check_says(&l, HEAVY "its lists are disabled\n");
    check_others(&l);
    loaded_free(&l);
    l = load_main(before.settings);
    check_row("six, at a reload");
    check_bool("the first", true, has_list(&l, "a0.alice.example"));
    check_bool("the last", true, has_list(&l, "f99.alice.example"));
    check_says(&l, HEAVY KEEPS);
    check_others(&l);
    loaded_free(&l);
    loaded_free(&before);
    check_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fits),
        IN_FOLDER(test_watched),
        IN_FOLDER(test_domains),
        IN_FOLDER(test_unreadable),
        IN_FOLDER(test_becomes_a_link),
        IN_FOLDER(test_is_main_file),
        IN_FOLDER(test_floods),
        IN_FOLDER(test_lists_max),
        IN_FOLDER(test_many_files),
        IN_FOLDER(test_many_bytes),
        IN_FOLDER(test_many_good_versions),
        IN_FOLDER(test_much_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* config/load and config/read/files: which files are read, and when they have changed (RULINGS 59,
 * 60, 73). */
#include "config_help.h"

#include "config/read/files.h"

static struct loaded load_extent(enum settings_extent extent)
{
    return load_request(&(struct settings_request){.path = path_of("m.conf"), .extent = extent});
}

/* Loads m.conf, which must not be right. */
static void expect(const char *says)
{
    struct loaded l = load_main(NULL);
    assert_null(l.settings);
    check_says(&l, says);
    loaded_free(&l);
}

static void test_patterns(void **state)
{
    static const char *const ids[] = {"main.x", "bb.x", "bc.x", "a.x", "b.x"}; /* byte order */
    (void)state;
    write_file("m.conf",
               "lists = {\"a/*.conf\", \"a/[ab]*.conf\", \"none/*\"}\nlist \"main.x\" {}\n");
    write_file("a/b.conf", "list \"b.x\" {}\n");
    write_file("a/a.conf", "list \"a.x\" {}\n");
    write_file("a/B.conf", "list \"bb.x\" {}\nlist \"bc.x\" {}\n");
    write_file("a/a.conf~", "list {");
    struct loaded l = load_main(NULL);
    assert_string_equal(strbuf_str(&l.messages),
                        "m.conf:1: hint: lists: \"none/*\" matches no file\n"); /* RULINGS 84 */
    assert_int_equal(list_count(&l), CHECK_COUNT(ids));
    for (size_t i = 0; i < CHECK_COUNT(ids); i++)
        check_text("id", ids[i], list_number(&l, i)->id);
    loaded_free(&l);
    /* By another name it is another file. */
    assert_int_equal(symlink("b.conf", path_of("a/z.conf")), 0);
    expect("a/z.conf:1: list: \"b.x\" appears a second time (first in a/b.conf:1)\n");
    remove_file("a/z.conf");
    /* In its own folder, the main file is no list file. */
    write_file("m.conf", "lists = {\"*.conf\"}\nlist \"main.x\" {}\n");
    l = load_main(NULL);
    check_int("lists", 1, list_count(&l));
    loaded_free(&l);
    l = load_extent(SETTINGS_MAIN_FILE);
    check_int("lists of the main file", 1, list_count(&l));
    loaded_free(&l);
    l = load_extent(SETTINGS_MAIN_KEYS);
    check_int("main keys alone", 0, list_count(&l));
    loaded_free(&l);
    check_end();
}

static void test_wrong_files(void **state)
{
    static const struct {
        const char *text, *says;
    } rows[] = {
        {"\nsocket = \"x\"\n",
         "a/x.conf:2: socket: may not be in a list file, which has lists only"},
        {"\n\ndefaults { }\n", "a/x.conf:3: defaults: may not be in a list file"},
        {"List \"x.y\" { }\n", "a/x.conf:1: List: is not known (did you mean \"list\"?)\n"},
        {"address = \"x@y.example\"\n",
         "a/x.conf:1: address: is a key of another section (expected inside"},
        {"colour = 1\n", "a/x.conf:1: colour: is no section (expected list"},
        {"\n\nlist 'A.b' { }\n", "a/x.conf:3: list: \"A.b\" appears a second time (first in "
                                 "m.conf:2)\n"},
    };
    (void)state;
    struct loaded l = load_request(&(struct settings_request){.path = path_of("none.conf")});
    check_says(&l, "none.conf: cannot be read: No such file or directory\n");
    loaded_free(&l);
    l = load_request(&(struct settings_request){.path = path_of("own")});
    check_says(&l, "own: cannot be read: is not a regular file (expected FOLDER/*.conf)\n");
    loaded_free(&l);
    write_file("m.conf", "lists = {\"a/*.conf\"}\nlist \"a.b\" {}\n");
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        check_row(rows[i].text);
        write_file("a/x.conf", rows[i].text);
        expect(rows[i].says);
    }
    remove_file("a/x.conf");
    assert_int_equal(mkfifo(path_of("a/x.conf"), 0600), 0); /* must not wait */
    expect("m.conf:1: lists: \"a/*.conf\" matches a/x.conf, which cannot be read: is not a regular "
           "file\n");
    remove_file("a/x.conf");
    write_file("a/x.conf", "");
    assert_int_equal(truncate(path_of("a/x.conf"), 64L * 1024 * 1024 + 1), 0);
    expect("matches a/x.conf, which cannot be read: is too large (expected at most 64 MiB)\n");
    assert_int_equal(chmod(path_of("a"), 0), 0);
    if (geteuid() != 0) /* root may read it */
        expect("m.conf:1: lists: \"a/*.conf\" leads into a folder that cannot be read");
    write_file("m.conf", "\nlists = {\"none/*\",\n\"own\"}\n");
    expect("m.conf:3: lists: \"own\" matches own, which cannot be read: is not a regular file "
           "(expected FOLDER/*.conf)\n");
    check_end();
}

/* Sorted by file and line, whenever something is found out about them. Syntax errors in one file do
 * not hide those in others. */
static void test_order(void **state)
{
    (void)state;
    write_file("m.conf", "lists = {\"a/b.conf\",\n\"a/a.conf\", \"a/c.conf\",\n\"own\"}\n"
                         "list \"m.x\" { command_addresses = {\"x@y.z\"} }\ndry_run = 3\n");
    write_file("a/b.conf", "list \"b.x\" { command_addresses = {\"b@y.z\"} }\n"
                           "list \"b.y\" { sequence = 1 }\n");
    write_file("a/a.conf", "list \"a.x\" {}\n\nlist \"a.y\" { help = {\"x\"} }\nlist {\n");
    write_file("a/c.conf", "list \"c.y\" {\n sequence = 1 }\n"
                           "list \"c.z\" { address = \"b@y.z\" description = \"x }\n");
    struct loaded l = load_main(NULL);
    static const char *const messages[] = {
        "a/a.conf:3: help: \"x\" lacks a scheme such as https: or mailto:\n"
        "a/a.conf:4: list: has no name (write list \"LIST-ID\" { ... })\n"
        "a/b.conf:2: sequence: \"1\" is not understood (expected true or false)\n"
        "a/c.conf:2: sequence: \"1\" is not understood (expected true or false)\n"
        "a/c.conf:3: description: a quote is opened on this line and not closed (expected the "
        "closing quote on the same line)\n"
        "m.conf:3: lists: \"own\" matches own, which cannot be read: is not a regular file "
        "(expected FOLDER/*.conf)\n"
        "m.conf:5: dry_run: \"3\" is not understood (expected true or false)\n"};
    check_str("messages", messages[0], strbuf_str(&l.messages));
    loaded_free(&l);
    check_end();
}

/* List files are parsed together. Each keeps its lines, and none goes on with the one before. */
static void test_many_files(void **state)
{
    char name[20], text[100];
    (void)state;
    write_file("m.conf", "lists = {\"a/*.conf\"}\n");
    for (int i = 100; i < 170; i++) {
        snprintf(name, sizeof name, "a/%d.conf", i);
        snprintf(text, sizeof text, "# one\n\nlist \"l%d.x\" {\n address = \"%d%s\" }", i, i,
                 i == 155 ? "" : "@x.y");
        write_file(name, text);
    }
    expect("a/155.conf:4: address: \"155\" is no address (expected LOCAL@DOMAIN)\n");
    write_file("a/155.conf", "");
    write_file("a/167.conf", "list \"l100.x\" { }");
    write_file("a/169.conf", "\n\n\nlist \"l168.x\" { }");
    expect("a/167.conf:1: list: \"l100.x\" appears a second time (first in a/100.conf:3)\n"
           "a/169.conf:4: list: \"l168.x\" appears a second time (first in a/168.conf:3)\n");
    write_file("a/167.conf", "list \"l167.x\"");
    write_file("a/168.conf", "{ }");
    remove_file("a/169.conf");
    expect("a/167.conf:1: list: a \"{\" is missing (write list \"l167.x\" { ... })\n"
           "a/168.conf:1: a \"{\" is where a name is expected (write KEY = \"TEXT\", or "
           "list \"LIST-ID\" { ... })\n");
    for (int i = 100; i < 169; i++) {
        snprintf(name, sizeof name, "a/%d.conf", i);
        remove_file(name);
    }
    check_end();
}

/* The command address is in line 7, the list in line 4: the message says 7, and where the list of
 * the address is. */
static void test_line_of_command_address(void **state)
{
    (void)state;
    write_file("m.conf", "lists = {}\nlist \"a.x\" { address = \"a@x.y\" }\n\nlist \"b.x\" {\n"
                         "address = \"b@x.y\"\n\ncommand_addresses = {\"from:a@x.y\"}\n}\n");
    expect("m.conf:7: command_addresses: \"a@x.y\" is an address of list \"a.x\" "
           "(m.conf:2)\n");
    check_end();
}

static struct loaded load_file(const char *main_file, const char *file)
{
    char *const paths[] = {(char *)(uintptr_t)file};
    return load_request(&(struct settings_request){
        .path = main_file, .keys = KEYS_NOT_READ, .files = paths, .file_count = 1});
}

static void test_list_files_alone(void **state)
{
    (void)state;
    write_file("m.conf",
               "lists = {\"a/*.conf\"}\nlist \"a.b\" {}\ndefaults { description = \"X\" }\n");
    write_file("a/x.conf", "list \"a.b\" {}\n");
    write_file("a/y.conf", "list \"a.b\" {\n");
    struct loaded l = load_file(path_of("m.conf"), path_of("a/x.conf"));
    check_int("lists", 1, list_count(&l));
    check_text("List-Id", "X <a.b>", field_of(list_number(&l, 0), FIELD_LIST_ID));
    loaded_free(&l);
    l = load_file(NULL, path_of("a/x.conf"));
    check_text("List-Id", "<a.b>", field_of(list_number(&l, 0), FIELD_LIST_ID));
    loaded_free(&l);
    l = load_file(NULL, path_of("a/y.conf"));
    check_int("errors", 1, (int)l.diagnostics.errors);
    loaded_free(&l);
    check_bool("a main file", true, settings_is_main_file(path_of("m.conf")));
    check_bool("a list file", false, settings_is_main_file(path_of("a/x.conf")));
    check_bool("no file", false, settings_is_main_file(path_of("none.conf")));
    write_file("a/z.conf", "list \"a.b\" {}\ntoken \"t\" {");
    check_bool("a wrong main file", true, settings_is_main_file(path_of("a/z.conf")));
    check_end();
}

/* libConfuse gets the keys of a file, and keeps them for the next: values and lines stay with their
 * keys, whatever keys the files before had, and after an error. */
static void test_keys_of_each_file(void **state)
{
    static const struct {
        const char *list_id, *owner, *archive, *address;
    } rows[] = {
        {"<a.x>", "<mailto:o@x.example>", "", ""},
        {"B <b.x>", "", "<https://x.example/b>", ""},
        {"<c.x>", "<mailto:c@x.example>", "", ""},
        {"<d.x>", "", "", "d@x.example"},
    };
    (void)state;
    write_file("m.conf", "lists = {\"a/*.conf\"}\ndefaults { post = {\"NO\"} }\n");
    write_file("a/a.conf", "list \"a.x\" { owner = {\"mailto:o@x.example\"} }\n");
    write_file("a/b.conf",
               "list \"b.x\" { archive = {\"https://x.example/b\"} archived_at = {}\n"
               "description = \"B\" }\nlist \"c.x\" { owner = {\"mailto:c@x.example\"} }");
    write_file("a/c.conf", "list \"d.x\" { honor_no_archive = no\n address = \"d@x.example\" }\n");
    struct loaded l = load_main(NULL);
    assert_int_equal(list_count(&l), CHECK_COUNT(rows));
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        const struct list *list = list_number(&l, i);
        check_row(rows[i].list_id);
        check_text("List-Id", rows[i].list_id, field_of(list, FIELD_LIST_ID));
        check_text("List-Owner", rows[i].owner, field_of(list, FIELD_LIST_OWNER));
        check_text("List-Archive", rows[i].archive, field_of(list, FIELD_LIST_ARCHIVE));
        check_text("List-Post", "NO", field_of(list, FIELD_LIST_POST));
        check_text("address", rows[i].address, list->address);
        check_bool("honor_no_archive", i != 3, list->honor_no_archive);
    }
    loaded_free(&l);
    write_file("a/d.conf", "list \"e.x\" {\n owner = {\"mailto:o@x.example\",\n"
                           "\"no uri\"} subscribe = {\"mailto:s@x.example\",\n\n\"none\"} }\n");
    expect("a/d.conf:3: owner: \"no uri\"");
    expect("a/d.conf:5: subscribe: \"none\"");
    write_file("a/c.conf", "list \"d.x\" { help = {\"mailto:a@b.c }\n");
    expect("a/c.conf:1: help: a quote");
    expect("a/d.conf:3: owner: \"no uri\"");
    remove_file("a/d.conf");
    write_file("a/c.conf", "list \"d.x\" { colour = red }\n");
    expect("a/c.conf:1: colour: is no key of");
    write_file("a/c.conf", "list \"d.x\" { }\n");
    l = load_main(NULL);
    check_int("lists", 4, list_count(&l));
    loaded_free(&l);
    check_end();
}

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

/* The fingerprint: of files with the same texts, or of the last good ones (RULINGS 73). */
static void test_fingerprint(void **state)
{
    static const struct {
        const char *file, *text;
        bool same;
    } rows[] = {
        {"own/l.conf", "list \"l.example.org\" {}\n", true},
        {"own/l.conf", "list \"l.example.org\" {} # a comment\n", false},
        {"own/l.conf", "list \"l.example.org\" {}\n", true},
        {"keys", "fedcba9876543210\n", false},
        {"keys", "0123456789abcdef\n# a comment\n", true},
        {"keys", "0123456789abcdef\n", true},
        {"a/g.conf", "list {\n", true},
        {"a/g.conf", "list \"h.alice.example\" {}\n", false},
        {"a/g.conf", "list \"g.alice.example\" {}\n", true},
        {"own/new.conf", "", false},
    };
    (void)state;
    write_file("m.conf", "lists = {\"own/*.conf\"} token_key_file = \"keys\"\n" ALICE);
    write_file("own/l.conf", rows[0].text);
    write_file("keys", "0123456789abcdef\n");
    assert_int_equal(chmod(path_of("keys"), 0600), 0);
    write_file("a/g.conf", "list \"g.alice.example\" {}\n");
    struct loaded first = load_main(NULL);
    assert_non_null(first.settings);
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        write_file(rows[i].file, rows[i].text);
        struct loaded now = load_main(first.settings);
        check_row(rows[i].text);
        check_bool(rows[i].file, rows[i].same,
                   strcmp(first.settings->fingerprint, now.settings->fingerprint) == 0);
        loaded_free(&now);
    }
    loaded_free(&first);
    check_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(test_patterns),
        IN_FOLDER(test_wrong_files),
        IN_FOLDER(test_order),
        IN_FOLDER(test_many_files),
        IN_FOLDER(test_line_of_command_address),
        IN_FOLDER(test_list_files_alone),
        IN_FOLDER(test_keys_of_each_file),
        cmocka_unit_test(test_fits),
        IN_FOLDER(test_watched),
        IN_FOLDER(test_fingerprint),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

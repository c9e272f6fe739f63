/* config/delegation: what delegated files and folders may be, and reloads (LI-03, RULINGS 59, 73).
 */
#include "delegation_help.h"

#include "config/delegation/delegated.h"

#include <dirent.h>

/* ---- a folder with a name more often than it has: the readdir of the program under test ---- */

static int repeats; /* of the first name */

struct dirent *__real_readdir(DIR *dir);
struct dirent *__wrap_readdir(DIR *dir);

struct dirent *__wrap_readdir(DIR *dir)
{
    static struct dirent first;
    if (repeats == 0)
        return __real_readdir(dir);
    if (first.d_name[0] == '\0')
        memcpy(first.d_name, "q.conf", 7);
    repeats--;
    return &first;
}

/* ---- */

#define GOOD "list \"n.alice.example\" { }\n"

static void write_others(void)
{
    write_file("own/x.conf", "list \"main.admin.example\" { }\n");
    write_file("a/z.conf", "list \"fine.alice.example\" { }\n");
    write_file("b/b.conf", "list \"b.bob.example\" { }\n");
}

static void check_others(const struct loaded *l)
{
    check_bool("loaded", true, l->settings != NULL);
    check_int("errors", 0, (int)l->diagnostics.errors);
    check_bool("the administrator's list", true, has_list(l, "main.admin.example"));
    check_bool("alice's other list", true, has_list(l, "fine.alice.example"));
    check_bool("bob's list", true, has_list(l, "b.bob.example"));
}

/* What stands at a/m.conf costs n.alice.example at most, and is told so. */
static void check_file(const struct settings *previous, const char *what, const char *fault)
{
    struct loaded l = load_main(previous);
    char says_this[300];
    check_row(what);
    check_others(&l);
    snprintf(says_this, sizeof says_this, "a/m.conf: cannot be read: %s", fault);
    check_says(&l, says_this);
    check_says(&l, previous != NULL ? "; its last good version stays in force\n"
                                    : "; its lists are disabled\n");
    check_bool("the list", previous != NULL, has_list(&l, "n.alice.example"));
    check_int("told", 1, (int)l.diagnostics.delegated);
    check_int("kept texts", previous != NULL ? 3 : 2,
              l.settings == NULL || l.settings->delegated == NULL ? 0
              : l.settings->delegated->next == NULL               ? 1
              : l.settings->delegated->next->next == NULL         ? 2
              : l.settings->delegated->next->next->next == NULL   ? 3
                                                                  : 4);
    loaded_free(&l);
}

static bool make_socket(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path)
        return false;
    memcpy(address.sun_path, path, strlen(path) + 1);
    int s = socket(AF_UNIX, SOCK_STREAM, 0);
    bool fine = s >= 0 && bind(s, (const struct sockaddr *)&address, sizeof address) == 0;
    if (s >= 0)
        close(s);
    return fine;
}

static void make_large(const char *name)
{
    static char text[1024 * 1024 + 1];
    memset(text, '\n', sizeof text);
    memcpy(text, GOOD, sizeof GOOD - 1);
    write_octets(name, span_of(text, sizeof text - 1)); /* as large as may be */
    struct loaded l = load_main(NULL);
    check_bool("1 MiB", true, has_list(&l, "n.alice.example"));
    loaded_free(&l);
    write_octets(name, span_of(text, sizeof text));
}

/* All that a file may be but a file; at the start, and on a reload. */
static void check_hostile_files(const struct settings *previous)
{
    write_file("secret", "root:x:secret:\n" GOOD);
    assert_int_equal(symlink("../secret", path_of("a/m.conf")), 0);
    check_file(previous, "a link", "is a symbolic link");
    remove_file("a/m.conf");
    assert_int_equal(symlink("nowhere", path_of("a/m.conf")), 0);
    check_file(previous, "a link to nothing", "is a symbolic link");
    remove_file("a/m.conf");
    assert_int_equal(symlink("m.conf", path_of("a/m.conf")), 0);
    check_file(previous, "a link to itself", "is a symbolic link");
    remove_file("a/m.conf");
    assert_int_equal(symlink("/dev/zero", path_of("a/m.conf")), 0);
    check_file(previous, "a link to a device", "is a symbolic link");
    remove_file("a/m.conf");
    assert_int_equal(link(path_of("secret"), path_of("a/m.conf")), 0);
    check_file(previous, "a hard link", "has a second name");
    remove_file("a/m.conf");
    assert_int_equal(mkfifo(path_of("a/m.conf"), 0644), 0); /* must not wait */
    check_file(previous, "a FIFO", "is not a regular file");
    remove_file("a/m.conf");
    assert_int_equal(mkdir(path_of("a/m.conf"), 0755), 0);
    check_file(previous, "a folder", "is not a regular file");
    assert_int_equal(rmdir(path_of("a/m.conf")), 0);
    if (make_socket(path_of("a/m.conf"))) {
        check_file(previous, "a socket", "No such device or address");
        remove_file("a/m.conf");
    } else {
        print_message("no socket: the name of the folder is too long\n");
    }
    if (mknod(path_of("a/m.conf"), S_IFCHR | 0644, (dev_t)0x0105 /* on Linux, zero */) == 0) {
        check_file(previous, "a device", "is not a regular file");
        remove_file("a/m.conf");
    } else {
        print_message("no device: only root may make one\n");
    }
    make_large("a/m.conf");
    check_file(previous, "too large", "is too large (expected at most 1 MiB)");
    remove_file("a/m.conf");
}

static void test_hostile_files(void **state)
{
    (void)state;
    write_others();
    check_hostile_files(NULL);
    check_end();
}

static void test_hostile_files_on_reload(void **state)
{
    (void)state;
    write_others();
    write_file("a/m.conf", GOOD);
    struct loaded first = load_main(NULL);
    assert_true(has_list(&first, "n.alice.example"));
    remove_file("a/m.conf");
    check_hostile_files(first.settings);
    loaded_free(&first);
    check_end();
}

/* ---- rights ---- */

/* Becomes somebody without rights, who may not read this folder's files that root alone may. */
static bool become_nobody(void)
{
    if (geteuid() != 0)
        return true;
    return setegid(65534) == 0 && seteuid(65534) == 0;
}

static void become_root(void)
{
    if (getuid() == 0) {
        assert_int_equal(seteuid(0), 0);
        assert_int_equal(setegid(0), 0);
    }
}

static void test_unreadable(void **state)
{
    (void)state;
    write_others();
    write_file("a/m.conf", GOOD);
    if (!become_nobody() || access(path_of("m.conf"), R_OK) != 0) {
        become_root();
        check_skip("the folder of temporary files is closed to others");
        return;
    }
    struct loaded first = load_main(NULL);
    become_root();
    assert_true(has_list(&first, "n.alice.example"));

    assert_int_equal(chmod(path_of("a/m.conf"), 0), 0);
    assert_true(become_nobody());
    check_file(NULL, "unreadable", "Permission denied");
    check_file(first.settings, "unreadable", "Permission denied");
    become_root();

    /* The folder: all of its files stay as they were; without a last version none is in force. */
    assert_int_equal(chmod(path_of("a"), 0), 0);
    assert_true(become_nobody());
    struct loaded l = load_main(first.settings);
    check_row("folder on reload");
    check_others(&l);
    check_bool("the list", true, has_list(&l, "n.alice.example"));
    check_text("messages",
               "a: cannot be read: Permission denied; the last good versions of its files stay in "
               "force\n",
               strbuf_span(&l.messages));
    struct loaded again = load_main(l.settings); /* and once more */
    check_bool("the list", true, has_list(&again, "n.alice.example"));
    loaded_free(&again);
    loaded_free(&l);
    l = load_main(NULL);
    check_row("folder at the start");
    check_bool("bob's list", true, has_list(&l, "b.bob.example"));
    check_bool("the list", false, has_list(&l, "n.alice.example"));
    check_says(&l, "a: cannot be read: Permission denied; no list below it is in force\n");
    loaded_free(&l);
    become_root();
    assert_int_equal(chmod(path_of("a"), 0755), 0);
    loaded_free(&first);
    check_end();
}

/* ---- folders ---- */

static void test_folders(void **state)
{
    (void)state;
    write_others();
    write_file("m.conf", "lists = {\"own/*.conf\"}\ndelegate alice { files = {\"d/*.conf\", "
                         "\"a/z.conf\"} domains = {\"alice.example\"} }\n" BOB);
    assert_int_equal(mkdir(path_of("real"), 0755), 0);
    assert_int_equal(rename(path_of("real"), path_of("d")), 0);
    write_file("d/m.conf", GOOD);
    struct loaded first = load_main(NULL);
    check_row("a folder");
    check_text("messages", "", strbuf_span(&first.messages));
    check_bool("the list", true, has_list(&first, "n.alice.example"));

    /* A link could lead to the files of another delegate (RULINGS 98). */
    assert_int_equal(rename(path_of("d"), path_of("real")), 0);
    assert_int_equal(symlink("real", path_of("d")), 0);
    struct loaded l = load_main(NULL);
    check_row("the folder is a link");
    check_others(&l);
    check_text("messages",
               "d: cannot be read: its path has a symbolic link (expected the real path); no list "
               "below it is in force\n",
               strbuf_span(&l.messages));
    check_bool("the list", false, has_list(&l, "n.alice.example"));
    loaded_free(&l);
    l = load_main(first.settings);
    check_row("the folder has become a link");
    check_others(&l);
    check_bool("the list", true, has_list(&l, "n.alice.example"));
    loaded_free(&l);
    loaded_free(&first);

    /* A folder that does not exist yet: a hint. */
    remove_file("d");
    l = load_main(NULL);
    check_row("no folder");
    check_others(&l);
    check_text("messages",
               "m.conf:2: hint: files: \"d/*.conf\" leads into a folder that does not exist\n",
               strbuf_span(&l.messages));
    loaded_free(&l);
    check_end();
}

/* Else a delegate's own folders would say where one looks. */
static void test_wildcards_in_folders(void **state)
{
    static const char *const rows[] = {"d/*/m.conf", "?/m.conf", "[d]/*.conf", "\\\\d/m.conf"};
    (void)state;
    write_others();
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        char text[200];
        snprintf(text, sizeof text,
                 "delegate alice { files = {\"%s\"} domains = {\"alice.example\"} }\n", rows[i]);
        write_file("m.conf", text);
        struct loaded l = load_main(NULL);
        check_row(rows[i]);
        check_bool("loaded", false, l.settings != NULL);
        check_says(&l, "has a wildcard in its folder (expected wildcards after the last \"/\" "
                       "only)\n");
        loaded_free(&l);
    }
    check_end();
}

static bool becomes_a_link; /* the file that is opened next */

int __real_openat(int where, const char *name, int flags, ...);
int __wrap_openat(int where, const char *name, int flags, ...);
int __wrap_openat(int where, const char *name, int flags, ...)
{
    if (becomes_a_link && strcmp(name, "s.conf") == 0) {
        becomes_a_link = false;
        assert_int_equal(unlinkat(where, name, 0), 0);
        assert_int_equal(symlinkat("m.conf", where, name), 0);
    }
    return __real_openat(where, name, flags);
}

/* A file that was found becomes a link before it is opened. */
static void test_becomes_a_link(void **state)
{
    (void)state;
    write_others();
    write_file("a/m.conf", GOOD);
    write_file("a/s.conf", "");
    becomes_a_link = true;
    struct loaded l = load_main(NULL);
    check_bool("has happened", false, becomes_a_link);
    check_others(&l);
    check_says(&l, "a/s.conf: cannot be read: is a symbolic link");
    loaded_free(&l);
    check_end();
}

/* No wildcard at all: the file itself is alice's, its folder the administrator's word. Names that
 * no terminal should see. Files that fit twice, or are not hers. */
static void test_names(void **state)
{
    (void)state;
    write_others();
    write_file("m.conf",
               "lists = {\"own/*.conf\"}\n"
               "delegate alice { files = {\"a/m.conf\", \"a/*.conf\", \"none.conf\", \"b/b.conf\", "
               "\"own/*\"}\n  domains = {\"alice.example\"} }\n" BOB);
    write_file("a/m.conf", GOOD);
    write_file("a/e\x1B[2J\nb\xC2\x9B\xFF.conf", "list {");
    struct loaded l = load_main(NULL);
    check_row("names");
    check_bool("loaded", true, l.settings != NULL);
    check_bool("the list", true, has_list(&l, "n.alice.example"));
    check_says(&l, "a/e?[2J?b??.conf:1: list: ");
    check_says(&l, "own/x.conf:1: list: \"main.admin.example\" lies outside of the domains");
    check_says(&l, "b/b.conf:1: list: \"b.bob.example\" lies outside of the domains of delegate "
                   "\"alice\"");
    check_bool("the administrator's list", true, has_list(&l, "main.admin.example"));
    loaded_free(&l);
    remove_file("a/m.conf");
    assert_int_equal(symlink("z.conf", path_of("a/m.conf")), 0);
    l = load_main(NULL);
    check_says(&l, "a/m.conf: cannot be read: is a symbolic link");
    const char *first = strstr(strbuf_str(&l.messages), "a/m.conf");
    check_bool("told twice", false, first != NULL && strstr(first + 1, "a/m.conf") != NULL);
    check_bool("a file that is not there is told", false, says(&l, "none.conf"));
    loaded_free(&l);
    check_end();
}

/* ---- limits ---- */

static void test_many_files(void **state)
{
    (void)state;
    write_others();
    write_file("m.conf", "lists = {\"own/*.conf\"}\n"
                         "delegate alice { files = {\"a/*.conf\", \"c.conf\"} domains = "
                         "{\"alice.example\"} }\n" BOB);
    write_file("c.conf", GOOD);
    for (int files = 2; files <= 10101; files++) { /* a/z.conf is the first */
        char name[30];
        snprintf(name, sizeof name, "a/y%05d.conf", files);
        write_file(name, "");
        if (files != 9999 && files != 10000 && files != 10101)
            continue;
        struct loaded l = load_main(NULL);
        check_row(name);
        check_bool("loaded", true, l.settings != NULL);
        check_bool("the last one", files == 9999, has_list(&l, "n.alice.example"));
        if (files == 10000)
            check_text("messages",
                       "c.conf: cannot be read: its delegate has too many files (expected at most "
                       "10000); its lists are disabled\n",
                       strbuf_span(&l.messages));
        if (files == 10101)
            check_says(&l, "delegate: \"alice\" has 77 more files that are wrong\n");
        loaded_free(&l);
    }
    check_end();
}

/* So many names are sorted; if there are more, none is chosen by chance. */
static void test_many_names(void **state)
{
    static const int rows[] = {19990, 20100};
    (void)state;
    write_others();
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        repeats = rows[i];
        struct loaded l = load_main(NULL);
        check_row(i == 0 ? "many names" : "too many names");
        check_bool("loaded", true, l.settings != NULL);
        check_bool("alice's list", i == 0, has_list(&l, "fine.alice.example"));
        check_text("messages",
                   i == 0 ? ""
                          : "a: cannot be read: its delegate has too many files (expected at most "
                            "10000); no list below it is in force\n",
                   strbuf_span(&l.messages));
        check_bool("bob's list", true, has_list(&l, "b.bob.example"));
        loaded_free(&l);
        repeats = 0;
    }
    check_end();
}

/* Files full of NULs take no room on the disk. */
static void test_many_octets(void **state)
{
    (void)state;
    write_others();
    for (int i = 0; i < 16; i++) {
        char name[30];
        struct loaded l;
        snprintf(name, sizeof name, "a/y%05d.conf", i);
        write_file(name, "");
        assert_int_equal(truncate(path_of(name), 1024 * 1024), 0);
        if (i < 14)
            continue;
        l = load_main(NULL);
        check_row(i == 14 ? "15 MiB and a list" : "16 MiB and a list");
        check_bool("loaded", true, l.settings != NULL);
        check_bool("alice's list", i == 14, has_list(&l, "fine.alice.example"));
        check_bool("bob's list", true, has_list(&l, "b.bob.example"));
        loaded_free(&l);
    }
    check_end();
}

/* ---- reloads (RULINGS 73) ---- */

static void test_reload(void **state)
{
    (void)state;
    write_others();
    write_file("a/m.conf", GOOD);
    struct loaded first = load_main(NULL);
    check_row("wrong text");
    check_others(&first);

    write_file("a/m.conf", "list \"n.alice.example\" { }\nlist \"n2.alice.example\" { }\ncolour\n");
    struct loaded second = load_main(first.settings);
    check_others(&second);
    check_says(&second, "a/m.conf:3: colour: ");
    check_says(&second, "; its last good version stays in force\n");
    check_bool("the list", true, has_list(&second, "n.alice.example"));
    check_bool("a half", false, has_list(&second, "n2.alice.example"));
    loaded_free(&first); /* what is kept is the settings' own */

    check_row("wrong twice");
    struct loaded third = load_main(second.settings);
    check_bool("the list", true, has_list(&third, "n.alice.example"));
    check_says(&third, "; its last good version stays in force\n");
    loaded_free(&second);

    check_row("the last good version no longer fits");
    write_file("own/y.conf", GOOD);
    struct loaded fourth = load_main(third.settings);
    check_others(&fourth);
    check_says(&fourth, "a/m.conf:3: colour: ");
    check_says(&fourth, "; its lists are disabled\n");
    check_int("lists", 4, (int)fourth.settings->index.count);
    loaded_free(&fourth);
    remove_file("own/y.conf");

    check_row("gone");
    remove_file("a/m.conf");
    fourth = load_main(third.settings);
    check_others(&fourth);
    check_text("messages", "", strbuf_span(&fourth.messages));
    check_bool("the list", false, has_list(&fourth, "n.alice.example"));
    loaded_free(&fourth);

    check_row("right again");
    write_file("a/m.conf", "list \"n3.alice.example\" { }\n");
    fourth = load_main(third.settings);
    check_text("messages", "", strbuf_span(&fourth.messages));
    check_bool("the list", false, has_list(&fourth, "n.alice.example"));
    check_bool("the new list", true, has_list(&fourth, "n3.alice.example"));
    loaded_free(&fourth);

    check_row("hints"); /* no line of the old text is one of the new */
    write_file("a/m.conf",
               "list \"n.alice.example\" {\n\n\narchive = {\"https://a.example/\"} }\n");
    fourth = load_main(NULL);
    check_says(&fourth, "a/m.conf:4: hint: archive: ");
    write_file("a/m.conf", "colour = red\n");
    struct loaded fifth = load_main(fourth.settings);
    check_text("messages",
               "a/m.conf:1: colour: only list sections may stand in a list file; its last good "
               "version stays in force\n",
               strbuf_span(&fifth.messages));
    loaded_free(&fifth);
    loaded_free(&fourth);

    check_row("another's domains");
    write_file("a/m.conf", "list \"b2.bob.example\" { }\n");
    write_file("m.conf", "lists = {\"own/*.conf\"}\ndelegate alice { files = {\"a/*.conf\"} "
                         "domains = {\"other.example\"} }\n" BOB);
    fourth = load_main(third.settings);
    check_bool("the list", false, has_list(&fourth, "n.alice.example"));
    check_int("lists", 2, (int)fourth.settings->index.count);
    loaded_free(&fourth);

    check_row("an error of the administrator's");
    write_file("m.conf", "colour = red\n" ALICE);
    fourth = load_main(third.settings);
    check_bool("loaded", false, fourth.settings != NULL);
    check_int("delegated", 0, (int)fourth.diagnostics.delegated); /* nothing untrue is told */
    loaded_free(&fourth);
    loaded_free(&third);
    check_end();
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_hostile_files),  TEST(test_hostile_files_on_reload),
        TEST(test_unreadable),     TEST(test_folders),
        TEST(test_names),          TEST(test_wildcards_in_folders),
        TEST(test_becomes_a_link), TEST(test_many_files),
        TEST(test_many_names),     TEST(test_many_octets),
        TEST(test_reload),

    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

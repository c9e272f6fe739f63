/* config/delegate: what delegated files and folders may be, and reloads (LI-03, RULINGS 59, 73,
 * 98).
 */
#include "config_help.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/socket.h>
#include <sys/un.h>

#define GOOD  "list \"n.alice.example\" { }\n"
#define KEEPS "its last good version stays in force\n"

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

static int message_count(const struct loaded *l)
{
    int count = 0;
    for (const char *p = strbuf_str(&l->messages); *p != '\0'; p++)
        count += *p == '\n';
    return count;
}

/* Checks that a/m.conf, which is no file to be read, costs n.alice.example at most. */
static void check_file(const struct settings *previous, const char *what, const char *fault)
{
    char message[300];
    snprintf(message, sizeof message, "a/m.conf: cannot be read: %s; %s\n", fault,
             previous != NULL ? "its last good version stays in force" : "its lists are disabled");
    check_load_only(what, previous, previous != NULL, message);
    if (unlink(path_of("a/m.conf")) != 0)
        rmdir(path_of("a/m.conf"));
}

static bool make_socket(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int s = socket(AF_UNIX, SOCK_STREAM, 0);
    bool is_made = strlen(path) < sizeof address.sun_path && s >= 0;
    if (is_made) {
        memcpy(address.sun_path, path, strlen(path) + 1);
        is_made = bind(s, (const struct sockaddr *)&address, sizeof address) == 0;
    }
    close(s);
    return is_made;
}

#define LINK "its path has a symbolic link (expected the real path)"

static void check_hostile_files(const struct settings *previous)
{
    static const char *const targets[] = {"../secret", "nowhere", "m.conf", "/dev/zero"};
    static char text[1024 * 1024 + 1];
    write_file("secret", "root:x:secret:\n" GOOD);
    for (size_t i = 0; i < CHECK_COUNT(targets); i++) {
        assert_int_equal(symlink(targets[i], path_of("a/m.conf")), 0);
        check_file(previous, targets[i], LINK);
    }
    assert_int_equal(link(path_of("secret"), path_of("a/m.conf")), 0);
    check_file(previous, "a hard link", "has a second name (expected a file without hard links)");
    assert_int_equal(mkfifo(path_of("a/m.conf"), 0644), 0); /* must not wait */
    check_file(previous, "a FIFO", "is not a regular file");
    assert_int_equal(mkdir(path_of("a/m.conf"), 0755), 0);
    check_file(previous, "a folder", "is not a regular file");
    if (make_socket(path_of("a/m.conf")))
        check_file(previous, "a socket", "No such device or address");
    if (mknod(path_of("a/m.conf"), S_IFCHR | 0644, (dev_t)0x0105 /* on Linux, zero */) == 0)
        check_file(previous, "a device", "is not a regular file"); /* only root may make one */
    memset(text, '\n', sizeof text);
    memcpy(text, GOOD, sizeof GOOD - 1);
    write_octets("a/m.conf", span_of(text, sizeof text - 1));
    check_load_only("1 MiB", previous, true, "");
    write_octets("a/m.conf", span_of(text, sizeof text));
    check_file(previous, "too large", "is too large (expected at most 1 MiB)");
}

static void test_hostile_files(void **state)
{
    (void)state;
    write_others();
    check_hostile_files(NULL);
    write_file("a/m.conf", GOOD);
    struct loaded first = check_load("the first load", NULL, true, "");
    remove_file("a/m.conf");
    check_hostile_files(first.settings);
    loaded_free(&first);
    check_end();
}

/* ---- rights ---- */

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

/* ---- folders and names ---- */

static void test_folders(void **state)
{
    (void)state;
    write_others();
    write_file("m.conf", "lists = {\"own/*.conf\"}\ndelegate alice { files = {\"d/*.conf\", "
                         "\"a/z.conf\"} domains = {\"alice.example\"} }\n" BOB);
    assert_int_equal(mkdir(path_of("d"), 0755), 0);
    write_file("d/m.conf", GOOD);
    write_file("d/n.conf", "");
    struct loaded first = check_load("a folder", NULL, true, "");

    /* A link could lead to the files of another delegate (RULINGS 98). */
    assert_int_equal(rename(path_of("d"), path_of("real")), 0);
    assert_int_equal(symlink("real", path_of("d")), 0);
    check_load_only("the folder is a link", NULL, false,
                    "m.conf:2: files: \"d/*.conf\" leads into d, which cannot be read: " LINK
                    "; no list below it is in force\n");
    struct loaded second =
        check_load("the folder has become a link", first.settings, true,
                   "m.conf:2: files: \"d/*.conf\" leads into d, which cannot be read: " LINK
                   "; the last good versions of its "
                   "files stay in force\n");
    check_bool("nothing changed", true,
               strcmp(first.settings->fingerprint, second.settings->fingerprint) == 0);
    loaded_free(&first);
    loaded_free(&second);
    remove_file("d");
    check_load_only("no folder", NULL, false,
                    "m.conf:2: hint: files: \"d/*.conf\" matches no file\n");
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

/* A pattern may be a name. No message has what a terminal obeys. A file that two patterns fit is
 * read once, and one of others is not the delegate's. */
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
    check_bool("the list", true, has_list(&l, "n.alice.example"));
    check_bool("the administrator's list", true, has_list(&l, "main.admin.example"));
    check_says(&l, "a/e?[2J?b??.conf:1: list: has no name");
    check_says(&l, "own/x.conf:1: list: \"main.admin.example\" lies outside of the domains");
    check_says(&l, "b/b.conf:1: list: \"b.bob.example\" lies outside of the domains of delegate "
                   "\"alice\"");
    check_int("messages", 3, message_count(&l));
    loaded_free(&l);
    remove_file("a/m.conf");
    assert_int_equal(symlink("z.conf", path_of("a/m.conf")), 0);
    l = load_main(NULL);
    check_says(&l, "a/m.conf: cannot be read: " LINK "; its lists are disabled\n");
    check_int("messages", 4, message_count(&l));
    loaded_free(&l);
    check_end();
}

/* ---- limits ---- */

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
        check_bool("a message", i > 0, message_count(&l) > 0);
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

/* ---- reloads (RULINGS 73) ---- */

#define NO_SECTION                                                                                 \
    "is no section (expected list \"LIST-ID\" { ... }; "                                           \
    "other sections are defaults, token and delegate); "
#define ONLY_LISTS "a/m.conf:1: colour: " NO_SECTION

static void test_reload(void **state)
{
    (void)state;
    write_others();
    write_file("a/m.conf", GOOD);
    struct loaded first = check_load("right", NULL, true, "");
    write_file("a/m.conf", GOOD "list \"n2.alice.example\" { }\ncolour = 1\n");
#define THIRD_LINE "a/m.conf:3: colour: " NO_SECTION
    struct loaded second = check_load("wrong", first.settings, true, THIRD_LINE KEEPS);
    check_bool("a half", false, has_list(&second, "n2.alice.example"));
    loaded_free(&first); /* the settings own what is kept */
    struct loaded third = check_load("wrong twice", second.settings, true, THIRD_LINE KEEPS);
    loaded_free(&second);

    write_file("own/y.conf", GOOD);
    struct loaded l = check_load("the last good version no longer fits", third.settings, true,
                                 THIRD_LINE "its lists are disabled\n");
    check_int("lists", 4, list_count(&l));
    loaded_free(&l);
    remove_file("own/y.conf");

    remove_file("a/m.conf");
    check_load_only("deleted", third.settings, false, "");
    write_file("a/m.conf", "list \"n3.alice.example\" { }\n");
    check_load_only("right again", third.settings, false, "");

    write_file("m.conf", "lists = {\"own/*.conf\"}\ndelegate alice { files = {\"a/*.conf\"} "
                         "domains = {\"other.example\"} }\n" BOB);
    l = load_main(third.settings);
    check_row("the domains of another");
    check_int("lists", 2, list_count(&l));
    loaded_free(&l);

    write_file("m.conf", "colour = red\n" ALICE);
    l = load_main(third.settings);
    check_row("an error of the administrator's");
    check_bool("loads", false, l.settings != NULL);
    check_int("delegated", 0, (int)l.diagnostics.delegated); /* it would not be true */
    loaded_free(&l);
    loaded_free(&third);
    check_end();
}

/* No line of the old text is one of the new: its hints are not reported, and those of other files
 * are. */
static void test_hints_of_last_good_version(void **state)
{
    static const char hint[] = ": hint: archived_at: \"https://a.example/\" is one URL for many "
                               "posts (expected {message_id_hash}, {message_id}, {sequence} or a "
                               "token in it, and not cut)\n";
    char messages[900];
    (void)state;
    write_others();
    write_file("a/m.conf", "list \"n.alice.example\" {\n\n\narchived_at = "
                           "{\"https://a.example/\"} }\n");
    write_file("a/x.conf", "list \"x.alice.example\" { archived_at = {\"https://a.example/\"} }\n");
    snprintf(messages, sizeof messages, "a/m.conf:4%sa/x.conf:1%s", hint, hint);
    struct loaded first = check_load("right", NULL, true, messages);
    write_file("a/m.conf", "colour = red\n");
    snprintf(messages, sizeof messages, ONLY_LISTS KEEPS "a/x.conf:1%s", hint);
    check_load_only("wrong", first.settings, true, messages);
    loaded_free(&first);
    check_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(test_hostile_files),
        IN_FOLDER(test_unreadable),
        IN_FOLDER(test_folders),
        IN_FOLDER(test_names),
        IN_FOLDER(test_becomes_a_link),
        IN_FOLDER(test_many_files),
        IN_FOLDER(test_many_bytes),
        IN_FOLDER(test_many_good_versions),
        IN_FOLDER(test_much_memory),
        IN_FOLDER(test_reload),
        IN_FOLDER(test_hints_of_last_good_version),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

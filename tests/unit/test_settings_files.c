/* config/load and config/files: files, patterns, folders (RULINGS 59, 60). */
#include "config_help.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[200]; /* of the test at hand */

static const char *path_of(const char *name)
{
    static char path[400];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void write_file(const char *name, const char *text)
{
    FILE *f = fopen(path_of(name), "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

static int make_folder(void **state)
{
    const char *base = getenv("TMPDIR");
    (void)state;
    /* A bracket, so that the folder's own name would not fit itself as a pattern. */
    snprintf(folder, sizeof folder, "%s/mlmilter[x]-XXXXXX", base == NULL ? "/tmp" : base);
    if (mkdtemp(folder) == NULL)
        return -1;
    return mkdir(path_of("d"), 0700);
}

static void empty_folder(const char *path)
{
    DIR *dir = opendir(path);
    if (dir == NULL)
        return;
    for (struct dirent *e = readdir(dir); e != NULL; e = readdir(dir)) {
        char name[700];
        snprintf(name, sizeof name, "%s/%s", path, e->d_name);
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0 && unlink(name) != 0)
            rmdir(name);
    }
    closedir(dir);
}

static int remove_folder(void **state)
{
    (void)state;
    empty_folder(path_of("d"));
    empty_folder(folder);
    empty_folder(folder);
    return rmdir(folder);
}

static struct loaded load(const char *name, enum settings_extent extent)
{
    struct loaded l;
    diagnostics_init(&l.diagnostics);
    const struct settings_request request = {.path = path_of(name), .extent = extent};
    l.settings = settings_load(&request, &l.diagnostics);
    loaded_finish(&l);
    return l;
}

static void expect(const char *says, const char *name)
{
    struct loaded l = load(name, SETTINGS_ALL);
    assert_null(l.settings);
    if (strstr(strbuf_str(&l.messages), says) == NULL)
        fail_msg("\"%s\" is not in %s", says, strbuf_str(&l.messages));
    loaded_free(&l);
}

static void test_patterns(void **state)
{
    (void)state;
    write_file("m.conf", "lists = {\"d/*.conf\", \"d/a*.conf\", \"none/*\"}\nlist \"main.x\" {}\n");
    write_file("d/b.conf", "list \"b.x\" {}\n");
    write_file("d/a.conf", "list \"a.x\" {}\n");
    write_file("d/B.conf", "list \"bb.x\" {}\nlist \"bc.x\" {}\n");
    write_file("d/a.conf~", "list {");
    struct loaded l = load("m.conf", SETTINGS_ALL);
    static const char *const ids[] = {"main.x", "bb.x", "bc.x", "a.x", "b.x"}; /* byte order */
    char hint[700];                                                            /* RULINGS 84 */
    snprintf(hint, sizeof hint, "%s:1: hint: lists: \"none/*\" matches no file\n",
             path_of("m.conf"));
    assert_string_equal(strbuf_str(&l.messages), hint);
    assert_int_equal(l.settings->index.count, CHECK_COUNT(ids));
    for (size_t i = 0; i < CHECK_COUNT(ids); i++)
        check_text("id", ids[i], l.settings->index.lists[i]->id);
    check_end();
    loaded_free(&l);
    /* By another name it is another file. */
    assert_int_equal(symlink("b.conf", path_of("d/z.conf")), 0);
    expect("d/z.conf:1: list: \"b.x\" appears a second time (first in ", "m.conf");

    l = load("m.conf", SETTINGS_MAIN_FILE);
    assert_int_equal(l.settings->index.count, 1);
    loaded_free(&l);
}

static void test_wrong_files(void **state)
{
    (void)state;
    write_file("m.conf", "lists = {\"d/*.conf\"}\nlist \"a.b\" {}\n");
    expect("cannot be read: No such file", "none.conf");
    expect("cannot be read: is not a regular file", "d");
    write_file("d/x.conf", "\nsocket = \"x\"\n");
    expect("x.conf:2: socket: only list sections", "m.conf");
    write_file("d/x.conf", "\n\ndefaults { }\n");
    expect("x.conf:3: defaults: only list sections", "m.conf");
    expect("expected this in the main file", "m.conf");
    write_file("d/x.conf", "List \"x.y\" { }\n");
    expect("x.conf:1: List: is not known (did you mean \"list\"?)", "m.conf");
    write_file("d/x.conf", "address = \"x@y.example\"\n");
    expect("x.conf:1: address: is a key of a list (expected inside", "m.conf");
    write_file("d/x.conf", "colour = 1\n");
    expect("x.conf:1: colour: only list sections may stand in a list file\n", "m.conf");
    write_file("d/x.conf", "\n\nlist 'A.b' { }\n"); /* names both places */
    expect("m.conf:2)", "m.conf");
    expect("x.conf:3: list: \"A.b\"", "m.conf");
    assert_int_equal(unlink(path_of("d/x.conf")), 0);
    assert_int_equal(mkfifo(path_of("d/x.conf"), 0600), 0); /* must not wait */
    expect("m.conf:1: lists: \"d/*.conf\" matches ", "m.conf");
    expect("/d/x.conf, which cannot be read: is not a regular file", "m.conf");
    assert_int_equal(unlink(path_of("d/x.conf")), 0);
    assert_int_equal(symlink("nowhere", path_of("d/x.conf")), 0);
    struct loaded l = load("m.conf", SETTINGS_ALL); /* as the shell: no file of that name */
    assert_true(l.settings != NULL || strstr(strbuf_str(&l.messages), "x.conf") != NULL);
    loaded_free(&l);
    assert_int_equal(unlink(path_of("d/x.conf")), 0);
    write_file("d/x.conf", "");
    assert_int_equal(truncate(path_of("d/x.conf"), 64L * 1024 * 1024 + 1), 0);
    expect("/d/x.conf, which cannot be read: is too large", "m.conf");
    assert_int_equal(unlink(path_of("d/x.conf")), 0);
}

/* A folder where a file must stand: file, line and key of the pattern, and the path. */
static void test_folder_as_list_file(void **state)
{
    char says[500];
    (void)state;
    write_file("m.conf", "\nlists = {\"none/*\",\n\"d\"}\n");
    snprintf(
        says, sizeof says,
        "%s/m.conf:3: lists: \"d\" matches %s/d, which cannot be read: is not a regular file\n",
        folder, folder);
    expect(says, "m.conf");
}

/* Sorted by the names of files and by lines, whenever something is found out about them. */
static void test_order_of_files(void **state)
{
    (void)state;
    write_file("m.conf", "lists = {\"d/b.conf\",\n\"d/a.conf\", \"d/c.conf\",\n\"d\"}\n"
                         "list \"m.x\" { command_addresses = {\"x@y.z\"} }\ndry_run = 3\n");
    write_file("d/b.conf", "list \"b.x\" { command_addresses = {\"b@y.z\"} }\n"
                           "list \"b.y\" { sequence = 1 }\n");
    write_file("d/a.conf",
               "list \"a.x\" {}\n\nlist \"a.y\" { help = {\"x\"} address = \"x@y.z\" }\n");
    write_file("d/c.conf",
               "list \"c.y\" {\n sequence = 1 }\nlist \"c.z\" { address = \"b@y.z\" }\n");
    struct loaded l = load("m.conf", SETTINGS_ALL);
    static const struct {
        const char *file;
        int line;
    } rows[] = {{"d/a.conf", 3}, {"d/b.conf", 1}, {"d/b.conf", 2}, {"d/c.conf", 2},
                {"m.conf", 3},   {"m.conf", 4},   {"m.conf", 5}};
    if (l.diagnostics.count != CHECK_COUNT(rows))
        fail_msg("%s", strbuf_str(&l.messages));
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        check_str("file", path_of(rows[i].file), l.diagnostics.items[i].file);
        check_int("line", rows[i].line, l.diagnostics.items[i].line);
    }
    check_end();
    loaded_free(&l);
}

/* A second load with the same diagnostics leaves those of the first in front. */
static void test_order_of_loads(void **state)
{
    struct diagnostics d;
    (void)state;
    write_file("m.conf", "lists = {}\n\ncolour = 1\n");
    diagnostics_init(&d);
    assert_null(settings_load(&(struct settings_request){.path = path_of("m.conf")}, &d));
    write_file("m.conf", "lists = {}\ncolour = 1\n");
    assert_null(settings_load(&(struct settings_request){.path = path_of("m.conf")}, &d));
    assert_int_equal(d.count, 2);
    assert_int_equal(d.items[0].line, 3);
    assert_int_equal(d.items[1].line, 2);
    diagnostics_free(&d);
}

static void test_unreadable_folder(void **state)
{
    (void)state;
    write_file("m.conf", "\nlists = {\"d/*.conf\"}\n");
    assert_int_equal(chmod(path_of("d"), 0), 0);
    if (geteuid() != 0) /* root may read it */
        expect("m.conf:2: lists: ", "m.conf");
    assert_int_equal(chmod(path_of("d"), 0700), 0);
}

static void test_list_files_alone(void **state)
{
    struct diagnostics d;
    char list_file[400];
    char main_file[400];
    char *paths[] = {list_file};
    (void)state;
    write_file("m.conf",
               "lists = {\"d/*.conf\"}\nlist \"a.b\" {}\ndefaults { description = \"X\" }\n");
    write_file("d/x.conf", "list \"a.b\" {}\n");
    write_file("d/y.conf", "list \"a.b\" {\n");
    snprintf(list_file, sizeof list_file, "%s", path_of("d/x.conf"));
    snprintf(main_file, sizeof main_file, "%s", path_of("m.conf"));

    diagnostics_init(&d);
    struct settings *s = settings_load_files(main_file, paths, 1, &d);
    assert_non_null(s);
    assert_int_equal(s->index.count, 1);
    check_text("List-Id", "X <a.b>", field_of(s->index.lists[0], FIELD_LIST_ID));
    settings_free(s);
    s = settings_load_files(NULL, paths, 1, &d);
    assert_non_null(s);
    check_text("List-Id", "<a.b>", field_of(s->index.lists[0], FIELD_LIST_ID));
    check_end();
    settings_free(s);
    snprintf(list_file, sizeof list_file, "%s", path_of("d/y.conf"));
    assert_null(settings_load_files(NULL, paths, 1, &d));
    assert_int_equal(d.errors, 1);
    diagnostics_free(&d);
    settings_free(NULL);
}

/* libConfuse is told of a key when a file first uses it: values and lines must stay with their
 * keys, whatever keys the files before had. */
static void test_keys_of_each_file(void **state)
{
    (void)state;
    write_file("m.conf", "lists = {\"d/*.conf\"}\ndefaults { post = {\"NO\"} }\n");
    write_file("d/a.conf", "list \"a.x\" { owner = {\"mailto:o@x.example\"} }\n");
    write_file("d/b.conf",
               "list \"b.x\" { archive = {\"https://x.example/b\"}\n"
               "description = \"B\" }\nlist \"c.x\" { owner = {\"mailto:c@x.example\"} }");
    write_file("d/c.conf", "list \"d.x\" { honor_no_archive = no\n address = \"d@x.example\" }\n");
    struct loaded l = load("m.conf", SETTINGS_ALL);
    assert_non_null(l.settings);
    static const struct {
        const char *list_id, *owner, *archive, *address;
    } rows[] = {
        {"<a.x>", "<mailto:o@x.example>", "", ""},
        {"B <b.x>", "", "<https://x.example/b>", ""},
        {"<c.x>", "<mailto:c@x.example>", "", ""},
        {"<d.x>", "", "", "d@x.example"},
    };
    assert_int_equal(l.settings->index.count, CHECK_COUNT(rows));
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        const struct list *list = l.settings->index.lists[i];
        check_row(rows[i].list_id);
        check_text("List-Id", rows[i].list_id, field_of(list, FIELD_LIST_ID));
        check_text("List-Owner", rows[i].owner, field_of(list, FIELD_LIST_OWNER));
        check_text("List-Archive", rows[i].archive, field_of(list, FIELD_LIST_ARCHIVE));
        check_text("List-Post", "NO", field_of(list, FIELD_LIST_POST));
        check_text("address", rows[i].address, list->address);
        check_bool("honor_no_archive", i != 3, list->honor_no_archive);
    }
    check_end();
    loaded_free(&l);
    write_file("d/d.conf", "list \"e.x\" {\n owner = {\"mailto:o@x.example\",\n"
                           "\"no uri\"} subscribe = {\"mailto:s@x.example\",\n\n\"none\"} }\n");
    expect("d.conf:3: owner: \"no uri\"", "m.conf");
    expect("d.conf:5: subscribe: \"none\"", "m.conf");
}

/* A file with an error must not spoil the reading of the next: libConfuse's lexer is global. */
static void test_after_an_error(void **state)
{
    (void)state;
    write_file("m.conf", "lists = {\"d/*.conf\"}\n");
    write_file("d/a.conf", "list \"a.x\" { help = {\"mailto:a@b.c }\n");
    write_file("d/b.conf", "list \"b.x\" { help = {\"x\"} }\n");
    expect("a.conf:1: help: a quote", "m.conf");
    expect("b.conf:1: help: \"x\" lacks a scheme", "m.conf");
    write_file("d/a.conf", "list \"a.x\" {}\n");
    write_file("d/b.conf", "list \"b.x\" {}\n");
    struct loaded l = load("m.conf", SETTINGS_ALL);
    assert_non_null(l.settings);
    assert_int_equal(l.settings->index.count, 2);
    loaded_free(&l);
}

int main(void)
{
#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)
    const struct CMUnitTest tests[] = {
        IN_FOLDER(test_patterns),
        IN_FOLDER(test_wrong_files),
        IN_FOLDER(test_unreadable_folder),
        IN_FOLDER(test_list_files_alone),
        IN_FOLDER(test_keys_of_each_file),
        IN_FOLDER(test_after_an_error),
        IN_FOLDER(test_folder_as_list_file),
        IN_FOLDER(test_order_of_files),
        IN_FOLDER(test_order_of_loads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

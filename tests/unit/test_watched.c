/* Which paths a configuration is read from, which names matter for it, and when it has changed. */
#include "config_help.h"

#include "config/files/find_files.h"
#include "config/files/fingerprint.h"
#include "config/files/watched.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* What editors leave beside a file must not count (mlmilter.conf(5): watch). */
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
        check_bool(rows[i].component, rows[i].fits,
                   path_pattern_fits(rows[i].component, rows[i].name));
    }
    check_end();
}

static void save(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    assert_int_equal(chmod(path, 0600), 0);
}

static void write_paths(const struct settings *s, struct strbuf *out)
{
    for (const struct watched_path *path = s->watched.first; path != NULL; path = path->next)
        strbuf_addf(out, "%s\n", path->pattern);
}

/* The names are relative to the folder of the main file (RULINGS 60); nothing in that folder's own
 * name is a pattern; a delegate's patterns stand last, apart from what the administrator wrote. */
static void test_collected(void **state)
{
    static const char text[] = "lists = {\"lists.d/*.conf\", \"/srv/[ab]*/x.conf\"}\n"
                               "token_key_file = \"keys*\"\n"
                               "delegate \"a\" { files = {\"alice/*.conf\", \"/srv/b/one.conf\", "
                               "\"/s/c/*.conf\"} domains "
                               "= {\"a.example\"} }\n";
    struct diagnostics diagnostics;
    struct strbuf got = STRBUF_INIT;
    (void)state;
    char folder[] = "/tmp/test-watched-[x]-XXXXXX";
    char path[100], key[100];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/m.conf", folder);
    snprintf(key, sizeof key, "%s/keys*", folder);
    save(key, "0123456789abcdef\n");
    diagnostics_init(&diagnostics);
    struct settings *s = settings_load_text(path, span_cstr(text), &diagnostics);
    unlink(key);
    rmdir(folder);
    assert_non_null(s);
    assert_false(s->watch);
    write_paths(s, &got);
    char expected[1000], escaped[100];
    snprintf(escaped, sizeof escaped, "/tmp/test-watched-\\[x\\]-%s", folder + strlen(folder) - 6);
    snprintf(expected, sizeof expected,
             "%s/keys\\*\n%s/lists.d/*.conf\n/srv/[ab]*/x.conf\n%s/alice/*.conf\n"
             "/srv/b/one.conf\n/s/c/*.conf\n",
             escaped, escaped, escaped);
    assert_string_equal(strbuf_str(&got), expected);
    strbuf_free(&got);
    settings_free(s);
    diagnostics_free(&diagnostics);
}

static void test_fingerprint(void **state)
{
    struct fingerprint one, two;
    (void)state;
    fingerprint_init(&one);
    fingerprint_init(&two);
    assert_true(fingerprint_eq(&one, &two));
    fingerprint_add(&one, "a", span_cstr("x"));
    assert_false(fingerprint_eq(&one, &two));
    fingerprint_add(&two, "a", span_cstr("x"));
    assert_true(fingerprint_eq(&one, &two));
    fingerprint_add(&one, "b", span_cstr("y"));
    fingerprint_add(&two, "by", span_cstr(""));
    assert_false(fingerprint_eq(&one, &two));
    two = one;
    assert_true(fingerprint_eq(&one, &two));
}

static struct settings *load(const char *path, const struct settings *previous)
{
    const struct settings_request request = {.path = path, .previous = previous};
    struct diagnostics diagnostics;
    diagnostics_init(&diagnostics);
    struct settings *s = settings_load(&request, &diagnostics);
    diagnostics_free(&diagnostics);
    assert_non_null(s);
    return s;
}

/* What a file of each kind holds changes the fingerprint; a delegated file that is wrong leaves
 * what is in force, and so the fingerprint (RULINGS 73). */
static void test_changes(void **state)
{
    static const char good[] = "list \"g.a.example\" {}\n";
    static const struct {
        const char *file, *text;
        bool same;
    } rows[] = {
        {"list.conf", "list \"l.example.org\" {}\n", true},
        {"list.conf", "list \"l.example.org\" {} # a comment\n", false},
        {"list.conf", "list \"l.example.org\" {}\n", true},
        {"keys", "fedcba9876543210\n", false},
        {"keys", "0123456789abcdef\n# a comment\n", true},
        {"guest.dconf", "list {\n", true},
        {"guest.dconf", "list \"h.a.example\" {}\n", false},
        {"guest.dconf", good, true},
        {"new.conf", "", false},
    };
    char folder[] = "/tmp/test-watched-XXXXXX";
    char path[100], name[100];
    (void)state;
    if (watch_missing() != NULL) {
        check_skip(watch_missing());
        return;
    }
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/m.main", folder);
    save(path, "lists = {\"*.conf\"} token_key_file = \"keys\" watch = true\n"
               "token \"t\" { digest = sha1 of = \"{message_id}\" }\n"
               "delegate \"a\" { files = {\"*.dconf\"} domains = {\"a.example\"} }\n");
    const char *const files[][2] = {
        {"list.conf", rows[0].text}, {"keys", "0123456789abcdef\n"}, {"guest.dconf", good}};
    for (size_t i = 0; i < CHECK_COUNT(files); i++) {
        snprintf(name, sizeof name, "%s/%s", folder, files[i][0]);
        save(name, files[i][1]);
    }
    struct settings *first = load(path, NULL);
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        snprintf(name, sizeof name, "%s/%s", folder, rows[i].file);
        save(name, rows[i].text);
        struct settings *now = load(path, first);
        check_row(rows[i].text);
        check_bool(rows[i].file, rows[i].same,
                   fingerprint_eq(&first->fingerprint, &now->fingerprint));
        settings_free(now);
        unlink(name);
        for (size_t k = 0; k < CHECK_COUNT(files); k++)
            if (strcmp(files[k][0], rows[i].file) == 0)
                save(name, files[k][1]);
    }
    settings_free(first);
    for (size_t i = 0; i < CHECK_COUNT(files); i++) {
        snprintf(name, sizeof name, "%s/%s", folder, files[i][0]);
        unlink(name);
    }
    unlink(path);
    rmdir(folder);
    check_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fits),
        cmocka_unit_test(test_collected),
        cmocka_unit_test(test_fingerprint),
        cmocka_unit_test(test_changes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* config/settings_load: each request for memory is refused in turn, those to an arena too. The load
 * fails and says so, or it gives what it gives with all the memory it wants; where the memory was
 * for a delegated file, all but that file (RULINGS 87). */
#include "settings_help.h"

#include "arena_fail.h"

#define ENOUGH 20000 /* requests; a load makes some thousands */

/* The same as a text; "" when there are no settings. */
static void load_once(const struct settings_request *request, struct diagnostics *d,
                      struct strbuf *out)
{
    struct settings *settings = settings_load(request, d);
    int limit = alloc_limit;

    alloc_limit = 0; /* alloc_failed() is asked later */
    strbuf_reset(out);
    if (settings != NULL)
        describe(settings, out);
    settings_free(settings);
    alloc_limit = limit;
}

/* Does one delegated file, or its last good version, lack its memory, and nothing else? Then the
 * administrator's lists are the same. */
static bool is_one_file_short(const struct diagnostics *d, const struct strbuf *expected,
                              const struct strbuf *got)
{
    const char *file = NULL;
    for (size_t i = 0; i < d->count; i++) {
        if (d->items[i].severity != SEVERITY_DELEGATED ||
            (strstr(d->items[i].text, "needs more memory than there is; ") == NULL &&
             strstr(d->items[i].text, "; its lists are disabled") == NULL))
            continue;
        if (file != NULL)
            check_str("the file without memory", file, d->items[i].file);
        file = d->items[i].file;
    }
    if (file == NULL)
        return false;
    for (const char *line = strbuf_str(expected); line != NULL && *line != '\0';) {
        const char *end = strchr(line, '\n');
        char text[1000];
        snprintf(text, sizeof text, "%.*s", (int)(end - line + 1), line);
        if (strstr(text, ".example.org|") != NULL)
            check_bool(text, true, strstr(strbuf_str(got), text) != NULL);
        line = end + 1;
    }
    return true;
}

/* once: only the n-th is refused; else none is granted from it on. */
static void check_load(const struct settings_request *request, bool once)
{
    struct strbuf expected = STRBUF_INIT, got = STRBUF_INIT;
    struct diagnostics d;
    bool refused = true;
    size_t hints;
    int n, files_short = 0;

    diagnostics_init(&d);
    load_once(request, &d, &expected);
    hints = d.hints;
    diagnostics_free(&d);
    assert_true(strbuf_span(&expected).n > 0);
    for (n = 1; refused && n < ENOUGH; n++) {
        char text[60];

        diagnostics_init(&d);
        if (once)
            alloc_fail_once_at(n);
        else
            alloc_fail_at(n);
        load_once(request, &d, &got);
        refused = alloc_failed();
        alloc_fail_at(0);
        snprintf(text, sizeof text, "request %d, %s", n, once ? "once" : "for good");
        check_row(text);
        if (strbuf_span(&got).n == 0)
            check_bool("an error is told", true, diagnostics_has_errors(&d));
        else if (is_one_file_short(&d, &expected, &got))
            files_short++;
        else
            check_span("the same settings", strbuf_span(&expected), strbuf_span(&got));
        if (!diagnostics_has_errors(&d) && files_short == 0)
            check_int("hints", (long long)hints, (long long)d.hints);
        if (!refused)
            check_bool("it loads at last", true, strbuf_span(&got).n > 0);
        diagnostics_free(&d);
    }
    check_bool("memory was enough at last", false, refused);
    check_bool("many were refused", true, n > 500);
    check_bool("files alone, too", once, files_short > 100);
    strbuf_free(&expected);
    strbuf_free(&got);
}

static void test_load(void **state)
{
    (void)state;
    write_rich();
    const struct settings_request request = {.path = path_of("m.conf"), .extent = SETTINGS_ALL};
    check_load(&request, true);
    check_load(&request, false);
    check_end();
}

/* The reload falls back on the last good version of a file (RULINGS 73). */
static void test_reload(void **state)
{
    (void)state;
    write_rich();
    struct loaded first = load_main(NULL);
    assert_non_null(first.settings);
    write_file("a/wrong.conf", "list \"w.alice.example\" { colour = red }\n"
                               "list \"admin.example\" { }\n");
    write_file("own/y.conf", "list \"new.bob.example\" { }\n");
    const struct settings_request request = {
        .path = path_of("m.conf"), .extent = SETTINGS_ALL, .previous = first.settings};
    check_load(&request, true);
    check_load(&request, false);
    loaded_free(&first);
    check_end();
}

/* mlmilterctl check FILE: a list file alone, with the rights of the delegate whose file it is. */
static void test_files(void **state)
{
    bool refused = true;
    (void)state;
    write_rich();
    char *paths[] = {strdup(path_of("own/x.conf")), strdup(path_of("a/a.conf"))};
    char *main_file = strdup(path_of("m.conf"));
    for (int n = 1; refused && n < ENOUGH; n++) {
        struct diagnostics d;
        char text[40];
        diagnostics_init(&d);
        alloc_fail_once_at(n);
        struct settings *s = settings_load_files(main_file, paths, CHECK_COUNT(paths), &d);
        refused = alloc_failed();
        alloc_fail_at(0);
        snprintf(text, sizeof text, "request %d", n);
        check_row(text);
        if (s == NULL)
            check_bool("an error is told", true, diagnostics_has_errors(&d));
        else
            check_int("lists", 5, (int)s->index.count); /* not that of the main file */
        if (!refused)
            check_bool("it loads at last", true, s != NULL);
        settings_free(s);
        diagnostics_free(&d);
    }
    check_bool("memory was enough at last", false, refused);
    for (size_t i = 0; i < CHECK_COUNT(paths); i++)
        free(paths[i]);
    free(main_file);
    check_end();
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(test_load), TEST(test_reload), TEST(test_files)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}

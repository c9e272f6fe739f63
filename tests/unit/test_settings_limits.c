/* config/settings_load: many lists, changed octets, long values. */
#include "config_help.h"

#include <ctype.h>
#include <stdlib.h>
#include <time.h>

static const char good[] = "# comment\nlists = {}\ntrusted = {\"127.0.0.0/8\", \"local\"}\n"
                           "defaults { archived_at = {\"{archive}/{message_id_hash}\"} }\n"
                           "list \"announce.lists.example.org\" {\n"
                           "  description = \"Example \\\"announcements\\\" \xC3\xA4\"\n"
                           "  address     = \"announce@lists.example.org\"\n"
                           "  help = {\"mailto:announce-request@lists.example.org?subject=help\",\n"
                           "          'https://lists.example.org/help (more)'} /* c */\n"
                           "  unsubscribe = {\"https://u.example/?r={recipient}\"}\n"
                           "  post = {\"NO (closed)\"}\n"
                           "  archive     = {\"https://lists.example.org/announce/\"}\n"
                           "  keep = {List-Post} // c\n"
                           "  select = \"sender\" senders = {\"robot@{list_namespace}\"}\n"
                           "  command_addresses = {\"{address_local}-request@{address_domain}\"}\n"
                           "}\n";

/* Errors name the file and a line of it. */
static void check_places(const struct loaded *l, int lines)
{
    for (size_t i = 0; i < l->diagnostics.count; i++) {
        const struct diagnostic *item = &l->diagnostics.items[i];
        check_str("file", "/nowhere/t.conf", item->file);
        check_bool("line", true, item->line >= 1 && item->line <= lines);
    }
    check_bool("an error is told", l->settings == NULL, l->diagnostics.errors > 0);
}

/* A single changed octet gives an error that names file and line, or loads. */
static void test_mutations(void **state)
{
    static const char octets[] = "\"'{}\\\n#/*,= $x\x01\xff@<+;";
    char text[sizeof good];
    (void)state;
    for (size_t at = 0; at < sizeof good - 1; at++) {
        memcpy(text, good, at);
        memcpy(text + at, good + at + 1, sizeof good - 1 - at);
        struct loaded l = load_span(span_of(text, sizeof good - 2));
        check_row_span(span_sub(span_of(good, sizeof good - 1), at, 20));
        check_places(&l, 18);
        loaded_free(&l);
        for (size_t i = 0; i < sizeof octets; i++) { /* the NUL too */
            memcpy(text, good, sizeof good);
            text[at] = octets[i];
            l = load_span(span_of(text, sizeof good - 1));
            check_places(&l, 18);
            loaded_free(&l);
        }
    }
    check_end();
}

static void test_truncations(void **state)
{
    (void)state;
    for (size_t n = 0; n < sizeof good; n++) {
        char *text = malloc(n + 1); /* of its exact size, for the sanitizers */
        assert_non_null(text);
        memcpy(text, good, n);
        struct loaded l = load_span(span_of(text, n));
        check_row_span(span_of(text, n));
        check_places(&l, 18);
        loaded_free(&l);
        free(text);
    }
    check_end();
}

static void add_lists(struct strbuf *text, int count)
{
    for (int i = 0; i < count; i++)
        strbuf_addf(text,
                    "list \"list%d.lists.example.org\" {\n  description = \"List number %d\"\n"
                    "  address = \"list%d@lists.example.org\"\n"
                    "  help = {\"mailto:list%d-request@lists.example.org?subject=help\"}\n"
                    "  unsubscribe = {\"mailto:list%d-leave@lists.example.org\"}\n"
                    "  post = {\"mailto:list%d@lists.example.org\"}\n"
                    "  archive = {\"https://lists.example.org/list%d/\"}\n"
                    "  archived_at = {\"{archive}/{message_id_hash}\"}\n}\n",
                    i, i, i, i, i, i, i);
}

/* 0.2 s of a processor here, 4 s under valgrind; quadratic behaviour would take minutes. */
static void test_many_lists(void **state)
{
    const int count = 10000;
    struct strbuf text = STRBUF_INIT;
    clock_t begin;
    double seconds;
    (void)state;
    strbuf_add_str(&text, "lists = {}\n");
    add_lists(&text, count);
    begin = clock();
    struct loaded l = load_span(strbuf_span(&text));
    seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    assert_string_equal(strbuf_str(&l.messages), "");
    assert_int_equal(l.settings->index.count, count);
    assert_non_null(list_by_id(&l.settings->index, span_cstr("list9999.lists.example.org")));
    assert_non_null(list_by_address(&l.settings->index, span_cstr("list0@lists.example.org")));
    if (seconds > 10.0)
        fail_msg("10,000 lists took %.1f s", seconds);
    assert_true(l.settings->arena.used / (size_t)count < 900);
    loaded_free(&l);
    strbuf_free(&text);
}

/* One mistake in many lists: told at most DIAGNOSTICS_KEPT times, and in linear time. */
static void test_many_errors(void **state)
{
    struct strbuf text = STRBUF_INIT;
    (void)state;
    strbuf_add_str(&text, "lists = {} defaults { help = {\"mailto:{address}\"} }\n");
    for (int i = 0; i < 10000; i++)
        strbuf_addf(&text, "list \"a%d.b\" {}\nlist \"a%d.b\" {}\n", i, i);
    struct loaded l = load_span(strbuf_span(&text));
    assert_null(l.settings);
    assert_int_equal(l.diagnostics.errors, 20000);
    assert_int_equal(l.diagnostics.count, DIAGNOSTICS_KEPT);
    loaded_free(&l);
    strbuf_free(&text);
}

/* RULINGS 87: so many values of each key in a list, and no limit in the defaults. */
static void test_many_values(void **state)
{
    static const struct {
        const char *key, *before, *after; /* of a number */
        int most;
    } rows[] = {
        {"archived_at", "https://x.example/", "/{day}", 32},
        {"help", "mailto:h", "@x.example", 100},
        {"senders", "s", "@x.example", 100},
        {"aliases", "i", "@x.example", 100},
        {"command_addresses", "from:c", "@x.example", 100},
        {"keep", NULL, NULL, 100},
        {"parent_sources", "192.0.2.", "", 100},
        {"parents", "p", ".x.example", 1000},
    };
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++)
        for (int more = 0; more < 3;
             more++) { /* as many as may be, one more, the same in defaults */
            bool in_defaults = more == 2 && strcmp(rows[i].key, "parents") != 0;
            struct strbuf text = STRBUF_INIT;
            strbuf_addf(&text, "lists = {}\n%s {\n%s = {",
                        in_defaults ? "defaults" : "list \"a.b\"", rows[i].key);
            for (int k = 0; k < rows[i].most + (more > 0); k++) {
                if (rows[i].before == NULL)
                    strbuf_add_str(&text, "\"List-Post\",\n");
                else
                    strbuf_addf(&text, "\"%s%d%s\",\n", rows[i].before, k, rows[i].after);
            }
            strbuf_addf(&text, "} %s }\n%s",
                        strcmp(rows[i].key, "senders") == 0 ? "select = sender" : "",
                        in_defaults ? "list \"a.b\" {}\n" : "");
            struct loaded l = load_span(strbuf_span(&text));
            const struct row row = {"", "3: ", "too many"};
            check_row(rows[i].key);
            check_bool("loads", more == 0 || in_defaults, l.settings != NULL);
            if (l.settings == NULL && rows[i].most < 1000)
                check_bool("is told", true, has_message(&l, &row));
            loaded_free(&l);
            strbuf_free(&text);
        }
    check_end();
}

/* AT-09: no line over 998 octets; values of any length */
static void test_long_values(void **state)
{
    static const struct {
        const char *before, *after, *key;
    } rows[] = {
        {"help = {\"https://x.example/", "\"}", "help"},
        {"help = {\"https://x.example/{list_id}", " (c)\"}", "help"},
        {"archived_at = {\"https://x.example/{message_id}", "\"}", "archived_at"},
        {"unsubscribe = {\"https://x.example/{recipient}", "\"}", "unsubscribe"},
        {"description = \"", "\"", "description"},
        {"address = \"x@", "\"", "address"},
        {"keep = {\"", "\"}", "keep"},
        {"", " = 3", "aaaa"},
        {"help = {", "}", "help"},
    };
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        struct strbuf text = STRBUF_INIT;
        strbuf_addf(&text, "lists = {}\nlist \"a.b\" {\n%s", rows[i].before);
        for (int k = 0; k < 16000; k++)
            strbuf_add_char(&text, 'a');
        strbuf_addf(&text, "%s\n}\n", rows[i].after);
        struct loaded l = load_span(strbuf_span(&text));
        char begin[100];
        snprintf(begin, sizeof begin, "/nowhere/t.conf:3: %s", rows[i].key);
        check_row(rows[i].before);
        check_bool("refused", true, l.settings == NULL);
        check_bool("place", true, span_starts_nocase(strbuf_span(&l.messages), span_cstr(begin)));
        check_bool("short", true, strbuf_span(&l.messages).n < 1000);
        loaded_free(&l);
        strbuf_free(&text);
    }
    check_end();
}

/* libConfuse takes quadratic time for a text; each of a delegate's files could have a long one. So
 * a line has a limit (RULINGS 108). */
static void test_long_line(void **state)
{
    static const size_t sizes[] = {16384 - 31, 16384 - 30, 500000};
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(sizes); i++) {
        struct strbuf text = STRBUF_INIT;
        struct loaded l;
        strbuf_add_str(&text, "lists = {}\nlist \"a.b\" { description = \"");
        for (size_t n = 0; n < sizes[i]; n++)
            strbuf_add_char(&text, n % 60 == 59 ? ' ' : 'x');
        strbuf_add_str(&text, "\" }\n");
        l = load_text(strbuf_str(&text));
        check_row(i == 0 ? "as long as may be" : "longer");
        check_bool("a line that is too long", i > 0,
                   strstr(strbuf_str(&l.messages), "this line is too long") != NULL);
        check_bool("settings", i == 0, l.settings != NULL);
        loaded_free(&l);
        strbuf_free(&text);
    }
    check_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mutations),   cmocka_unit_test(test_truncations),
        cmocka_unit_test(test_many_lists),  cmocka_unit_test(test_many_errors),
        cmocka_unit_test(test_long_values), cmocka_unit_test(test_many_values),
        cmocka_unit_test(test_long_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

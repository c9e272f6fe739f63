/* config/load: changed bytes, many lists, many and long values, and hints that many lists share. */
#include "config_help.h"

#include "config/read/schema.h"
#include "mail/field_check.h"

#include <time.h>

static struct loaded load_span(struct span text)
{
    return load_request(&(struct settings_request){.path = "/nowhere/t.conf", .text = text});
}

static struct loaded load_buffer(struct strbuf *text)
{
    struct loaded l = load_span(strbuf_span(text));
    strbuf_free(text);
    return l;
}

static const char good[] = "# comment\nlists = {}\ntrusted = {\"127.0.0.0/8\", \"local\"}\n"
                           "defaults { archived_at = {\"{archive}/{message_id_hash}\"} }\n"
                           "list \"announce.lists.example.org\" {\n"
                           "  description = \"Example \\\"announcements\\\" \xC3\xA4\"\n"
                           "  address     = \"announce@lists.example.org\"\n"
                           "  help = {\"mailto:announce-request@lists.example.org?subject=help\",\n"
                           "          'https://lists.example.org/help (more)'} # c\n"
                           "  unsubscribe = {\"https://u.example/?r={recipient}\"}\n"
                           "  post = {\"NO (closed)\"}\n"
                           "  archive     = {\"https://lists.example.org/announce/\"}\n"
                           "  keep = {List-Post} // c\n"
                           "  select = \"sender\" senders = {\"robot@{list_namespace}\"}\n"
                           "  command_addresses = {\"{address_local}-request@{address_domain}\"}\n"
                           "}\n";

/* Loads, or gives errors that name the file and a line of it. */
static void check_span_loads(struct span text)
{
    struct loaded l = load_span(text);
    for (size_t i = 0; i < l.diagnostics.count; i++) {
        const struct diagnostic *item = &l.diagnostics.items[i];
        check_str("file", "/nowhere/t.conf", item->file);
        check_bool("line", true, item->line >= 1 && item->line <= 18);
    }
    check_bool("an error is reported", l.settings == NULL, l.diagnostics.errors > 0);
    loaded_free(&l);
}

static void test_mutations(void **state)
{
    static const char octets[] = "\"'{}\\\n#/*,= $x\x01\xff@<+;"; /* and NUL */
    char text[sizeof good];
    (void)state;
    for (size_t at = 0; at < sizeof good - 1; at++) {
        check_row_span(span_sub(span_of(good, sizeof good - 1), at, 20));
        memcpy(text, good, at);
        memcpy(text + at, good + at + 1, sizeof good - 1 - at);
        check_span_loads(span_of(text, sizeof good - 2));
        for (size_t i = 0; i < sizeof octets; i++) {
            memcpy(text, good, sizeof good);
            text[at] = octets[i];
            check_span_loads(span_of(text, sizeof good - 1));
        }
    }
    for (size_t n = 0; n < sizeof good; n++) {
        char *cut = malloc(n + 1); /* of its exact size, for the sanitizers */
        assert_non_null(cut);
        memcpy(cut, good, n);
        check_row_span(span_of(cut, n));
        check_span_loads(span_of(cut, n));
        free(cut);
    }
    check_end();
}

/* 0.1 s of a processor here, 4 s under valgrind; quadratic behaviour would take minutes. */
static void test_many_lists(void **state)
{
    const int count = 10000;
    struct strbuf text = STRBUF_INIT;
    (void)state;
    strbuf_add_str(&text, "lists = {}\ndefaults { owner = {\"mailto:{list_label}@x.y\"} }\n");
    for (int i = 0; i < count; i++)
        strbuf_addf(&text,
                    "list \"list%d.lists.example.org\" {\n  description = \"List number %d\"\n"
                    "  address = \"list%d@lists.example.org\"\n"
                    "  help = {\"mailto:list%d-request@lists.example.org?subject=help\"}\n"
                    "  unsubscribe = {\"mailto:list%d-leave@lists.example.org\"}\n"
                    "  post = {\"mailto:list%d@lists.example.org\"}\n"
                    "  archive = {\"https://lists.example.org/list%d/\"}\n"
                    "  archived_at = {\"{archive}/{message_id_hash}\"}\n}\n",
                    i, i, i, i, i, i, i);
    clock_t begin = clock();
    struct loaded l = load_buffer(&text);
    double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    assert_string_equal(strbuf_str(&l.messages), "");
    assert_int_equal(l.settings->index.count, count);
    assert_true(has_list(&l, "list9999.lists.example.org"));
    assert_non_null(
        list_get(&l.settings->index, LIST_BY_ADDRESS, span_cstr("list0@lists.example.org")));
    if (seconds > 10.0)
        fail_msg("10,000 lists took %.1f s", seconds);
    if (l.settings->arena.used / (size_t)count > 1300)
        fail_msg("a list takes %zu bytes", l.settings->arena.used / (size_t)count);
    loaded_free(&l);
}

/* Lists that take their texts from the defaults share them, and parents. */
static void test_shared_texts(void **state)
{
    const int count = 10000;
    struct strbuf text = STRBUF_INIT;
    (void)state;
    strbuf_add_str(&text,
                   "lists = {}\ndefaults { owner = {\"mailto:{list_label}@x.y\"} parents = {x.y} "
                   "help = {\"mailto:help@x.y\"} archive = {\"https://x.y/{list_id}\"} }\n");
    for (int i = 0; i < count; i++)
        strbuf_addf(&text, "list \"l%d.example\" { description = \"D\" }\n", i);
    struct loaded l = load_buffer(&text);
    const struct list *first = list_number(&l, 0), *last = list_number(&l, (size_t)count - 1);
    assert_ptr_equal(first->texts, last->texts);
    assert_ptr_equal(first->nesting, last->nesting);
    if (l.settings->arena.used / (size_t)count > 220)
        fail_msg("a list takes %zu bytes", l.settings->arena.used / (size_t)count);
    loaded_free(&l);
}

/* One mistake in many lists is reported at most DIAGNOSTICS_KEPT times, and in linear time. */
static void test_many_errors(void **state)
{
    struct strbuf text = STRBUF_INIT;
    (void)state;
    strbuf_add_str(&text, "lists = {} defaults { help = {\"mailto:{address}\"} }\n");
    for (int i = 0; i < 10000; i++)
        strbuf_addf(&text, "list \"a%d.b\" {}\nlist \"a%d.b\" {}\n", i, i);
    struct loaded l = load_buffer(&text);
    assert_null(l.settings);
    assert_int_equal(l.diagnostics.errors, 20000);
    assert_int_equal(l.diagnostics.count, DIAGNOSTICS_KEPT);
    loaded_free(&l);

    /* of an error in a text of the defaults, one is enough */
    strbuf_add_str(&text, "lists = {} defaults { description = \"{list_id} \xC3\xA4 {address}\" "
                          "aliases = {\"{list_id}\", \"@\"} address = \"a@{list_id}\" }\n");
    for (int i = 0; i < 100; i++)
        strbuf_addf(&text, "list \"a%d.b\" { }\n", i);
    l = load_buffer(&text);
    assert_int_equal(l.diagnostics.errors, 1);
    loaded_free(&l);
}

/* RULINGS 87: so many values of each key in a list, and no limit in the defaults. */
static void test_many_values(void **state)
{
    static const struct {
        const char *key, *before, *after; /* of a number */
        int most;
        const char *more;
    } rows[] = {
        {"archived_at", "https://x.example/", "/{day}", 32, ""},
        {"help", "mailto:h", "@x.example", 100, ""},
        {"senders", "s", "@x.example", 100, "select = sender"},
        {"aliases", "i", "@x.example", 100, ""},
        {"command_addresses", "from:c", "@x.example", 100, ""},
        {"parent_sources", "192.0.2.", "", 100, ""},
        {"parents", "p", ".x.example", 1000, ""},
    };
    static const char *const sections[] = {"list \"a.b\"", "list \"a.b\"", "defaults"};
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++)
        for (int more = 0; more < 3; more++) { /* as many as may be, one more, in the defaults */
            struct strbuf text = STRBUF_INIT;
            strbuf_addf(&text, "lists = {}\n%s { %s\n%s = {", sections[more], rows[i].more,
                        rows[i].key);
            for (int k = 0; k < rows[i].most + (more > 0); k++)
                strbuf_addf(&text, "\"%s%d%s\",\n", rows[i].before, k, rows[i].after);
            strbuf_addf(&text, "} }\n%s", more == 2 ? "list \"a.b\" { }\n" : "");
            struct loaded l = load_buffer(&text);
            check_row(rows[i].key);
            check_bool(strbuf_str(&l.messages), more != 1, l.settings != NULL);
            if (more == 1)
                check_says(&l, "t.conf:3: ");
            if (more == 1)
                check_says(&l, ": has too many values (expected at most ");
            loaded_free(&l);
        }
    check_end();
}

static void add_letters(struct strbuf *text, int count)
{
    for (int k = 0; k < count; k++)
        strbuf_add_char(text, 'a');
}

/* AT-09: no line over 998 bytes; values of any length */
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
        char begin[100];
        strbuf_addf(&text, "lists = {}\nlist \"a.b\" {\n%s", rows[i].before);
        add_letters(&text, 16000);
        strbuf_addf(&text, "%s\n}\n", rows[i].after);
        struct loaded l = load_buffer(&text);
        snprintf(begin, sizeof begin, "/nowhere/t.conf:3: %s", rows[i].key);
        check_row(rows[i].before);
        check_bool("refused", true, l.settings == NULL);
        check_says(&l, begin);
        check_bool("short", true, l.messages.len < 1000);
        loaded_free(&l);
    }
    check_end();
}

/* A description is measured with its variables; all lists with select = "sender" share a number of
 * senders with "*" (RULINGS 113, 117). */
static void test_shared_limits(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct strbuf text = STRBUF_INIT;
        strbuf_add_str(&text, "lists = {}\nlist \"a.b\" { description = \"{list_id}");
        add_letters(&text, 897 + i);
        strbuf_add_str(&text, "\" }\n");
        for (int list = 0; list < 10 + i; list++) {
            strbuf_addf(&text, "list \"l%d.b\" { select = sender senders = {", list);
            for (int k = 0; k < 100; k++)
                strbuf_addf(&text, "%s\"s%d-%d*@x.example\"", k > 0 ? ", " : "", list, k);
            strbuf_add_str(&text, "} }\n");
        }
        struct loaded l = load_buffer(&text);
        check_row(i == 0 ? "as much as may be" : "more");
        check_int("errors", i == 0 ? 0 : 101, (long)l.diagnostics.errors);
        if (i > 0)
            check_says(&l,
                       "t.conf:13: senders: \"s10-99*@x.example\" is one \"*\" too many "
                       "(expected at most 1000 senders with \"*\" in all lists of an owner with "
                       "select = \"sender\")");
        if (i > 0)
            check_says(&l, " is too long (expected at most 900 bytes, with the values of its "
                           "variables)");
        loaded_free(&l);
    }
    check_end();
}

/* libConfuse takes quadratic time for a text; each of a delegate's files could have a long one. So
 * a line has a limit (RULINGS 108). */
static void test_long_line(void **state)
{
    static const int sizes[] = {16384 - 16, 16384 - 15, 500000};
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(sizes); i++) {
        struct strbuf text = STRBUF_INIT;
        strbuf_add_str(&text, "lists = {}\nlist \"a.b\" {} # ");
        for (int n = 0; n < sizes[i]; n++)
            strbuf_add_char(&text, n % 60 == 59 ? ' ' : 'x');
        strbuf_add_str(&text, "\n");
        struct loaded l = load_buffer(&text);
        check_row(i == 0 ? "as long as may be" : "longer");
        check_bool("loads", i == 0, l.settings != NULL);
        if (i > 0)
            check_says(&l, "t.conf:2: this line is too long (expected at most 16384 bytes)");
        loaded_free(&l);
    }
    check_end();
}

/* Of a hint that lists share there are five lines, or one for the defaults, and the number of all
 * others (RULINGS 84). */
static void test_shared_hints(void **state)
{
#define HINT  "t.conf:2: hint: help: \"htps:x\" has a scheme that is not known"
#define WRONG "help = {\"htps:x\", \"htps:y\"} "
    static const struct {
        const char *defaults, *list;
        int lists, hints, lines;
        const char *end;
    } rows[] = {
        {"", WRONG, 2, 4, 4, "or \"mailto:\")\n"},
        {"", WRONG, 3, 6, 5, " (and 1 more)\n"},
        {"", WRONG, 1000, 2000, 5, " (and 1995 more)\n"},
        {"defaults { " WRONG "}\n", "", 6, 12, 1, "takes it from the defaults (and 11 more)\n"},
    };
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        struct strbuf text = STRBUF_INIT;
        strbuf_addf(&text, "lists = {}\n%s", rows[i].defaults);
        for (int k = 0; k < rows[i].lists; k++)
            strbuf_addf(&text,
                        "list \"l%d.b\" { address = \"\" description = \"\" unsubscribe = {} "
                        "select = sender senders = {\"%d@x.y\"} %s}\n",
                        k, k, rows[i].list);
        struct loaded l = load_buffer(&text);
        check_row(rows[i].end);
        check_int(strbuf_str(&l.messages), rows[i].hints, (long long)l.diagnostics.hints);
        check_int("lines", rows[i].lines, (long long)l.diagnostics.count);
        check_says(&l, HINT);
        check_says(&l, rows[i].end);
        loaded_free(&l);
    }
    check_end();
}

/* The daemon computes no hints. */
static void test_without_hints(void **state)
{
    struct diagnostics d;
    (void)state;
    diagnostics_init(&d);
    struct settings *settings = settings_load(
        &(struct settings_request){
            .path = "t.conf",
            .text =
                span_cstr("lists = {} socket_mode = 0666 list \"a.b\" { parents = {\"x\"} }\n")},
        &d);
    assert_non_null(settings);
    assert_int_equal(d.count + d.hints, 0);
    settings_free(settings);
    diagnostics_free(&d);
}

/* Lists do not check the texts of their manager: they are right with every address. */
static void test_manager_texts(void **state)
{
    const char *const *managers = schema[KEY_MANAGER].choices;
    static const char *const parts[] = {"\xC3\xA9", "x?&#=/", "^"}; /* of the local part */
    (void)state;
    for (size_t i = 0; i < MANAGER_COUNT * CHECK_COUNT(parts); i++) {
        struct strbuf text = STRBUF_INIT, local = STRBUF_INIT;
        struct arena arena;
        struct variable_values values = {.set = 0};
        while (local.len < 228)
            strbuf_add_str(&local, parts[i / MANAGER_COUNT]);
        strbuf_addf(&text, "lists = {} list 'a.b' { manager = %s address = '%s@b.example' }",
                    managers[i % MANAGER_COUNT], strbuf_str(&local));
        check_row(strbuf_str(&text));
        struct loaded l = load_buffer(&text);
        assert_non_null(l.settings);
        arena_init(&arena, 0);
        list_variables(list_number(&l, 0), &values);
        for (enum field_name name = FIELD_LIST_HELP; name <= LIST_LAST_FIELD; name++) {
            struct span value =
                span_cstr(list_field_value(list_number(&l, 0), name, &values, &arena));
            if (value.n > 0)
                check_int("fault", FIELD_FINE,
                          field_check(span_cstr(field_name_text(name)), value));
        }
        arena_free(&arena);
        strbuf_free(&local);
        loaded_free(&l);
    }
    check_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mutations),     cmocka_unit_test(test_many_lists),
        cmocka_unit_test(test_shared_texts),  cmocka_unit_test(test_many_errors),
        cmocka_unit_test(test_many_values),   cmocka_unit_test(test_long_values),
        cmocka_unit_test(test_long_line),     cmocka_unit_test(test_shared_limits),
        cmocka_unit_test(test_shared_hints),  cmocka_unit_test(test_without_hints),
        cmocka_unit_test(test_manager_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* config/load, besides the rows of settings.txt: changed bytes, the time and memory of many lists,
 * the texts of list managers. */
#include "config_help.h"
#include "table.h"

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

/* Loads 10,000 lists: 0.1 s of a processor here, 4 s under valgrind; quadratic behaviour would take
 * minutes. */
static void test_many_lists(void **state)
{
    static const struct {
        const char *text;
        size_t most; /* bytes that a list takes */
    } rows[] = {
        {"lists = {}\ndefaults { owner = {\"mailto:{list_label}@x.y\"} }\n"
         "\\[10000 list \"l\\#.l.example\" { description = \"List number \\#\" address = "
         "\"l\\#@l.example\"\n"
         "help = {\"mailto:l\\#-request@l.example?subject=help\"}\n"
         "unsubscribe = {\"mailto:l\\#-leave@l.example\"} post = {\"mailto:l\\#@l.example\"}\n"
         "archive = {\"https://l.example/l\\#/\"} archived_at = {\"{archive}/{message_id_hash}\"} "
         "}\n]",
         1300},
        /* texts that lists take from the defaults are shared, and parents */
        {"lists = {}\ndefaults { owner = {\"mailto:{list_label}@x.y\"} parents = {x.y} "
         "help = {\"mailto:help@x.y\"} archive = {\"https://x.y/{list_id}\"} }\n"
         "\\[10000 list \"l\\#.l.example\" { description = \"D\" }\n]",
         220},
    };
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        struct strbuf text = STRBUF_INIT;
        table_unescape(span_cstr(rows[i].text), &text);
        clock_t begin = clock();
        struct loaded l = load_buffer(&text);
        check_bool("10 seconds", true, clock() - begin < 10 * CLOCKS_PER_SEC);
        check_int("lists", 10000, list_count(&l));
        check_bool("the last", true, has_list(&l, "l9999.l.example"));
        check_bool("memory", true, l.settings->arena.used / 10000 <= rows[i].most);
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
        cmocka_unit_test(test_mutations),
        cmocka_unit_test(test_many_lists),
        cmocka_unit_test(test_without_hints),
        cmocka_unit_test(test_manager_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

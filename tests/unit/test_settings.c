/* config/settings_load with right configurations: defaults, values, lists, templates. */
#include "config_help.h"

#include "spec/owned_fields.h"

static const struct list *only_list(const struct loaded *l)
{
    if (l->settings == NULL)
        print_error("%s", strbuf_str(&l->messages));
    assert_non_null(l->settings);
    assert_true(l->settings->index.count > 0);
    return l->settings->index.lists[0];
}

/* mlmilter.conf(5): every built-in default */
static void test_built_in_defaults(void **state)
{
    struct loaded l = load_text("lists = {} list \"a.b\" {}");
    const struct list *list = only_list(&l);
    const struct settings *s = l.settings;
    (void)state;
    assert_string_equal(s->socket, "unix:" MLMILTER_RUNSTATEDIR "/mlmilter/mlmilter.sock");
    assert_string_equal(s->pid_file, MLMILTER_RUNSTATEDIR "/mlmilter/mlmilter.pid");
    assert_null(s->metrics);
    assert_string_equal(s->user, "mlmilter");
    assert_false(s->user_is_set);
    assert_null(s->socket_group);
    assert_int_equal(s->socket_mode, 0660);
    assert_int_equal(s->syslog_facility, FACILITY_MAIL);
    assert_false(s->dry_run);
    assert_int_equal(list->select, SELECT_LIST_ID);
    assert_int_equal(list->missing_message_id, MISSING_ADD);
    assert_int_equal(list->duplicate_message_id, DUPLICATE_FIRST);
    assert_int_equal(list->crosspost, CROSSPOST_DEFER);
    assert_true(list->message_id_hash);
    assert_true(list->honor_no_archive);
    assert_int_equal(list->keep, 0);
    assert_int_equal(archived_at_count(list), 0);
    assert_int_equal(list->command_address_count, 0);
    check_text("List-Id", "<a.b>", field_of(list, FIELD_LIST_ID));
    check_text("List-Help", "", field_of(list, FIELD_LIST_HELP));
    check_text("no field of a list", "", field_of(list, FIELD_SUBJECT));
    check_end();

    static const struct {
        const char *address;
        bool trusted;
    } clients[] = {{"127.0.0.1", true}, {"127.9.9.9", true}, {"::1", true}, {"192.0.2.1", false}};
    for (size_t i = 0; i < CHECK_COUNT(clients); i++) {
        struct client client = {.has_address = true};
        assert_true(trust_address_parse(span_cstr(clients[i].address), &client.address));
        assert_int_equal(trust_matches(&s->trusted, &client), clients[i].trusted);
    }
    struct client local = {.local = true};
    assert_true(trust_matches(&s->trusted, &local));
    loaded_free(&l);
}

/* settings.h and daemon/log.c count on the order. */
static void test_facilities(void **state)
{
    static const char *const names[FACILITY_COUNT + 1] = {
        [FACILITY_MAIL] = "mail",     [FACILITY_DAEMON] = "daemon", [FACILITY_LOCAL0] = "local0",
        [FACILITY_LOCAL1] = "local1", [FACILITY_LOCAL2] = "local2", [FACILITY_LOCAL3] = "local3",
        [FACILITY_LOCAL4] = "local4", [FACILITY_LOCAL5] = "local5", [FACILITY_LOCAL6] = "local6",
        [FACILITY_LOCAL7] = "local7", [FACILITY_USER] = "user",     [FACILITY_AUTH] = "auth",
        [FACILITY_SYSLOG] = "syslog",
    };
    (void)state;
    for (int i = 0; i < FACILITY_COUNT; i++)
        assert_string_equal(schema[KEY_SYSLOG_FACILITY].choices[i], names[i]);
    assert_null(schema[KEY_SYSLOG_FACILITY].choices[FACILITY_COUNT]);
}

static void test_main_keys(void **state)
{
    struct loaded l =
        load_text("socket = \"inet:8894@127.0.0.1\"\nlists = {}\n"
                  "trusted = {\"192.0.2.0/24\"} user = root socket_group = 'postfix'\n"
                  "socket_mode = \"0600\" pid_file = \"/x/y.pid\"\n"
                  "syslog_facility = LOCAL3 dry_run = yes\n"
                  "watch = off");
    const struct settings *s = l.settings;
    (void)state;
    assert_non_null(s);
    assert_int_equal(l.diagnostics.count, 0);
    assert_string_equal(s->socket, "inet:8894@127.0.0.1");
    assert_string_equal(s->user, "root");
    assert_false(s->watch);
    assert_true(s->user_is_set);
    assert_string_equal(s->socket_group, "postfix");
    assert_int_equal(s->socket_mode, 0600);
    assert_string_equal(s->pid_file, "/x/y.pid");
    assert_int_equal(s->syslog_facility, FACILITY_LOCAL3);
    assert_true(s->dry_run);
    struct client local = {.local = true}; /* setting `trusted` replaces the default */
    assert_false(trust_matches(&s->trusted, &local));
    loaded_free(&l);
}

static struct loaded load_named(const char *name, const char *text)
{
    struct loaded l;
    diagnostics_init(&l.diagnostics);
    l.settings = settings_load_text(name, span_cstr(text), &l.diagnostics);
    loaded_finish(&l);
    return l;
}

/* RULINGS 60: relative names are relative to the folder of the file that names them. */
static void test_relative_names(void **state)
{
    static const struct {
        const char *file, *socket, *resolved_socket, *pid_file, *resolved_pid_file;
    } rows[] = {
        {"/a/b/m.conf", "unix:run/s", "unix:/a/b/run/s", "run/p", "/a/b/run/p"},
        {"/a/b/m.conf", "local:s", "local:/a/b/s", "../p", "/a/b/../p"},
        {"/m.conf", "unix:s", "unix:/s", "p", "/p"},
        {"c/m.conf", "unix:s", "unix:c/s", "p", "c/p"},
        {"m.conf", "unix:run/s", "unix:run/s", "run/p", "run/p"},
        {"/a/m.conf", "unix:/r/s", "unix:/r/s", "/r/p", "/r/p"},
        {"/a/m.conf", "local:/r/s", "local:/r/s", "/r/p", "/r/p"},
        {"/a/m.conf", "/r/s", "/r/s", "//p", "//p"},
        {"/a/m.conf", "inet:8894@h", "inet:8894@h", "p:q", "/a/p:q"},
        {"/a/m.conf", "inet6:8894@::1", "inet6:8894@::1", "unix:p", "/a/unix:p"},
    };
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        char text[200], metrics[100];
        snprintf(text, sizeof text, "lists = {} socket = '%s' pid_file = '%s' metrics = '%s.m'",
                 rows[i].socket, rows[i].pid_file, rows[i].pid_file);
        snprintf(metrics, sizeof metrics, "%s.m", rows[i].resolved_pid_file);
        struct loaded l = load_named(rows[i].file, text);
        check_row(text);
        if (check_bool("loads", true, l.settings != NULL)) {
            check_str("socket", rows[i].resolved_socket, l.settings->socket);
            check_str("pid_file", rows[i].resolved_pid_file, l.settings->pid_file);
            check_str("metrics", metrics, l.settings->metrics);
        }
        loaded_free(&l);
    }
    check_end();
}

/* The path of a socket counts with its folder: 107 octets, and a NUL. */
static void test_socket_length(void **state)
{
    static const struct {
        int folder, path;
        const char *message;
    } rows[] = {
        {100, 6, ""},
        {100, 7, "too long for a socket with the folder of this file before it"},
        {0, 108, "too long for a socket (expected at most 107 octets)"},
        {200, -107, ""}, /* absolute: the folder does not count */
        {200, -108, "too long for a socket (expected at most 107 octets)"},
    };
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        char file[300], path[300], text[400];
        int length = rows[i].path < 0 ? -rows[i].path : rows[i].path;
        memset(file, 'f', sizeof file);
        memset(path, 'p', sizeof path);
        file[0] = '/';
        if (rows[i].path < 0)
            path[0] = '/';
        snprintf(text, sizeof text, "lists = {}\nsocket = \"unix:%.*s\"", length, path);
        snprintf(file + rows[i].folder, sizeof file - (size_t)rows[i].folder, "/m.conf");
        struct loaded l = load_named(file, text);
        check_row(text);
        check_bool("loads", rows[i].message[0] == '\0', l.settings != NULL);
        check_bool("message", true, strstr(strbuf_str(&l.messages), rows[i].message) != NULL);
        check_int("messages", rows[i].message[0] != '\0', (long long)l.diagnostics.count);
        loaded_free(&l);
    }
    check_end();
}

#define FULL_LIST                                                                                  \
    "list \"announce.lists.example.org\" {\n"                                                      \
    "  description = \"Example announcements\"\n"                                                  \
    "  address     = \"announce@lists.example.org\"\n"                                             \
    "  help = {\"mailto:announce-request@lists.example.org?subject=help\"}\n"                      \
    "  post = {\"mailto:announce@lists.example.org (Postings are Moderated)\"}\n"                  \
    "  archive     = {\"https://lists.example.org/announce/\", # two\n"                            \
    "                 \"https://mirror.example/{list_label}\",}\n"                                 \
    "  archived_at = {\"{archive}/{message_id_hash}\", \"https://x.example/{year}\"} // end\n"     \
    "  keep = {\"list-POST\", \"Archived-At\"}\n"                                                  \
    "  command_addresses = {\"{address_local}-request@{address_domain}\"}\n"                       \
    "  message_id_hash = false // a\n # comment\n honor_no_archive = no\n"                         \
    "  missing_message_id = reject duplicate_message_id = \"delete\" crosspost = \"first\"\n"      \
    "  sequence = false parents = {} sequence_from = \"store\" replace_post = off\n"               \
    "  archived_at_requires = \"any\" reused_message_id = \"accept\"\n"                            \
    "  on_store_failure = \"tempfail\" parent_sources = {} unsubscribe_one_click = false\n"        \
    "}\n"

/* LH-01, LH-03, LH-06, LH-15, LI-07 */
static void test_list(void **state)
{
    struct loaded l = load_text("lists = {}\n" FULL_LIST);
    const struct list *list = only_list(&l);
    (void)state;
    check_text("List-Id", "Example announcements <announce.lists.example.org>",
               field_of(list, FIELD_LIST_ID));
    check_text("List-Help", "<mailto:announce-request@lists.example.org?subject=help>",
               field_of(list, FIELD_LIST_HELP));
    check_text("List-Post", "<mailto:announce@lists.example.org> (Postings are Moderated)",
               field_of(list, FIELD_LIST_POST));
    check_text("List-Archive",
               "<https://lists.example.org/announce/>,\n <https://mirror.example/announce>",
               field_of(list, FIELD_LIST_ARCHIVE));
    check_text("archive", "https://lists.example.org/announce/",
               values_of_list(list).text[VAR_ARCHIVE]);
    check_int("templates", 2, (long long)archived_at_count(list));
    check_int("keep", (long long)(FIELD_BIT(FIELD_LIST_POST) | FIELD_BIT(FIELD_ARCHIVED_AT)),
              (long long)list->keep);
    check_bool("message_id_hash", false, list->message_id_hash);
    check_bool("honor_no_archive", false, list->honor_no_archive);
    check_int("missing", MISSING_REJECT, (int)list->missing_message_id);
    check_int("duplicate", DUPLICATE_DELETE, (int)list->duplicate_message_id);
    check_int("crosspost", CROSSPOST_FIRST, (int)list->crosspost);
    check_end();
    assert_ptr_equal(list_by_command_address(&l.settings->index,
                                             span_cstr("announce-request@lists.example.org")),
                     list);
    assert_ptr_equal(list_by_id(&l.settings->index, span_cstr("ANNOUNCE.lists.example.org")), list);

    struct variable_values values = values_of_list(list);
    struct strbuf url = STRBUF_INIT;
    values.set |= VAR_BIT(VAR_MESSAGE_ID_HASH);
    values.text[VAR_MESSAGE_ID_HASH] = span_cstr("HASH");
    assert_int_equal(template_expand(archived_at_of(list, 0), &values, &url), VAR_COUNT);
    assert_string_equal(strbuf_str(&url), "https://lists.example.org/announce/HASH"); /* SU-09 */
    strbuf_free(&url);
    loaded_free(&l);
}

/* RULINGS 52: a list's value replaces the default whole; defaults may stand behind the lists */
static void test_defaults(void **state)
{
    struct loaded l = load_text(
        "lists = {}\n"
        "list \"one.l.example\" { archived_at = {} }\n"
        "list two.l.example { description = 'Zwei \xC3\xA4' help = {} select = recipient }\n"
        "list \"three.l.example\" { address = \"3@x.example\" crosspost = \"defer\" }\n"
        "defaults { address = \"{list_label}@{list_namespace}\" description = \"List "
        "{list_label}\"\n"
        "  help = {\"mailto:{address_local}-help@{address_domain}\", "
        "\"https://{list_id}/{address}\"}\n"
        "  archive = {\"https://a.example/{list_label}/\"} crosspost = \"first\"\n"
        "  archived_at = {\"{archive}{message_id}\"} }\n");
    only_list(&l);
    struct list **lists = l.settings->index.lists;
    (void)state;
    assert_int_equal(l.settings->index.count, 3);
    assert_int_equal(l.settings->index.recipient_lists, 1);
    check_text("address", "one@l.example", lists[0]->address);
    check_text("List-Id", "List one <one.l.example>", field_of(lists[0], FIELD_LIST_ID));
    check_text("List-Help", "<mailto:one-help@l.example>, <https://one.l.example/one@l.example>",
               field_of(lists[0], FIELD_LIST_HELP));
    check_int("templates", 0, (long long)archived_at_count(lists[0]));
    check_int("crosspost", CROSSPOST_FIRST, (int)lists[0]->crosspost);
    check_text("List-Id", "=?UTF-8?B?WndlaSDDpA==?= <two.l.example>",
               field_of(lists[1], FIELD_LIST_ID));
    check_text("List-Help", "", field_of(lists[1], FIELD_LIST_HELP));
    check_int("templates", 1, (long long)archived_at_count(lists[1]));
    check_text("address", "3@x.example", lists[2]->address);
    check_int("crosspost", CROSSPOST_DEFER, (int)lists[2]->crosspost);
    check_end();
    loaded_free(&l);
}

/* RULINGS 16, 47 */
static void test_recipient_template(void **state)
{
    struct loaded l = load_text("lists = {}\nlist \"a.b\" { unsubscribe = "
                                "{\"https://u.example/?r={recipient}&l={list_id}\",\n"
                                " \"mailto:leave@u.example (by mail)\"} }");
    const struct list *list = only_list(&l);
    (void)state;
    check_text("no value", "", field_of(list, FIELD_LIST_UNSUBSCRIBE));
    const struct list_text_array *items = list_items(list, FIELD_LIST_UNSUBSCRIBE);
    assert_int_equal(items->count, 2);
    struct variable_values values = values_of_list(list);
    struct strbuf uri = STRBUF_INIT;
    values.set |= VAR_BIT(VAR_RECIPIENT);
    values.text[VAR_RECIPIENT] = span_cstr("u/x@y.example");
    template_expand(&items->items[0].text, &values, &uri);
    check_str("escaped", "https://u.example/?r=u%2Fx%40y.example&l=a.b", strbuf_str(&uri));
    check_text("mailto", "mailto:leave@u.example", shown_text_of(list, &items->items[1].text));
    check_text("comment", "(by mail)", shown_text_of(list, &items->items[1].comments[1]));
    check_end();
    strbuf_free(&uri);
    loaded_free(&l);
}

/* RULINGS 42: without an archive the template is left out; LH-07; RULINGS 69, 76 */
static void test_smaller_things(void **state)
{
    struct loaded l = load_text(
        "lists = {}\n"
        "list \"a.b\" { archived_at = {\"{archive}/{message_id}\", "
        "\"https://x.example/{message_id:5}\"} }\n"
        "list \"c.d\" { post = {\"no (closed)\"} select = \"sender\" senders = "
        "{\"x@{list_namespace}\"} }\n"
        "list \"e.f\" { post = {\"NO\"} select = \"sender\" address = \"e@f.example\" }\n");
    only_list(&l);
    struct list **lists = l.settings->index.lists;
    (void)state;
    check_int("templates", 1, (long long)archived_at_count(lists[0]));
    check_text("post", "NO (closed)", field_of(lists[1], FIELD_LIST_POST));
    check_text("post", "NO", field_of(lists[2], FIELD_LIST_POST));
    check_bool("by senders", true, lists[1]->has_senders);
    check_bool("by senders", false, lists[2]->has_senders);
    check_end();
    assert_ptr_equal(list_by_sender(&l.settings->index, span_cstr("X@d")), lists[1]);
    assert_ptr_equal(list_by_sender(&l.settings->index, span_cstr("e-bounces@f.example")),
                     lists[2]);
    loaded_free(&l);
}

/* Texts that must load without a word. */
static void test_right(void **state)
{
    static const char *const rows[] = {
        "lists = {}",
        "\xEF\xBB\xBFlists = {}\r\n# CRLF and a byte order mark\r\n",
        "lists = {} # no line end",
        "lists = {} # /* # \"",
        "lists = {} trusted = {}",
        "lists = {} trusted = \"local\"",
        "lists = {} socket = unix:mlmilter.sock",
        "lists = {} socket = 'local:/x'",
        "lists = {} socket = \"/x y\"",
        "lists = {} socket = \"inet6:8894@::1\"",
        "lists = {} socket_mode = 660",
        "lists = {} defaults {}",
        "lists = {} list 'a.b' { description = 'a \"quoted\" \\\\ text' }",
        "lists = {} list \"a.b\" { description = \"\" }",
        "lists = {} list \"a.b\" { description = \"\\x41\\102\\\"\" }",
        "lists = {} list \"a.b\" { help = {\"mailto:a@b.example?body=%24%7Bx%7D\"} }",
        "lists = {} list \"a.b\" { keep = {} }",
        "lists = {} list \"a.b\" { command_addresses = {\"r@b.example\", \"R@b.example\"} }",
        "lists = {} list \"a.b\" { address = \"\\\"x y\\\"@[192.0.2.1]\" }",
        "lists = {} list \"a.b\" { archive = {\"ftp://x.example/\"} }",
        "lists = {} list \"a.b\" { help = {\"mailto:a@b.example (a (nested) comment)\"} }",
        "lists = {} list a.b { } list c.d { address = x//y@z.example }",
        "lists = {} list \"a.b\" { address = \"\" }", /* says that there is none: RULINGS 84 */
    };
    (void)state;
    check_silent(rows, CHECK_COUNT(rows));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_built_in_defaults), cmocka_unit_test(test_facilities),
        cmocka_unit_test(test_main_keys),         cmocka_unit_test(test_relative_names),
        cmocka_unit_test(test_socket_length),     cmocka_unit_test(test_list),
        cmocka_unit_test(test_defaults),          cmocka_unit_test(test_recipient_template),
        cmocka_unit_test(test_smaller_things),    cmocka_unit_test(test_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* config/lists/list_texts: lists share texts, and each has its own values in them. */
#include "delegation_help.h"

#define DEFAULTS                                                                                   \
    "defaults { address = \"{list_label}@{list_namespace}\" description = \"List {list_label}\"\n" \
    "owner = {\"mailto:{address_local}-owner@{address_domain}\"}\n"                                \
    "archive = {\"https://x.example/list/{list_id}/\"}\n"                                          \
    "unsubscribe = {\"https://x.example/{recipient}?{list_label} (web)\", \"(or) "                 \
    "mailto:u@x.y\"}\n"                                                                            \
    "archived_at = {\"{archive}/{message_id_hash:8}/\", "                                          \
    "\"https://y.example/{list_label}/{day:2}\"} }\n"

static void check_text_of(const char *what, const struct list *list, const char *wanted,
                          const struct template *t)
{
    check_text(what, wanted, shown_text_of(list, t));
}

static void check_list(const struct list *list, const char *label, const char *id)
{
    const struct list_text_array *unsubscribe = list_items(list, FIELD_LIST_UNSUBSCRIBE);
    char wanted[6][120];
    check_row(id);
    snprintf(wanted[0], sizeof wanted[0], "List %s <%s>", label, id);
    snprintf(wanted[1], sizeof wanted[1], "<mailto:%s-owner@%s>", label, id + strlen(label) + 1);
    snprintf(wanted[2], sizeof wanted[2], "<https://x.example/list/%s/>", id);
    snprintf(wanted[3], sizeof wanted[3], "https://x.example/list/%s/{message_id_hash:8}/", id);
    snprintf(wanted[4], sizeof wanted[4], "https://y.example/%s/{day:2}", label);
    snprintf(wanted[5], sizeof wanted[5], "https://x.example/{recipient}?%s", label);
    check_text("List-Id", wanted[0], field_of(list, FIELD_LIST_ID));
    check_text("List-Owner", wanted[1], field_of(list, FIELD_LIST_OWNER));
    check_text("List-Archive", wanted[2], field_of(list, FIELD_LIST_ARCHIVE));
    check_text("List-Help", "", field_of(list, FIELD_LIST_HELP));
    assert_int_equal(unsubscribe->count, 2);
    check_text_of("web", list, wanted[5], &unsubscribe->items[0].text);
    check_text_of("comment", list, "(web)", &unsubscribe->items[0].comments[1]);
    check_text_of("before", list, "(or)", &unsubscribe->items[1].comments[0]);
    check_text_of("mailto", list, "mailto:u@x.y", &unsubscribe->items[1].text);
    assert_int_equal(archived_at_count(list), 2);
    check_text_of("first", list, wanted[3], archived_at_of(list, 0));
    check_text_of("second", list, wanted[4], archived_at_of(list, 1));
    check_bool("archived", true, list->archived_at);
}

static void test_shared(void **state)
{
    static const char *const ids[][2] = {{"list", "list.x.example"},
                                         {"dev", "dev.lists.example"},
                                         {"ops", "ops.other.example"},
                                         {"x", "x.y"},
                                         {"x", "x.x.example"}};
    struct strbuf text = STRBUF_INIT;
    (void)state;
    strbuf_add_str(&text, "lists = {} " DEFAULTS);
    for (size_t i = 0; i < CHECK_COUNT(ids); i++)
        strbuf_addf(&text, "list \"%s\" {}\n", ids[i][1]);
    struct loaded l = load_text(strbuf_str(&text));
    assert_non_null(l.settings);
    for (size_t i = 0; i < CHECK_COUNT(ids); i++)
        check_list(l.settings->index.lists[i], ids[i][0], ids[i][1]);
    check_end();
    assert_ptr_equal(l.settings->index.lists[1]->texts, l.settings->index.lists[2]->texts);
    assert_ptr_equal(l.settings->index.lists[1]->description,
                     l.settings->index.lists[2]->description);
    loaded_free(&l);
    strbuf_free(&text);
}

/* Texts of its own that one list has do not change those of other lists. */
static void test_own(void **state)
{
    struct loaded l =
        load_text("lists = {} " DEFAULTS "list \"a1.example.org\" {}\n"
                  "list \"b1.example.org\" { description = \"Something else\" }\n"
                  "list \"c1.example.org\" { owner = {\"mailto:c1-owner@example.org\"} }\n"
                  "list \"d1.example.org\" { owner = {\"mailto:me@example.org\"} }\n"
                  "list \"e1.example.org\" { archive = {} }\n"
                  "list \"f1.example.org\" { unsubscribe = {} archived_at = {} }\n"
                  "list \"g1.example.org\" {}\n");
    (void)state;
    assert_non_null(l.settings);
    struct list *const *lists = l.settings->index.lists;
    check_list(lists[0], "a1", "a1.example.org");
    check_list(lists[2], "c1", "c1.example.org");
    check_list(lists[6], "g1", "g1.example.org");
    check_text("own", "Something else <b1.example.org>", field_of(lists[1], FIELD_LIST_ID));
    check_text("own", "<mailto:me@example.org>", field_of(lists[3], FIELD_LIST_OWNER));
    check_text("none", "", values_of_list(lists[4]).text[VAR_ARCHIVE]);
    check_int("one", 1, (long long)archived_at_count(lists[4]));
    check_int("none", 0, (long long)list_items(lists[5], FIELD_LIST_UNSUBSCRIBE)->count);
    check_bool("none", false, lists[5]->archived_at);
    check_end();
    assert_ptr_equal(lists[1]->texts, lists[0]->texts);
    assert_ptr_not_equal(lists[1]->description, lists[0]->description);
    assert_ptr_equal(lists[6]->texts, lists[0]->texts);
    assert_ptr_equal(lists[3]->texts->archived_at.items, lists[0]->texts->archived_at.items);
    loaded_free(&l);
}

/* Many lists with texts of their own. */
static void test_many_kinds(void **state)
{
    struct strbuf text = STRBUF_INIT;
    (void)state;
    strbuf_add_str(&text, "lists = {} ");
    for (int i = 0; i < 100; i++)
        strbuf_addf(&text, "list \"l%d.example.org\" { description = \"D%d\" help = {\"x:%d\"} }\n",
                    i, i % 20, i % 20);
    struct loaded l = load_text(strbuf_str(&text));
    assert_non_null(l.settings);
    for (int i = 0; i < 100; i++) {
        char wanted[2][60];
        snprintf(wanted[0], sizeof wanted[0], "D%d <l%d.example.org>", i % 20, i);
        snprintf(wanted[1], sizeof wanted[1], "<x:%d>", i % 20);
        check_text("List-Id", wanted[0], field_of(l.settings->index.lists[i], FIELD_LIST_ID));
        check_text("List-Help", wanted[1], field_of(l.settings->index.lists[i], FIELD_LIST_HELP));
    }
    check_end();
    loaded_free(&l);
    strbuf_free(&text);
}

/* No list has texts of a file that is not taken. */
static void test_dropped(void **state)
{
    struct strbuf text = STRBUF_INIT;
    (void)state;
    write_file("m.conf", "lists = {} " DEFAULTS ALICE);
    for (int i = 0; i < 20; i++)
        strbuf_addf(&text, "list \"a%d.alice.example\" {}\n", i);
    strbuf_add_str(&text, "list \"b.alice.example\" { help = {\"x:y\"} description = \"B\" }\n"
                          "list \"wrong.example\" {}\n");
    write_octets("a/1.conf", strbuf_span(&text));
    strbuf_reset(&text);
    strbuf_add_str(&text, "list \"c.alice.example\" { help = {\"x:y\"} description = \"B\" }\n");
    for (int i = 0; i < 50; i++)
        strbuf_addf(&text, "list \"d%d.alice.example\" {}\n", i);
    write_octets("a/2.conf", strbuf_span(&text));
    struct loaded l = load_main(NULL);
    check_says(&l, "a/1.conf:22: list: \"wrong.example\" lies outside");
    assert_non_null(l.settings);
    assert_int_equal(l.settings->index.count, 51);
    check_text("own", "B <c.alice.example>", field_of(l.settings->index.lists[0], FIELD_LIST_ID));
    check_text("own", "<x:y>", field_of(l.settings->index.lists[0], FIELD_LIST_HELP));
    check_list(l.settings->index.lists[50], "d49", "d49.alice.example");
    check_end();
    loaded_free(&l);
    strbuf_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shared),
        cmocka_unit_test(test_own),
        cmocka_unit_test(test_many_kinds),
        cmocka_unit_test_setup_teardown(test_dropped, make_folder, remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* config/list_index, besides the rows of settings.txt: RULINGS 113, and long addresses. */
#include "check.h"

#include "config/lists/build.h"
#include "config/settings.h"

static void add(struct list_index *index, struct list *list, const char *id, const char *address,
                enum list_select select)
{
    list->id = span_cstr(id);
    list->address = list->mailbox = span_cstr(address);
    list->select = select;
    assert_null(list_index_add(index, list));
    if (list->address.n > 0)
        assert_null(list_index_put(index, LIST_BY_ADDRESS, list->address, list));
}

/* Addresses that are longer than any list's, so only what is left of them is looked up */
static void test_long_addresses(void **state)
{
    static char sender[5000];
    struct list dev = {0};
    struct list_index index;
    (void)state;
    list_index_init(&index, 7);
    add(&index, &dev, "dev.l", "dev@l.example", SELECT_SENDER);
    assert_null(list_index_put(&index, LIST_BY_COMMAND_FROM, span_cstr("dev@l.example"), &dev));
    memset(sender, '-', sizeof sender);
    memcpy(sender, "dev", 3);
    assert_null(list_by_sender(&index, span_of(sender, sizeof sender)));
    memcpy(sender + sizeof sender - 10, "@l.example", 10);
    assert_ptr_equal(list_by_sender(&index, span_of(sender, sizeof sender)), &dev);
    memset(sender + 3, '+', sizeof sender - 13);
    assert_ptr_equal(
        list_by_token(&index, LIST_BY_COMMAND_FROM, span_of(sender, sizeof sender), NULL), &dev);
    list_index_free(&index);
}

/* RULINGS 113: patterns are tried one after another; those of all files of an owner count. */
static void test_patterns(void **state)
{
    struct list list = {.select = SELECT_SENDER};
    struct list_index index, file;
    (void)state;
    list_index_init(&index, 7);
    for (int i = 0; i < LIST_PATTERNS_MAX - 1; i++)
        assert_true(list_index_add_pattern(&index, span_cstr("x*@l.example"), &list));
    list_index_init(&file, 7);
    file.others = &index;
    assert_true(list_index_add_pattern(&file, span_cstr("long-*@l.example"), &list));
    assert_false(list_index_add_pattern(&file, span_cstr("x*@l.example"), &list));
    assert_null(list_by_sender(&index, span_cstr("long-1@l.example")));
    list_index_join(&index, &file);
    assert_ptr_equal(list_by_sender(&index, span_cstr("long-1@l.example")), &list);
    list_index_free(&file);
    list_index_free(&index);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_long_addresses),
        cmocka_unit_test(test_patterns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

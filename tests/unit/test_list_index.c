/* config/list_index, besides the rows of settings.txt: RULINGS 14, 111, 113, and long addresses. */
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

/* RULINGS 111: a local part that a delegate's list and somebody else's have */
static void test_contested(void **state)
{
    static const struct {
        const char *local;
        int list;          /* whose mailbox it is */
        const char *other; /* whose it may be, too; NULL: nobody's */
    } rows[] = {
        {"team", 2, "a"},     {"TEAM", 3, "a"},      {"team", 4, "a"},     {"team+x", 2, "a"},
        {"dev+help", 3, "b"}, {"ops", 3, "c"},       {"ops", 2, "d"},      {"bare", 4, "b"},
        {"mix", 4, "c"},      {"mix", 2, NULL},      {"mix+1", 2, "d"},    {"team+y", 2, NULL},
        {"own", 2, "b"},      {"twice", 2, NULL},    {"far", 2, "a"},      {"solo", 4, NULL},
        {"", 2, NULL},        {"owner-x+y", 4, "b"}, {"owner-x", 4, NULL},
    };
    static const struct domains alice = {.owner = "alice"}, bob = {.owner = "bob"};
    const struct span b_others[] = {span_cstr("bare"), span_cstr("dev+help@l.example"),
                                    span_cstr("owner-x+y@l.example")};
    const struct span a_others[] = {span_cstr("team+x@l.example"), span_cstr("far@l.example")};
    const struct span c_others[] = {span_cstr("ops@a.example"), span_cstr("twice@a.example"),
                                    span_cstr("mix@a.example")};
    const struct span e_others[] = {span_cstr("bare@b.example"), span_cstr("owner-x+y@b.example"),
                                    span_cstr("solo@b.example"), span_cstr("mix+1@b.example"),
                                    span_cstr("solo+1@b.example")};
    struct list lists[] = {
        {.aliases = a_others, .alias_count = 2},
        {.aliases = b_others, .alias_count = 1, .command_address_count = 2},
        {.aliases = c_others, .alias_count = 3, .bounds = &alice},
        {.aliases = &b_others[1], .bounds = &bob},
        {.aliases = e_others, .alias_count = 4, .command_address_count = 1, .bounds = &bob},
    };
    static const char *const addresses[] = {"team@l.example", "own@l.example", "Team@a.example",
                                            "dev@b.example", "ops@b.example"};
    static const char *const ids[] = {"a", "b", "c", "e", "d"};
    struct list_index index;
    (void)state;
    list_index_init(&index, 7);
    for (size_t i = 0; i < CHECK_COUNT(lists); i++)
        add(&index, &lists[i], ids[i], addresses[i], SELECT_RECIPIENT);
    list_index_finish(&index);
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        const struct list *other =
            list_contesting(&index, &lists[rows[i].list], span_cstr(rows[i].local));
        check_row(rows[i].local);
        check_text("list", rows[i].other == NULL ? "" : rows[i].other,
                   other == NULL ? span_cstr("") : other->id);
    }
    check_end();
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

/* RULINGS 14: `defaults` may name each list. */
static void test_own_parent(void **state)
{
    struct parent ids[] = {{span_cstr("a.l"), 1}, {span_cstr("B.l"), 1}, {span_cstr("aa.l"), 1}};
    struct nesting nesting = {.parents = ids, .parent_count = 3};
    const struct list list = {.id = span_cstr("A.l"), .nesting = &nesting};
    (void)state;
    assert_false(list_names_parent(&list, span_cstr("a.l")));
    assert_true(list_names_parent(&list, span_cstr("b.L")));
    assert_true(list_names_parent(&list, span_cstr("AA.l")));
    assert_false(list_names_parent(&list, span_cstr("c.l")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_long_addresses),
        cmocka_unit_test(test_contested),
        cmocka_unit_test(test_patterns),
        cmocka_unit_test(test_own_parent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

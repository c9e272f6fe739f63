/* config/list_index: LI-10, RULINGS 19, 21, 69, 75, 111, 113. */
#include "check.h"

#include "config/lists/build.h"
#include "config/settings.h"

static bool derives(const char *sender, const char *address)
{
    struct span alias = span_cstr(address);
    struct list by_address = {.mailbox = span_cstr(address)};
    struct list by_alias = {
        .mailbox = span_cstr("other@m.example"), .aliases = &alias, .alias_count = 1};
    size_t length = list_derives_sender(&by_address, span_cstr(sender));
    check_int("by an alias", (long)length, (long)list_derives_sender(&by_alias, span_cstr(sender)));
    check_int("length", length > 0 ? (long)strlen(address) : 0, (long)length);
    return length > 0;
}

/* RULINGS 19 */
static void test_derived(void **state)
{
    static const struct {
        const char *sender, *address;
        bool derived;
    } rows[] = {
        {"dev-bounces@l.example", "dev@l.example", true},
        {"dev+bounce-1@l.example", "dev@l.example", true},
        {"dev-@l.example", "dev@l.example", true},
        {"owner-dev@l.example", "dev@l.example", true},
        {"OWNER-Dev@L.example", "dev@l.EXAMPLE", true},
        {"DEV-x@L.EXAMPLE", "dev@l.example", true},
        {"dev@l.example", "dev@l.example", false},
        {"dev-bounces@m.example", "dev@l.example", false},
        {"devel-bounces@l.example", "dev@l.example", false},
        {"owner-dev-x@l.example", "dev@l.example", false},
        {"owner-de@l.example", "dev@l.example", false},
        {"owner-@l.example", "dev@l.example", false},
        {"dev.x@l.example", "dev@l.example", false},
        {"", "dev@l.example", false},
        {"dev-bounces", "dev", false},
        {"-x@l.example", "@l.example", false},
    };
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        check_row(rows[i].sender);
        check_bool(rows[i].address, rows[i].derived, derives(rows[i].sender, rows[i].address));
    }
    check_end();
}

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

/* RULINGS 69, 75 */
static void test_by_sender(void **state)
{
    static const struct {
        const char *sender, *id;
    } rows[] = {
        {"dev-bounces@l.example", "dev.l"},
        {"dev-announce-bounces@l.example", "dev-announce.l"}, /* the longest local part wins */
        {"dev-announce@l.example", NULL},                     /* another list's address */
        {"dev-announcex-bounces@l.example", "dev.l"},
        {"owner-dev@l.example", NULL},
        {"owner-dev+1@l.example", "owner-dev.l"},
        {"owner-dev-announce@l.example", "dev-announce.l"},
        {"owner-dev-bounces@l.example", "owner-dev.l"}, /* no "owner-X", but X-… */
        {"owner-dev-announce-x@l.example", "owner-dev.l"},
        {"own-x@l.example", NULL}, /* its list has `senders` */
        {"robot@l.example", "own.l"},
        {"ROBOT@L.EXAMPLE", "own.l"},
        {"id-bounces@l.example", NULL}, /* select = "list-id" */
        {"dev@l.example", NULL},
        {"dev-x@m.example", NULL},
        {"", NULL},
        {"dev-x", NULL},
    };
    struct span robot = span_cstr("robot@l.example");
    struct list dev = {0}, announce = {0}, owner = {0},
                own = {.aliases = &robot, .sender_count = 1}, id = {0};
    struct list_index index;
    (void)state;
    list_index_init(&index, 7);
    add(&index, &dev, "dev.l", "dev@l.example", SELECT_SENDER);
    add(&index, &announce, "dev-announce.l", "dev-announce@l.example", SELECT_SENDER);
    add(&index, &owner, "owner-dev.l", "owner-dev@l.example", SELECT_SENDER);
    add(&index, &own, "own.l", "own@l.example", SELECT_SENDER);
    add(&index, &id, "id.l", "id@l.example", SELECT_LIST_ID);
    assert_null(list_index_put(&index, LIST_BY_SENDER, robot, &own));
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        const struct list *found = list_by_sender(&index, span_cstr(rows[i].sender));
        check_row(rows[i].sender);
        check_text("list", rows[i].id == NULL ? "" : rows[i].id,
                   found == NULL ? span_cstr("") : found->id);
    }
    check_end();
    list_index_free(&index);
}

static void test_long_sender(void **state)
{
    static char sender[5000];
    struct list dev = {0};
    struct list_index index;
    (void)state;
    list_index_init(&index, 7);
    add(&index, &dev, "dev.l", "dev@l.example", SELECT_SENDER);
    memset(sender, '-', sizeof sender);
    memcpy(sender, "dev", 3);
    memcpy(sender + sizeof sender - 10, "@l.example", 10);
    assert_ptr_equal(list_by_sender(&index, span_of(sender, sizeof sender)), &dev);
    memset(sender + 3, '-', sizeof sender - 3);
    assert_null(list_by_sender(&index, span_of(sender, sizeof sender)));
    list_index_free(&index);
}

/* LI-10, RULINGS 21 */
static void test_find_and_duplicates(void **state)
{
    struct list a = {0}, b = {0};
    struct list_index index;
    (void)state;
    list_index_init(&index, 7);
    add(&index, &a, "A.example", "list@A.example", SELECT_RECIPIENT);
    assert_int_equal(index.recipient_lists, 1);
    assert_ptr_equal(list_get(&index, LIST_BY_ID, span_cstr("a.EXAMPLE")), &a);
    assert_ptr_equal(list_get(&index, LIST_BY_ADDRESS, span_cstr("LIST@a.example")), &a);
    assert_null(list_get(&index, LIST_BY_ADDRESS, span_cstr("list+tag@a.example")));
    b.id = span_cstr("a.example");
    b.address = span_cstr("LIST@a.example");
    assert_ptr_equal(list_index_add(&index, &b), &a);
    assert_ptr_equal(list_index_put(&index, LIST_BY_ADDRESS, b.address, &b), &a);
    assert_int_equal(index.count, 1);
    struct span robot = span_cstr("robot@a.example");
    assert_null(list_index_put(&index, LIST_BY_COMMAND, robot, &a));
    assert_null(list_index_put(&index, LIST_BY_COMMAND, robot, &a));
    assert_ptr_equal(list_index_put(&index, LIST_BY_COMMAND, robot, &b), &a);
    assert_ptr_equal(list_get(&index, LIST_BY_COMMAND, span_cstr("Robot@a.example")), &a);
    list_index_free(&index);
}

/* RULINGS 12: each of the two kinds keeps other lists off the other kind, and is not found as it.
 */
static void test_from_addresses(void **state)
{
    static const struct {
        const char *address, *id;
    } rows[] = {
        {"robot+1@l.example", "a.l"},
        {"ROBOT+1+2@L.EXAMPLE", "a.l"},
        {"robot+@l.example", "a.l"},
        {"robot+x+1@l.example", "b.l"},
        {"robot+x+y+1@l.example", "b.l"},
        {"robot@l.example", NULL},
        {"robots+1@l.example", NULL},
        {"robot+1@m.example", NULL},
        {"plain+1@l.example", NULL},
        {"+robot@l.example", NULL},
        {"robot+1", NULL},
        {"", NULL},
    };
    struct list a = {0}, b = {0};
    struct list_index index;
    char tokens[LIST_ADDRESS_MAX * 2];
    (void)state;
    list_index_init(&index, 7);
    add(&index, &a, "a.l", "a@l.example", SELECT_LIST_ID);
    add(&index, &b, "b.l", "b@l.example", SELECT_LIST_ID);
    assert_int_equal(index.ways[LIST_BY_COMMAND_FROM].capacity, 0); /* 100,000 lists without one */
    assert_null(list_get(&index, LIST_BY_COMMAND_FROM, span_cstr("robot@l.example")));
    assert_null(list_by_token(&index, LIST_BY_COMMAND_FROM, span_cstr("robot+1@l.example"), NULL));

    struct span robot = span_cstr("robot@l.example"), plain = span_cstr("plain@l.example");
    assert_null(list_index_put(&index, LIST_BY_COMMAND_FROM, robot, &a));
    assert_null(list_index_put(&index, LIST_BY_COMMAND_FROM, robot, &a));
    assert_ptr_equal(list_index_put(&index, LIST_BY_COMMAND_FROM, robot, &b), &a);
    assert_ptr_equal(list_index_put(&index, LIST_BY_COMMAND, robot, &b), &a);
    assert_null(list_get(&index, LIST_BY_COMMAND, robot));
    assert_null(list_index_put(&index, LIST_BY_COMMAND, plain, &a));
    assert_ptr_equal(list_index_put(&index, LIST_BY_COMMAND_FROM, plain, &b), &a);
    assert_null(list_get(&index, LIST_BY_COMMAND_FROM, plain));
    assert_null(list_index_put(&index, LIST_BY_COMMAND, robot, &a));
    assert_ptr_equal(list_get(&index, LIST_BY_COMMAND_FROM, span_cstr("ROBOT@l.Example")), &a);
    assert_null(list_get(&index, LIST_BY_COMMAND_FROM, span_cstr("robot+1@l.example")));

    struct span below = span_cstr("robot+x@l.example");
    assert_null(list_index_put(&index, LIST_BY_COMMAND_FROM, below, &b));
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        const struct list *list =
            list_by_token(&index, LIST_BY_COMMAND_FROM, span_cstr(rows[i].address), NULL);
        check_row(rows[i].address);
        check_text("list", rows[i].id == NULL ? "" : rows[i].id,
                   list == NULL ? span_cstr("") : list->id);
    }
    check_end();
    struct span deep = span_cstr("robot+x+1@l.example");
    assert_ptr_equal(list_by_token(&index, LIST_BY_COMMAND_FROM, deep, &a), &a);
    assert_null(list_by_token(&index, LIST_BY_COMMAND_FROM, span_cstr("robot+1@l.example"), &b));
    assert_false(list_always_commands(&index, &a, robot));
    assert_null(list_index_put(&index, LIST_BY_COMMAND_ALWAYS, robot, &a));
    assert_true(list_always_commands(&index, &a, span_cstr("Robot@l.example")));
    assert_true(list_always_commands(&index, &a, deep));
    assert_false(list_always_commands(&index, &b, robot));
    /* longer than any list's address, and what is left is not */
    memset(tokens, '+', sizeof tokens);
    memcpy(tokens, "robot", 5);
    memcpy(tokens + sizeof tokens - 10, "@l.example", 10);
    assert_ptr_equal(
        list_by_token(&index, LIST_BY_COMMAND_FROM, span_of(tokens, sizeof tokens), NULL), &a);
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

/* The lists of a file are kept off the texts of others, and are found after the join. */
static void test_join(void **state)
{
    struct list a = {0}, b = {0}, c = {0};
    struct list_index index, file;
    struct span robot = span_cstr("robot@l.example"), from = span_cstr("longer-robot@l.example");
    (void)state;
    list_index_init(&index, 7);
    list_index_init(&file, 7);
    file.others = &index;
    add(&index, &a, "a.l", "a@l.example", SELECT_LIST_ID);
    assert_null(list_index_put(&index, LIST_BY_COMMAND, robot, &a));
    add(&file, &b, "b.l", "b@l.example", SELECT_RECIPIENT);
    c.id = span_cstr("A.L");
    assert_ptr_equal(list_index_add(&file, &c), &a);
    assert_ptr_equal(list_index_put(&file, LIST_BY_ADDRESS, span_cstr("A@l.example"), &b), &a);
    assert_ptr_equal(list_index_put(&file, LIST_BY_COMMAND_FROM, robot, &b), &a);
    assert_ptr_equal(list_index_put(&file, LIST_BY_COMMAND, robot, &b), &a);
    assert_null(list_index_put(&file, LIST_BY_COMMAND_FROM, from, &b));
    assert_true(list_index_bytes(&file) >= 3 * STRMAP_KEY_BYTES);
    assert_null(list_get(&index, LIST_BY_ID, b.id));
    list_index_join(&index, &file);
    list_index_free(&file);
    assert_int_equal(index.count, 2);
    assert_int_equal(index.recipient_lists, 1);
    assert_ptr_equal(index.lists[1], &b);
    assert_ptr_equal(list_get(&index, LIST_BY_ID, b.id), &b);
    assert_ptr_equal(
        list_by_token(&index, LIST_BY_COMMAND_FROM, span_cstr("longer-robot+1@l.example"), NULL),
        &b);
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
        cmocka_unit_test(test_derived),        cmocka_unit_test(test_by_sender),
        cmocka_unit_test(test_long_sender),    cmocka_unit_test(test_find_and_duplicates),
        cmocka_unit_test(test_from_addresses), cmocka_unit_test(test_contested),
        cmocka_unit_test(test_patterns),       cmocka_unit_test(test_join),
        cmocka_unit_test(test_own_parent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Unit tests of mail/address. */
#include "check.h"

#include "mail/address.h"

/* RULINGS 21 */
static void test_bare(void **state)
{
    static const struct {
        const char *argument, *bare;
    } rows[] = {
        {"<a@b>", "a@b"}, {"a@b", "a@b"},   {" <a@b> ", "a@b"},   {"< a@b >", "a@b"},
        {"<>", ""},       {"", ""},         {"<", "<"},           {">", ">"},
        {"<a@b", "<a@b"}, {"a@b>", "a@b>"}, {"<<a@b>>", "<a@b>"}, {"<\"a b\"@c>", "\"a b\"@c"},
    };
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        check_row(rows[i].argument);
        check_text("bare", rows[i].bare, address_bare(span_cstr(rows[i].argument)));
    }
    check_end();
    assert_int_equal(address_bare(span_of(NULL, 0)).n, 0);
}

static void test_parts(void **state)
{
    static const struct {
        const char *address, *local, *domain;
    } rows[] = {
        {"a@b", "a", "b"},
        {"a", "a", ""},
        {"", "", ""},
        {"@", "", ""},
        {"a@", "a", ""},
        {"@b", "", "b"},
        {"\"a@b\"@c", "\"a@b\"", "c"},
        {"a@b@c", "a@b", "c"},
    };
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        check_row(rows[i].address);
        check_text("local", rows[i].local, address_local(span_cstr(rows[i].address)));
        check_text("domain", rows[i].domain, address_domain(span_cstr(rows[i].address)));
    }
    check_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bare),
        cmocka_unit_test(test_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

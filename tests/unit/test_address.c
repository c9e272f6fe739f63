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

/* RULINGS 112 */
static void test_before_delimiter(void **state)
{
    static const struct {
        const char *local, *delimiters, *part;
    } rows[] = {
        {"dev+x-y", "+", "dev"},
        {"dev-x+y", "+-", "dev"},
        {"dev", "+", "dev"},
        {"dev+x", "", "dev+x"},
        {"+x", "+", "+x"},
        {"+x+y", "+", "+x"},
        {"", "+", ""},
        {"Owner-dev+x", "+-", "Owner-dev+x"},
        {"owner-dev+x", "+", "owner-dev"},
        {"dev+x-Request", "-", "dev+x-Request"},
        {"dev+x-request", "+", "dev"},
        {"Mailer-Daemon", "-", "Mailer-Daemon"},
        {"double-bounce", "-", "double-bounce"},
        {"postmaster", "s", "postmaster"},
        {"postmaster-x", "-", "postmaster"},
    };
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        check_row(rows[i].local);
        check_text(
            rows[i].delimiters, rows[i].part,
            address_before_delimiter(span_cstr(rows[i].local), span_cstr(rows[i].delimiters)));
    }
    check_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bare),
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_before_delimiter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* mlmmj's own number, from the envelope sender: RULINGS 50 */
#include "check.h"

#include "plan/selection.h"

static void test_sender_number(void **state)
{
    static const struct {
        const char *sender;
        const char *address;
        uint64_t expected;
    } rows[] = {
        {"l+bounces-17-ann=example.com@lists.example.org", "l@lists.example.org", 17},
        {"l+bounces-17@lists.example.org", "l@lists.example.org", 17},
        {"l-bounces-17-ann=example.com@lists.example.org", "l@lists.example.org", 17},
        {"L+BOUNCES-17-x@LISTS.example.org", "l@lists.example.org", 17},
        {"l+bounces-00017-x@lists.example.org", "l@lists.example.org", 17}, /* leading zeros */
        {"l+bounces-17-@lists.example.org", "l@lists.example.org", 17},
        {"l+bounces-1-2-3@lists.example.org", "l@lists.example.org", 1},
        {"l+bounces-17@elsewhere.example", "l@lists.example.org", 17}, /* the local part decides */
        {"l+bounces-999999999999999@a", "l@a", UINT64_C(999999999999999)},
        {"a+b+bounces-3-x@a", "a+b@a", 3},
        /* none */
        {"", "l@lists.example.org", 0},
        {"l+bounces-17@lists.example.org", "", 0},
        {"l+bounces-digest-17@lists.example.org", "l@lists.example.org", 0},
        {"l+bounces-help@lists.example.org", "l@lists.example.org", 0},
        {"l+bounces-@lists.example.org", "l@lists.example.org", 0},
        {"l+bounces@lists.example.org", "l@lists.example.org", 0},
        {"l+bounces-17x@lists.example.org", "l@lists.example.org", 0},
        {"l+bounces-17.x@lists.example.org", "l@lists.example.org", 0},
        {"l+bounces-x17@lists.example.org", "l@lists.example.org", 0},
        {"l+bounces-+17@lists.example.org", "l@lists.example.org", 0},
        {"l.bounces-17@lists.example.org", "l@lists.example.org", 0},
        {"lbounces-17@lists.example.org", "l@lists.example.org", 0},
        {"ll+bounces-17@lists.example.org", "l@lists.example.org", 0},
        {"l+xbounces-17@lists.example.org", "l@lists.example.org", 0},
        {"l@lists.example.org", "l@lists.example.org", 0},
        {"l+bounces-0-x@lists.example.org", "l@lists.example.org", 0},
        {"l+bounces-1000000000000000@a", "l@a", 0},
        {"l+bounces-18446744073709551617@a", "l@a", 0},
        {"l+bounces-99999999999999999999999999999999999999@a", "l@a", 0},
    };

    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        check_row(rows[i].sender);
        check_int("number", (long long)rows[i].expected,
                  (long long)sender_number(span_cstr(rows[i].sender), span_cstr(rows[i].address)));
    }
    check_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sender_number)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}

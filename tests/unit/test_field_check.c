/* Unit tests of mail/field_check. */
#include "check.h"

#include "mail/field_check.h"

#include <stdlib.h>

/* AT-09 */
static void test_field_check(void **state)
{
    static const struct {
        struct span value;
        enum field_fault fault;
    } rows[] = {
        {CHECK_LITERAL(""), FIELD_FINE},
        {CHECK_LITERAL("<https://x/y>"), FIELD_FINE},
        {CHECK_LITERAL("a\tb "), FIELD_FINE},
        {CHECK_LITERAL("a\n b"), FIELD_FINE},
        {CHECK_LITERAL("a\n\tb"), FIELD_FINE},
        {CHECK_LITERAL("a\n  b\n c"), FIELD_FINE},
        {CHECK_LITERAL("\n b"), FIELD_FINE},
        {CHECK_LITERAL("a\nb"), FIELD_HAS_CONTROL}, /* another field or the body */
        {CHECK_LITERAL("a\n"), FIELD_HAS_CONTROL},
        {CHECK_LITERAL("\n"), FIELD_HAS_CONTROL},
        {CHECK_LITERAL("a\n\n b"), FIELD_HAS_CONTROL},
        {CHECK_LITERAL("a\n "), FIELD_HAS_CONTROL}, /* a line of blanks alone */
        {CHECK_LITERAL("a\n \t\n b"), FIELD_HAS_CONTROL},
        {CHECK_LITERAL("a\n b\n"), FIELD_HAS_CONTROL},
        {CHECK_LITERAL("a\nBcc: x"), FIELD_HAS_CONTROL},
        {CHECK_LITERAL("a\r\n b"), FIELD_HAS_CONTROL},
        {CHECK_LITERAL("a\r"), FIELD_HAS_CONTROL},
        {CHECK_LITERAL("a\rb"), FIELD_HAS_CONTROL},
        {CHECK_LITERAL("a\0b"), FIELD_HAS_CONTROL},
        {CHECK_LITERAL("a\vb"), FIELD_HAS_CONTROL},
        {CHECK_LITERAL("a\x1B["), FIELD_HAS_CONTROL},
        {CHECK_LITERAL("a\x7F"), FIELD_HAS_CONTROL},
        {CHECK_LITERAL("a\xC3\xBC"), FIELD_NOT_ASCII},
        {CHECK_LITERAL("a\n \x80"), FIELD_NOT_ASCII},
        {CHECK_LITERAL("\xFF"), FIELD_NOT_ASCII},
    };
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        check_row_span(rows[i].value);
        check_str("fault", field_fault_text(rows[i].fault),
                  field_fault_text(field_check(span_cstr("List-Id"), rows[i].value)));
    }
    check_end();
    assert_int_equal(field_check(span_cstr("List-Id"), span_of(NULL, 0)), FIELD_FINE);
    assert_int_equal(field_check(span_cstr("List\nId"), span_cstr("x")), FIELD_HAS_CONTROL);
    assert_int_equal(field_check(span_cstr("L\xFF"), span_cstr("x")), FIELD_NOT_ASCII);
}

static void test_each_octet(void **state)
{
    (void)state;
    for (int i = 0; i < 256; i++) {
        char value[3] = {'a', (char)i, 'b'};
        enum field_fault expected = i >= 0x80                              ? FIELD_NOT_ASCII
                                    : (i < 0x20 && i != '\t') || i == 0x7F ? FIELD_HAS_CONTROL
                                                                           : FIELD_FINE;
        check_row_span(span_of(value, 3));
        check_int("fault", expected, field_check(span_cstr("X"), span_of(value, 3)));
    }
    check_end();
}

/* AT-09, RULINGS 36: "Name: value" of 998 octets, and each line of a fold by itself */
static void test_line_length(void **state)
{
    char value[2200];
    struct span name = span_cstr("Archived-At");
    size_t room = 998 - strlen("Archived-At: ");
    (void)state;
    memset(value, 'x', sizeof value);
    assert_int_equal(field_check(name, span_of(value, room)), FIELD_FINE);
    assert_int_equal(field_check(name, span_of(value, room + 1)), FIELD_LINE_TOO_LONG);
    value[room] = '\n';
    value[room + 1] = ' ';
    assert_int_equal(field_check(name, span_of(value, room + 1 + 998)), FIELD_FINE);
    assert_int_equal(field_check(name, span_of(value, room + 1 + 999)), FIELD_LINE_TOO_LONG);
    value[room + 1 + 999] = '\t';
    assert_int_equal(field_check(name, span_of(value, 2100)), FIELD_LINE_TOO_LONG);
}

static void test_size(void **state)
{
    static char value[65001];
    struct span name = span_cstr("List-Help");
    size_t room = 65000 - strlen("List-Help");
    (void)state;
    memset(value, 'x', sizeof value);
    for (size_t i = 900; i + 2 < sizeof value; i += 902) {
        value[i] = '\n';
        value[i + 1] = ' ';
    }
    assert_int_equal(field_check(name, span_of(value, room)), FIELD_FINE);
    assert_int_equal(field_check(name, span_of(value, room + 1)), FIELD_TOO_LARGE);
}

static void test_fault_texts(void **state)
{
    (void)state;
    for (int i = FIELD_HAS_CONTROL; i <= FIELD_TOO_LARGE; i++)
        for (int j = FIELD_HAS_CONTROL; j < i; j++)
            assert_string_not_equal(field_fault_text((enum field_fault)i),
                                    field_fault_text((enum field_fault)j));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_field_check), cmocka_unit_test(test_each_octet),
        cmocka_unit_test(test_line_length), cmocka_unit_test(test_size),
        cmocka_unit_test(test_fault_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Unit tests of mail/header. */
#include "check.h"

#include "mail/header.h"

static void add(struct header *h, const char *name, const char *value)
{
    struct span n = span_cstr(name), v = span_cstr(value);
    header_add(h, n, v, header_wire_octets(n, v));
}

static void test_fields_in_order(void **state)
{
    /* from which place on, and the place of the next List-Id */
    static const size_t places[][2] = {{0, 1}, {1, 1}, {2, 3}, {4, 4}, {99, 4}};
    struct header h;
    (void)state;
    header_init(&h);
    for (int round = 0; round < 3; round++) {
        assert_int_equal(header_count(&h), 0);
        assert_int_equal(h.octets, 0);
        assert_int_equal(header_find(&h, FIELD_FROM, 0), 0);
        add(&h, "Received", "from x\n\tby y");
        add(&h, "LIST-ID \t", "<a.b>"); /* RULINGS 5 */
        add(&h, "X-Other", "");
        add(&h, "list-id", " <c.d> ");
        assert_int_equal(header_count(&h), 4);
        assert_int_equal(header_count_of(&h, FIELD_LIST_ID), 2);
        assert_int_equal(header_count_of(&h, FIELD_DATE), 0);
        assert_int_equal(header_find(&h, FIELD_DATE, 0), 4);
        for (size_t i = 0; i < CHECK_COUNT(places); i++)
            assert_int_equal(header_find(&h, FIELD_LIST_ID, places[i][0]), places[i][1]);
        check_row("LIST-ID");
        check_text("name", "LIST-ID", header_field(&h, 1).name);
        check_text("value", "<a.b>", header_field(&h, 1).value);
        check_int("id", FIELD_LIST_ID, header_field(&h, 1).id);
        check_text("folds stay", "from x\n\tby y", header_field(&h, 0).value);
        check_text("blanks stay", " <c.d> ", header_field(&h, 3).value);
        check_text("empty", "", header_field(&h, 2).value);
        check_int("id", FIELD_OTHER, header_field(&h, 2).id);
        check_end();
        header_reset(&h);
    }
    header_free(&h);
}

/* The header owns copies. */
static void test_copies(void **state)
{
    struct header h;
    char name[] = "Subject", value[] = "one\0two";
    (void)state;
    header_init(&h);
    header_add(&h, span_cstr(name), span_of(value, 7), 18);
    memset(name, 'x', sizeof name);
    memset(value, 'x', sizeof value);
    for (int i = 0; i < 1000; i++)
        add(&h, "X-Filler", "to make the buffers move");
    assert_true(span_eq(header_field(&h, 0).value, CHECK_SPAN("one\0two")));
    assert_true(span_eq(header_field(&h, 0).name, span_cstr("Subject")));
    assert_true(span_eq(header_field(&h, 1000).value, span_cstr("to make the buffers move")));
    header_free(&h);
}

/* RULINGS 71, 80: raw octets; a milter sees no line ends, on the wire they are CRLF. */
static void test_octets(void **state)
{
    static const struct {
        const char *name, *value;
        size_t octets;
    } rows[] = {
        {"A", "b", 6},                            /* A: b CRLF */
        {"A", "", 4},                             /* A: CRLF */
        {"A", " b", 6},                           /* with its blank: not counted twice */
        {"A", "\tb", 6},      {"A", "b\n c", 10}, /* A: b CRLF SP c CRLF */
        {"A", "b\r\n c", 10}, {"A", "\n b", 8},   {"A", "\r\n b", 8}, {"A ", "b", 7},
    };
    struct header h;
    (void)state;
    header_init(&h);
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        header_reset(&h);
        add(&h, rows[i].name, rows[i].value);
        check_row(rows[i].value);
        check_int("octets", (long long)rows[i].octets, (long long)h.octets);
    }
    check_end();
    header_free(&h);
}

/* RULINGS 71, 97 */
static void test_field_limit(void **state)
{
    struct header h;
    (void)state;
    header_init(&h);
    for (int i = 0; i < 5000; i++)
        add(&h, "To", "x");
    assert_false(h.too_large);
    size_t octets = h.octets;
    add(&h, "To", "x");
    assert_true(h.too_large);
    assert_int_equal(h.octets, octets + 7); /* of all fields ever offered */
    assert_int_equal(header_count(&h), 5000);
    assert_int_equal(header_count_of(&h, FIELD_TO), 5000);
    add(&h, "List-Id", "<a.b>");
    assert_int_equal(header_find(&h, FIELD_LIST_ID, 0), 5000);
    assert_int_equal(header_count_of(&h, FIELD_LIST_ID), 0);
    header_reset(&h);
    assert_false(h.too_large);
    assert_int_equal(header_count_of(&h, FIELD_TO), 0);
    add(&h, "To", "x");
    header_free(&h);
}

/* A connection keeps the memory of a header of usual size, and gives that of a large one back. */
static void test_reset_and_memory(void **state)
{
    static const struct {
        const char *text;
        int fields;
        bool kept;
    } rows[] = {{"usual", 100, true}, {"large", 5000, false}, {"usual again", 100, true}};
    struct header h;
    (void)state;
    header_init(&h);
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        for (int n = 0; n < rows[i].fields; n++)
            add(&h, "X-Some-Field", "a value of usual length");
        const struct field *fields = h.fields;
        header_reset(&h);
        check_row(rows[i].text);
        check_bool("the array stays", rows[i].kept, h.fields == fields);
        check_bool("at most 20 kB", true, h.capacity * sizeof *h.fields <= 20480);
    }
    check_end();
    header_free(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fields_in_order),  cmocka_unit_test(test_copies),
        cmocka_unit_test(test_octets),           cmocka_unit_test(test_field_limit),
        cmocka_unit_test(test_reset_and_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* owned_fields: the table against the names as the documents spell them */
#include "spec/owned_fields.h"

#include "check.h"

/* The names and their order: mlmilter.conf(5), RULINGS 4, 26, 39, 70, 89; SU-27 */
static void test_table(void **state)
{
    static const struct {
        const char *name;
        bool beside_private;
        bool keep_all;
        const char *removal;
        const char *insertion;
    } rows[] = {
        {"Message-ID-Hash", true, false, "SU-07", "SU-01"},
        {"X-Message-ID-Hash", true, false, "SU-08", NULL},
        {"X-Message-ID-Header", true, false, "SU-08", NULL},
        {"Archived-At", false, true, "AT-15", "AT-01"},
        {"X-Archived-At", false, false, "AT-08", NULL},
        {"List-Id", true, false, "LI-12", "LI-09"},
        {"List-Help", false, false, "LH-08", "LH-01"},
        {"List-Subscribe", false, false, "LH-08", "LH-01"},
        {"List-Unsubscribe", false, false, "LH-08", "LH-01"},
        {"List-Unsubscribe-Post", false, false, "RFC 8058", "RFC 8058"},
        {"List-Post", false, false, "LH-08", "LH-01"},
        {"List-Owner", false, false, "LH-08", "LH-01"},
        {"List-Archive", false, false, "LH-08", "LH-01"},
        {"X-List-Sequence", true, false, "SU-16", "SU-16"},
        {"X-List-Sequence-Number", true, false, "R1-08", "R1-04"},
        {"X-List-ID-Hash", true, false, "R1-08", "R1-01"},
        {"X-Alt-Message-ID", true, false, "public-inbox", "public-inbox"},
        {"List-Sequence", true, false, "SU-27", NULL},
    };
    (void)state;
    assert_int_equal(CHECK_COUNT(rows), owned_field_count);
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        const struct owned_field *f = &owned_fields[i];
        check_row(rows[i].name);
        check_str("name", rows[i].name, field_name_text(f->name));
        check_int("id", field_name_find(span_cstr(rows[i].name)), f->name);
        check_bool("removed beside private recipients", rows[i].beside_private,
                   f->removed_with_private_recipients);
        check_str("removal clause", rows[i].removal, f->removal_clause);
        check_str("insertion clause", rows[i].insertion, f->insertion_clause);
        check_bool("found by its name", true, owned_field_find(f->name) == f);
    }
    check_end();
}

/* RULINGS 93: what each looks like, by which clause, and which clause allows one alone */
static void test_forms(void **state)
{
    static const struct {
        const char *name;
        enum owned_form form;
        const char *form_clause;
        const char *single_clause;
    } rows[] = {
        {"Message-ID-Hash", FORM_HASH, "SU-01", "SU-07"},
        {"X-Message-ID-Hash", FORM_OLD_NAME, "SU-08", NULL},
        {"X-Message-ID-Header", FORM_OLD_NAME, "SU-08", NULL},
        {"Archived-At", FORM_URI, "AT-01", NULL},
        {"X-Archived-At", FORM_OLD_NAME, "AT-08", NULL},
        {"List-Id", FORM_LIST_ID, "LI-01", "LI-05"},
        {"List-Help", FORM_URI_LIST, "LH-05", "LH-02"},
        {"List-Subscribe", FORM_URI_LIST, "LH-05", "LH-02"},
        {"List-Unsubscribe", FORM_URI_LIST, "LH-05", "LH-02"},
        {"List-Unsubscribe-Post", FORM_ONE_CLICK, "RFC 8058 3.1", "RFC 8058 3.1"},
        {"List-Post", FORM_URI_LIST, "LH-05", "LH-02"},
        {"List-Owner", FORM_URI_LIST, "LH-05", "LH-02"},
        {"List-Archive", FORM_URI_LIST, "LH-05", "LH-02"},
        {"X-List-Sequence", FORM_NUMBER, "SU-16", "SU-16"},
        {"X-List-Sequence-Number", FORM_NUMBER, "R1-04", "R1-04"},
        {"X-List-ID-Hash", FORM_LIST_HASH, "R1-01", "R1-01"},
        {"X-Alt-Message-ID", FORM_TEXT, "public-inbox", NULL},
        {"List-Sequence", FORM_OLD_NAME, "SU-27", NULL},
    };
    (void)state;
    assert_int_equal(CHECK_COUNT(rows), owned_field_count);
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        const struct owned_field *f = owned_field_find(field_name_find(span_cstr(rows[i].name)));
        check_row(rows[i].name);
        assert_non_null(f);
        check_int("form", rows[i].form, f->form);
        check_str("clause of the form", rows[i].form_clause, f->form_clause);
        check_str("clause of a single one", rows[i].single_clause, f->single_clause);
    }
    check_end();
}

static void test_nobody_owns_the_others(void **state)
{
    static const char *const names[] = {
        "Message-ID", "Date",          "From",           "Subject",  "Received",
        "To",         "Content-Type",  "X-No-Archive",   "Archive",  "X-Archive",
        "References", "List-Software", "DKIM-Signature", "Restrict", "Precedence"};
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(names); i++) {
        check_row(names[i]);
        check_bool("not owned", true,
                   owned_field_find(field_name_find(span_cstr(names[i]))) == NULL);
    }
    check_bool("no name", true, owned_field_find(FIELD_NAME_COUNT) == NULL);
    check_end();
}

/* RULINGS 18, 26, 28, 29, 116 */
static void test_readable(void **state)
{
    static const struct {
        const char *name, *value;
        bool readable;
    } rows[] = {
        {"Archived-At", " <https://a.example/1>", true},
        {"Archived-At", "\r\n (c) <https://a.example/1>\r\n", true},
        {"Archived-At", "https://a.example/1", false},
        {"Archived-At", "", false},
        {"Archived-At", "<>", false},
        {"Archived-At", "<https://a.example/1", false},
        {"X-Archived-At", "<https://a.example/1>", true},
        {"X-Archived-At", "https://a.example/1", false},
        {"List-Help", "<mailto:help@x.example>", true},
        {"List-Help", "<mailto:help@x.example> (c), <https://x.example/>", true},
        {"List-Help", "<>, <https://x.example/>", true},
        {"List-Help", "<>, <no scheme>", false},
        {"List-Help", "\"x\" <mailto:help@x.example>", false},
        {"List-Help", "http://x.example/", false},
        {"List-Help", "NO", false},
        {"List-Subscribe", "(c", false},
        {"List-Unsubscribe", " \t", false},
        {"List-Owner", "x", false},
        {"List-Archive", "<https://x.\r\r\n example/>", true},
        {"List-Archive", "<https://x.example/>\r", true},
        {"List-Archive", "<https://x.example/>\rList-Post: x", false},
        {"List-Post", "no (closed)", true},
        {"List-Post", "<NO>", false},
        {"List-Post", "<mailto:dev@x.example>", true},
        {"List-Id", "Dev <dev.x.example>", true},
        {"List-Id", "dev.x.example", false},
        {"List-Id", "\"Dev <dev.x.example>", false},
        {"List-Id", "< >", false},
        {"List-Id", "a\rb <dev.x.example>", false},
        {"List-Unsubscribe-Post", "\r\n list-unsubscribe=one-click ", true},
        {"List-Unsubscribe-Post", "List-Unsubscribe = One-Click", false},
        {"List-Unsubscribe-Post", "", false},
        {"X-List-Sequence", "any text", true},
        {"X-List-Sequence", "1\r2", false},
        {"Message-ID-Hash", "", true},
        {"X-Message-ID-Hash", "any text", true},
        {"X-List-ID-Hash", "", true},
        {"X-Alt-Message-ID", "", true},
        {"List-Sequence", "\rx", false},
    };
    struct arena arena;
    (void)state;
    arena_init(&arena, 0);
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        const struct owned_field *f = owned_field_find(field_name_find(span_cstr(rows[i].name)));
        check_row(rows[i].value);
        check_bool(rows[i].name, rows[i].readable,
                   owned_field_is_readable(f, span_cstr(rows[i].value), &arena));
    }
    check_end();
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_forms),
        cmocka_unit_test(test_nobody_owns_the_others),
        cmocka_unit_test(test_readable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

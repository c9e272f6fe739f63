/* config/read: report, schema. */
#include "check.h"

#include "config/read/report.h"
#include "config/read/schema.h"

/* The one form of a message: a part that is missing leaves no trace. */
static void test_say(void **state)
{
    static const struct {
        struct place place;
        const char *value, *message;
    } rows[] = {
        {{"a.conf", 3, "key", {NULL, 0}, NULL, {NULL, 0}},
         "v",
         "a.conf:3: key: \"v\" is not known (did you mean \"1\"?)"},
        {{"a.conf", 3, "key", {NULL, 0}, NULL, {NULL, 0}},
         "",
         "a.conf:3: key: \"\" is not known (did you mean \"1\"?)"},
        {{"a.conf", 3, "key", {NULL, 0}, NULL, {NULL, 0}},
         NULL,
         "a.conf:3: key: is not known (did you mean \"1\"?)"},
        {{"a.conf", 3, NULL, {NULL, 0}, NULL, {NULL, 0}},
         NULL,
         "a.conf:3: is not known (did you mean \"1\"?)"},
        {{"a.conf", 0, NULL, {NULL, 0}, NULL, {NULL, 0}},
         NULL,
         "a.conf: is not known (did you mean \"1\"?)"},
        {{"a\nb.conf", 0, "key", {NULL, 0}, NULL, {NULL, 0}},
         "x\ry",
         "a?b.conf: key: \"x?y\" is not known (did you mean \"1\"?)"},
        {{"a.conf", 3, "key", {"l.x", 3}, NULL, {"o.x", 3}},
         NULL,
         "a.conf:3: key: is not known (did you mean \"1\"?), in list \"l.x\": list \"o.x\""},
        {{"a.conf", 3, "key", {"l.x", 3}, "the defaults", {NULL, 0}},
         "v",
         "a.conf:3: key: \"v\" is not known (did you mean \"1\"?), in list \"l.x\", which takes it "
         "from the defaults"},
    };
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        struct diagnostics d;
        struct strbuf out = STRBUF_INIT;
        diagnostics_init(&d);
        check_row(rows[i].message);
        say(&d, SEVERITY_ERROR, rows[i].place,
            rows[i].value == NULL ? NO_TEXT : span_cstr(rows[i].value), ERROR_MISSPELT_KEY,
            WITH("", "1"));
        diagnostics_format(&d, 0, &out);
        check_text("message", rows[i].message, strbuf_span(&out));
        strbuf_free(&out);
        diagnostics_free(&d);
    }
    check_end();
}

/* The name of a file has nothing that a terminal obeys. */
static void test_control_characters(void **state)
{
    static const struct {
        const char *file, *shown;
    } rows[] = {
        {"a\nb", "a?b: x"},
        {"a\x1B[2J", "a?[2J: x"},
        {"a\x7F", "a?: x"},
        {"\xC2\x9B"
         "2J",
         "?2J: x"},
        {"\x9B"
         "2J",
         "?2J: x"},
        {"\xC3\xA4\xE2\x82\xAC", "\xC3\xA4\xE2\x82\xAC: x"},
        {"\xC2\xA0", "\xC2\xA0: x"},
        {"\xE2\x82", "??: x"},
    };
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        struct diagnostics d;
        struct strbuf out = STRBUF_INIT;
        diagnostics_init(&d);
        check_row(rows[i].file);
        say(&d, SEVERITY_DELEGATED, place_of(rows[i].file, 0, NULL), NO_TEXT, ERROR_STORE,
            WITH("x"));
        diagnostics_format(&d, 0, &out);
        check_text("shown", rows[i].shown, strbuf_span(&out));
        strbuf_free(&out);
        diagnostics_free(&d);
    }
    check_end();
}

static void test_flood(void **state)
{
    struct diagnostics d;
    (void)state;
    diagnostics_init(&d);
    d.with_hints = true;
    for (int i = 0; i < 5000; i++)
        say(&d, SEVERITY_HINT, place_of("f", i, NULL), NO_TEXT, HINT_NO_FILE, NULL);
    for (int i = 0; i < 5000; i++)
        say(&d, SEVERITY_DELEGATED, place_of("f", i, NULL), NO_TEXT, ERROR_EMPTY, NULL);
    for (int i = 0; i < 5000; i++)
        say(&d, SEVERITY_ERROR, place_of("f", i, NULL), NO_TEXT, ERROR_EMPTY, NULL);
    assert_int_equal(d.errors, 5000);
    assert_int_equal(d.delegated, 5000);
    assert_int_equal(d.hints, 5000);
    assert_int_equal(d.count, 2 * DIAGNOSTICS_KEPT + HINTS_KEPT); /* hints crowd no error out */
    diagnostics_free(&d);
}

static void test_long_values(void **state)
{
    char text[300];
    struct shown shown;
    (void)state;
    for (size_t i = 0; i < sizeof text; i += 3)
        memcpy(text + i, "\xE2\x82\xAC", 3);
    const char *cut = shown_text(span_of(text, sizeof text), &shown);
    assert_true(strlen(cut) < sizeof shown.text);
    assert_string_equal(cut + strlen(cut) - 3, "...");
    assert_int_equal((strlen(cut) - 3) % 3, 0); /* whole characters */
    assert_string_equal(shown_text(span_of("a\0b", 3), &shown), "a?b");
    assert_string_equal(shown_text(span_of(NULL, 0), &shown), "");
    memset(text, '\xff', sizeof text);
    shown_text(span_of(text, sizeof text), &shown);
}

/* Each remark has a name of its own, which stays. */
static void test_names(void **state)
{
    (void)state;
    for (enum remark i = REMARK_NONE + 1; i < REMARK_COUNT; i++)
        for (enum remark k = REMARK_NONE + 1; k < i; k++)
            if (strcmp(remarks[i].name, remarks[k].name) == 0)
                fail_msg("%s", remarks[i].name);
}

/* Every key has its row, in its section's part of the table, and a sensible default. */
static void test_table(void **state)
{
    (void)state;
    for (int key = 0; key < KEY_COUNT; key++) {
        const struct schema_key *row = &schema[key];
        assert_non_null(row->name);
        check_row(row->name);
        check_bool("its place", true, key == 0 || row->section >= schema[key - 1].section);
        check_int("found", key, (int)schema_find(row->section, span_cstr(row->name)));
        check_bool("a section", key >= KEY_LIST && key <= KEY_TOKEN,
                   schema_is_section((enum key)key));
        check_bool("choices", row->kind == KIND_CHOICE, row->choices != NULL);
        if (key == KEY_MANAGER)
            check_bool("no list manager by default", true, row->built_in == NULL);
        else if (row->kind == KIND_CHOICE)
            check_int("the first choice is the default", 0,
                      schema_choice((enum key)key, row->built_in->text));
        if (row->kind == KIND_BOOL)
            check_bool("a boolean default", true, schema_bool(row->built_in->text) >= 0);
    }
    check_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_say),   cmocka_unit_test(test_control_characters),
        cmocka_unit_test(test_flood), cmocka_unit_test(test_long_values),
        cmocka_unit_test(test_table), cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

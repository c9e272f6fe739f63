/* The functions of config/read/ that need no configuration: config_read.txt has their cases. */
#include "table.h"

#include "config/read/files.h"
#include "config/read/report.h"
#include "config/read/schema.h"
#include "config/read/trust.h"

/* ---- trust: LI-13, RULINGS 23, 27 ---- */

#define RULES_MAX 3

/* RULE[, RULE]... | CLIENT: an address, or words: local, authenticated, NAME of the daemon. */
static void trusts(const struct span *in, struct strbuf *out)
{
    struct trust_rule rules[RULES_MAX];
    struct trust_rules all = {rules, 0};
    struct client client = {.local = span_starts_nocase(in[1], span_cstr("local"))};
    client.authenticated = span_starts_nocase(in[1], span_cstr("authenticated"));
    client.daemon_name = in[2].p != NULL ? in[2] : span_cstr("");
    client.has_address = trust_address_parse(in[1], &client.address);
    for (struct span rest = in[0]; rest.n > 0 && all.count < RULES_MAX;) {
        struct span rule = span_sub(rest, 0, span_find(rest, ','));
        rest = span_trim(span_sub(rest, rule.n + 1, rest.n));
        check_int("a rule", REMARK_NONE, trust_rule_read(rule, &rules[all.count++]));
    }
    table_add_bool(out, trust_matches(&all, &client));
}

static void trust_fault_of(const struct span *in, struct strbuf *out)
{
    struct trust_rule rule;
    enum remark wrong = trust_rule_read(in[0], &rule);
    strbuf_add_str(out, wrong == REMARK_NONE ? "fine" : remarks[wrong].name);
}

/* ---- names of files ---- */

static void fits(const struct span *in, struct strbuf *out)
{
    const char *pattern = arena_strdup(&table_arena, in[0]);
    table_add_bool(out, path_fits(&pattern, 1, arena_strdup(&table_arena, in[1])));
}

/* ---- messages ---- */

static const char *text_of(struct span in)
{
    return span_eq(in, span_cstr("-")) ? NULL : arena_strdup(&table_arena, in);
}

/* FILE | LINE | KEY | VALUE | LIST | TAKEN FROM | OTHER LIST, "-" for what is missing. */
static void said(const struct span *in, struct strbuf *out)
{
    struct diagnostics d;
    struct place place = place_of(text_of(in[0]), (int)table_number(in[1]), text_of(in[2]));
    if (in[4].p != NULL) {
        place.list = text_of(in[4]) != NULL ? in[4] : span_of(NULL, 0);
        place.taken_from = text_of(in[5]);
        place.other = text_of(in[6]) != NULL ? in[6] : span_of(NULL, 0);
    }
    diagnostics_init(&d);
    say(&d, SEVERITY_ERROR, place, text_of(in[3]) != NULL ? in[3] : NO_TEXT, ERROR_STORE,
        WITH("is no store"));
    diagnostics_format(&d, 0, out);
    diagnostics_free(&d);
}

/* Hints crowd no error out. */
static void test_flood(void **state)
{
    static const struct {
        enum severity severity;
        enum remark remark;
    } rows[] = {{SEVERITY_HINT, HINT_NO_FILE},
                {SEVERITY_DELEGATED, ERROR_EMPTY},
                {SEVERITY_ERROR, ERROR_EMPTY}};
    struct diagnostics d;
    (void)state;
    diagnostics_init(&d);
    d.with_hints = true;
    for (int i = 0; i < 15000; i++)
        say(&d, rows[i / 5000].severity, place_of("f", i, NULL), NO_TEXT, rows[i / 5000].remark,
            NULL);
    assert_int_equal(d.errors, 5000);
    assert_int_equal(d.delegated, 5000);
    assert_int_equal(d.hints, 5000);
    assert_int_equal(d.count, 2 * DIAGNOSTICS_KEPT + HINTS_KEPT);
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

/* ---- tables ---- */

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
static void test_schema(void **state)
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
    static const struct table_function functions[] = {
        {"trust_matches", .call = trusts, .least = 2, .most = 3},
        {"trust_rule_read", .call = trust_fault_of},
        {"path_fits", .call = fits, .least = 2},
        {"say", .call = said, .least = 4, .most = 7},
        {"test_flood", .test = test_flood},
        {"test_long_values", .test = test_long_values},
        {"test_names", .test = test_names},
        {"test_schema", .test = test_schema},
    };
    return table_run("config_read.txt", functions, CHECK_COUNT(functions));
}

/* lint: the places of findings; tests/findings shows the findings of each field (RULINGS 93) */
#include "lint/lint.h"
#include "text/strbuf.h"

#include "check.h"

struct linted {
    struct lint lint;
    struct message message;
};

static void begin(struct linted *l, const char *domain, struct span text)
{
    lint_init(&l->lint);
    message_init(&l->message);
    l->lint.domain = span_cstr(domain);
    message_split(&l->message, text);
    lint_message(&l->lint, &l->message);
}

static void end(struct linted *l)
{
    lint_free(&l->lint);
    message_free(&l->message);
}

/* "name:place name:place ...", without a place for a missing field */
static void describe(const struct linted *l, struct strbuf *out)
{
    strbuf_reset(out);
    for (size_t i = 0; i < l->lint.count; i++) {
        struct lint_finding finding = l->lint.findings[i];
        strbuf_addf(out, "%s%s", i > 0 ? " " : "", lint_rules[finding.rule].name);
        if (finding.place != LINT_NO_PLACE)
            strbuf_addf(out, ":%zu", finding.place);
    }
}

#define WELL                                                                                       \
    "Message-ID: <a@b.example>\n"                                                                  \
    "List-Id: A <a.b.example>\n"                                                                   \
    "List-Unsubscribe: <https://b.example/u>,\n <mailto:u@b.example>\n"                            \
    "List-Unsubscribe-Post: List-Unsubscribe=One-Click\n"                                          \
    "DKIM-Signature: d=b.example; h=list-id:list-unsubscribe:\n list-unsubscribe-post\n"

static void test_places(void **state)
{
    static const struct {
        const char *domain, *text, *found;
    } rows[] = {
        {"", WELL "\n", ""},
        {"example", WELL "\n", "dkim-missing"}, /* that many sign in */
        {"c.example", WELL "\n", "list-id-authority:1 dkim-missing"},
        {"", "From x\n" WELL "\nX-Archived-At: in the body\n", ""},
        {"", "X-Archived-At: x\n" WELL "List-Help:\n x\nX-Archived-At: x\n\n",
         "old-name:0 brackets:6 old-name:7 dkim-uncovered"},
        {"", WELL "X: y\n z\nno field\n", "header-cut:6"},
        {"", "", "message-id-missing list-id-missing"},
        {"b.example", "", "message-id-missing list-id-missing unsubscribe-missing dkim-missing"},
        {"", WELL "List-Id: B <c.b.example>\n", "copies:5"},
        {"", WELL "From: x@c.example\n", "from-unsigned:5"},
    };
    struct strbuf got = STRBUF_INIT;
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        struct linted l;
        check_row(rows[i].text);
        begin(&l, rows[i].domain, span_cstr(rows[i].text));
        describe(&l, &got);
        check_str("found", rows[i].found, strbuf_str(&got));
        end(&l);
    }
    strbuf_free(&got);
    check_end();
}

/* The part of the field that is wrong, and the clause of the rule or of the field. */
static void test_shown(void **state)
{
    static const struct {
        const char *text, *name, *shown, *clause;
    } rows[] = {
        {"List-Help: <mailto:a@b.c>, x (y\n", "brackets", ", x (y", "LH-13"},
        {"List-Help: <mailto:a@b.c>,\n <https://\n b\tc>\n", "uri-space", "<https:// b\tc>",
         "LH-05"},
        {"List-Help: <https:// {b}>\n", "uri-form", "<https:// {b}>", "LH-05"},
        {"List-Id: A < a.b.c>\n", "list-id-text", "< a.b.c>", "LI-08"},
        {"List-Id: A < a >\n", "list-id-form", "< a >", "LI-01"},
        {"Archived-At: <{archive}>\n", "uri-form", "{archive}", "AT-01"},
        {"List-Id: A <a.b.c>\nList-Id: A <a.b.c>\n", "copies", "", "LI-05"},
        {"List-Id: A <a.b.c>\nList-Post: NO\nX-Archived-At: x\nDKIM-Signature: d=b.c\n",
         "dkim-uncovered", "List-Id, List-Post", "RFC 6376 5.4"},
        {"From: x@y.z\nList-Id: A <a.b.c>\n", "from-unsigned", "y.z", "RFC 7489 3.1.1"},
    };
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        const struct lint_finding *found = NULL;
        struct linted l;
        check_row(rows[i].text);
        begin(&l, "", span_cstr(rows[i].text));
        for (size_t k = l.lint.count; k-- > 0;)
            if (strcmp(lint_rules[l.lint.findings[k].rule].name, rows[i].name) == 0)
                found = &l.lint.findings[k];
        assert_non_null(found);
        check_span("shown", span_cstr(rows[i].shown), found->shown);
        check_str("clause", rows[i].clause, lint_clause(found));
        end(&l);
    }
    check_end();
}

/* A field may hold any number of URIs. */
static void test_repeats(void **state)
{
    struct strbuf text = STRBUF_INIT;
    size_t count = 0;
    struct linted l;
    (void)state;
    strbuf_add_str(&text, "List-Help: <mailto:a@b.c>");
    for (int i = 0; i < 3 * LINT_REPEATS; i++)
        strbuf_addf(&text, ",<http://b/%d>,<x>", i);
    strbuf_add_str(&text, "\nList-Owner: <http://b/>,<mailto:a@b.c>\n");
    begin(&l, "", strbuf_span(&text));
    for (size_t i = 0; i < l.lint.count; i++)
        count += l.lint.findings[i].rule == LINT_URI_HTTP;
    assert_int_equal(count, LINT_REPEATS + 1);
    end(&l);
    strbuf_free(&text);
}

/* The hash is that of an id in the last of so many fields (RULINGS 122). */
static void test_other_ids(void **state)
{
    struct strbuf text = STRBUF_INIT, got = STRBUF_INIT;
    (void)state;
    for (int count = 8; count <= 9; count++) {
        struct linted l;
        strbuf_reset(&text);
        strbuf_add_str(&text, "Message-ID: <a@b>\nList-Help: <mailto:u@b>\n"
                              "Message-ID-Hash: NAXQARI5XCDZEGGG2JZ5SPE3FPR73ZE7\n");
        for (int i = 1; i < count; i++)
            strbuf_addf(&text, "X-%d-Message-ID: <%d@b>\n", i, i);
        strbuf_add_str(&text, "X-Original-Message-ID: <old@example.org>\n\n");
        begin(&l, "", strbuf_span(&text));
        describe(&l, &got);
        check_str("found",
                  count == 8 ? "message-id-changed:2 list-id-missing unsubscribe-missing"
                             : "hash-wrong:2 list-id-missing unsubscribe-missing",
                  strbuf_str(&got));
        end(&l);
    }
    strbuf_free(&text);
    strbuf_free(&got);
    check_end();
}

/* RULINGS 71: nothing is said of a header that was not read to its end. */
static void test_large_header(void **state)
{
    struct strbuf text = STRBUF_INIT, got = STRBUF_INIT;
    struct linted l;
    (void)state;
    strbuf_add_str(&text, "From: x@c.example\nList-Help: x\nMessage-ID: <a@b>\n");
    for (int i = 3; i < HEADER_MAX_FIELDS; i++)
        strbuf_add_str(&text, "X: y\n");
    strbuf_add_str(&text, "Message-ID: <c@d>\nX-Archived-At: z\n\n");
    begin(&l, "", strbuf_span(&text));
    describe(&l, &got);
    assert_string_equal(strbuf_str(&got), "header-cut:5000");
    end(&l);
    strbuf_free(&text);
    strbuf_free(&got);
    check_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_places), cmocka_unit_test(test_shown), cmocka_unit_test(test_repeats),
        cmocka_unit_test(test_other_ids), cmocka_unit_test(test_large_header)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

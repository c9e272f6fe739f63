/* lint: findings of a message, their order, lines, texts and memory (RULINGS 93). What is found in
 * which field is shown by tests/findings. */
#include "lint/lint.h"

#include "check.h"

#define ENOUGH 2000 /* requests; a message takes some tens */

struct linted {
    struct lint lint;
    struct message message;
};

static void begin(struct linted *l, const char *domain)
{
    lint_init(&l->lint);
    message_init(&l->message);
    l->lint.domain = span_cstr(domain);
}

static void look(struct linted *l, struct span text)
{
    message_split(&l->message, text);
    assert_int_equal(lint_message(&l->lint, &l->message), 0);
}

static void end(struct linted *l)
{
    lint_free(&l->lint);
    message_free(&l->message);
}

/* "name:line name:line ..." */
static void describe(const struct linted *l, struct strbuf *out)
{
    const struct lint_findings *found = &l->lint.findings;
    struct lint_lines lines = {.place = 0, .line = 1};

    strbuf_reset(out);
    for (size_t i = 0; i < found->count; i++) {
        const struct lint_finding *finding = &found->items[i];

        strbuf_addf(out, "%s%s:%zu", i > 0 ? " " : "", lint_rules[finding->rule].name,
                    lint_line(&lines, finding, &l->message));
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
        {"b.example", WELL "\n", ""},
        {"example", WELL "\n", "dkim-missing:0"}, /* that many sign in */
        {"c.example", WELL "\n", "list-id-authority:2 dkim-missing:0"},
        {"", "From x\n" WELL "\nX-Archived-At: in the body\n", ""},
        {"", WELL "X-Archived-At: x\n", "old-name:8"},
        /* the order of places, whatever was found first; what is missing comes last */
        {"", "X-Archived-At: x\n" WELL "List-Help:\n x\nX-Archived-At: x\n\n",
         "old-name:1 brackets:9 old-name:11 dkim-uncovered:0"},
        {"", WELL "X: y\n z\nno field\n", "header-cut:10"},
        {"", WELL "X: y\n z\r\n\r\n", ""},
        {"", "", "message-id-missing:0 list-id-missing:0"},
        {"b.example", "",
         "message-id-missing:0 list-id-missing:0 unsubscribe-missing:0 dkim-missing:0"},
        /* without what a message has, its hash cannot be wrong by itself */
        {"", "Message-ID-Hash: x\n" WELL, "hash-wrong:1 dkim-uncovered:0"},
        {"", WELL "List-Id: B <c.b.example>\n", "copies:8"},
        {"", WELL "Message-ID: <c@d.example>\n", "message-id-copies:8"},
        {"", WELL "From: x@b.example\n", ""},
        {"", WELL "From: x@c.example\n", "from-unsigned:8"},
    };
    struct strbuf got = STRBUF_INIT;

    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        struct linted l;

        check_row(rows[i].text);
        begin(&l, rows[i].domain);
        look(&l, span_cstr(rows[i].text));
        describe(&l, &got);
        check_str("found", rows[i].found, strbuf_str(&got));
        end(&l);
    }
    strbuf_free(&got);
    check_end();
}

/* Every rule says what to read, what to write, and who is told so. */
static void test_rules(void **state)
{
    (void)state;
    for (size_t i = 0; i < LINT_RULE_COUNT; i++) {
        const struct lint_rule_text *rule = &lint_rules[i];

        assert_non_null(rule->name);
        check_row(rule->name);
        check_bool("a title", true, rule->title != NULL && *rule->title != '\0');
        check_bool("what to write", true, rule->instead != NULL && *rule->instead != '\0');
        check_bool("a level", true, rule->level < LINT_LEVEL_COUNT);
        for (size_t k = 0; k < i; k++)
            check_bool("one of that name", true, strcmp(rule->name, lint_rules[k].name) != 0);
    }
    check_row("levels");
    check_str("worst", "error", lint_level_text(LINT_ERROR));
    check_str("next", "warning", lint_level_text(LINT_WARNING));
    check_str("least", "advice", lint_level_text(LINT_ADVICE));
    check_end();
}

/* What a check says of a finding is of the last one, if that was kept. */
static void test_repeats(void **state)
{
    struct lint_findings found;

    (void)state;
    lint_findings_init(&found);
    lint_cite(&found, "nothing");
    lint_instead(&found, "nothing");
    for (int i = 0; i < 3 * LINT_REPEATS; i++) {
        lint_find(&found, LINT_URI_HTTP, FIELD_LIST_HELP, 4, "%d", i);
        lint_instead(&found, "instead %d", i);
        lint_cite(&found, i < LINT_REPEATS ? "clause" : "of another one");
    }
    assert_int_equal(found.count, LINT_REPEATS);
    for (size_t i = 0; i < found.count; i++) {
        char text[40];

        snprintf(text, sizeof text, "instead %zu", i);
        assert_string_equal(found.items[i].text, text + sizeof "instead");
        assert_string_equal(found.items[i].instead, text);
        assert_string_equal(found.items[i].clause, "clause");
    }
    /* Another rule, another place, and none. */
    lint_find(&found, LINT_URI_FORM, FIELD_LIST_HELP, 4, "x");
    lint_find(&found, LINT_URI_HTTP, FIELD_LIST_HELP, 5, "x");
    for (int i = 0; i < 2 * LINT_REPEATS; i++)
        lint_find(&found, LINT_URI_HTTP, FIELD_LIST_HELP, LINT_NO_PLACE, "x");
    assert_int_equal(found.count, 3 * LINT_REPEATS + 2);
    assert_string_equal(found.items[LINT_REPEATS].clause, "LH-05"); /* of the field */
    lint_findings_reset(&found);
    assert_int_equal(found.count, 0);
    lint_findings_free(&found);
}

static void test_without_texts(void **state)
{
    struct lint_findings found;

    (void)state;
    lint_findings_init(&found);
    found.wants_texts = false;
    lint_find(&found, LINT_URI_HTTP, FIELD_LIST_HELP, 4, "%d", 1);
    assert_string_equal(found.items[0].text, "");
    assert_string_equal(found.items[0].clause, lint_rules[LINT_URI_HTTP].clause);
    lint_findings_free(&found);
}

/* One struct lint for an archive: each message as if it were the only one, although what was found
 * in the fields of the one before is remembered. */
static void test_one_after_the_other(void **state)
{
    static const char *const texts[] = {
        "List-Help: x\nList-Owner: <http://a>\n\n",
        "List-Help: x\nList-Owner: <http://a>\n\n",
        "X: y\nlist-help: x\nList-Owner: <http://b>, <c:d> e\n\n",
        "List-Owner: <http://b>, <c:d> e\nList-Help:\n x\nList-Help: x\n\n",
        "List-Help: <mailto:a@b>\nList-Owner:\nList-Post: x\n\n",
        WELL "\n",
        "List-Post: <mailto:a@c.example>\nList-Id: <a.b.example>\n\n",
        "List-Post: NO\nList-Id: <a.b.example>\n\n",
        "",
    };
    struct strbuf expected = STRBUF_INIT, got = STRBUF_INIT;
    struct linted all;

    (void)state;
    begin(&all, "");
    all.lint.findings.wants_texts = false;
    for (size_t i = 0; i < CHECK_COUNT(texts) * CHECK_COUNT(texts); i++) {
        const char *text = texts[i % 2 == 0 ? i / 2 % CHECK_COUNT(texts) : i % CHECK_COUNT(texts)];
        struct linted alone;

        check_row(text);
        begin(&alone, "");
        look(&alone, span_cstr(text));
        describe(&alone, &expected);
        look(&all, span_cstr(text));
        describe(&all, &got);
        check_span("found", strbuf_span(&expected), strbuf_span(&got));
        check_span("id", alone.lint.id, all.lint.id);
        end(&alone);
    }
    end(&all);
    strbuf_free(&expected);
    strbuf_free(&got);
    check_end();
}

/* RULINGS 71: of what was not kept nobody knows anything. */
static void test_large_header(void **state)
{
    static const char above[] = "From: x@c.example\nList-Id: A <a.b.example>\n"
                                "Message-ID-Hash: x\nX-List-ID-Hash: x\n"
                                "Archived-At: <https://a/ABCDEFGHIJKLMNOPQRSTUVWXYZ234567>\n"
                                "List-Unsubscribe-Post: List-Unsubscribe=One-Click\n";
    struct strbuf text = STRBUF_INIT, got = STRBUF_INIT;
    struct linted l;

    (void)state;
    begin(&l, "");
    strbuf_add_str(&text, above);
    for (int i = 0; i < HEADER_MAX_FIELDS; i++)
        strbuf_add_str(&text, "X: y\n");
    strbuf_add_str(&text, "Message-ID: <a@b>\nMessage-ID: <c@d>\nX-Archived-At: z\n\n");
    look(&l, strbuf_span(&text));
    describe(&l, &got);
    assert_string_equal(strbuf_str(&got), "header-unread:0");
    assert_null(l.lint.id.p);
    /* What is there is looked at all the same. */
    strbuf_reset(&text);
    strbuf_add_str(&text, "Message-ID: <a@b.example>\nMessage-ID-Hash: x\nList-Help: x\n");
    for (int i = 0; i < HEADER_MAX_FIELDS; i++)
        strbuf_add_str(&text, "X: y\n");
    strbuf_add_str(&text, "Message-ID: <c@d>\n\n");
    look(&l, strbuf_span(&text));
    describe(&l, &got);
    assert_string_equal(strbuf_str(&got), "hash-wrong:2 brackets:3 header-unread:0");
    end(&l);
    strbuf_free(&text);
    strbuf_free(&got);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rules),
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_repeats),
        cmocka_unit_test(test_without_texts),
        cmocka_unit_test(test_one_after_the_other),
        cmocka_unit_test(test_large_header),

    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

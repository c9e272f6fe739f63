/* ctl/import/alias_file: what Postfix and Sendmail take for an alias, and what nobody does. */
#include "ctl/import/alias_file.h"

#include "check.h"
#include "text/strbuf.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* "LINE name -> KIND:target KIND:target; " */
static void note_alias(void *context, const struct alias *alias)
{
    static const char kinds[] = "@|/i";
    struct strbuf *out = context;
    strbuf_addf(out, "%d ", alias->line);
    strbuf_add_span(out, alias->name);
    strbuf_add_str(out, " ->");
    for (size_t i = 0; i < alias->count; i++) {
        strbuf_addf(out, " %c:", kinds[alias->targets[i].kind]);
        strbuf_add_span(out, alias->targets[i].text);
    }
    strbuf_add_str(out, "; ");
}

static void note_fault(void *context, const char *file, int line, const char *fault)
{
    (void)file;
    strbuf_addf(context, "%d %s; ", line, fault);
}

static void test_texts(void **state)
{
    static const struct {
        struct span text;
        const char *expected;
    } rows[] = {
        {CHECK_LITERAL("dev: anna, olga@example.org"), "1 dev -> @:anna @:olga@example.org; "},
        {CHECK_LITERAL("dev:anna,\n\tolga\n  , eva\nx: y\n"),
         "1 dev -> @:anna @:olga @:eva; 4 x -> @:y; "},
        {CHECK_LITERAL("# no\n  \n dev\n"), "3 goes on with an alias, but there is none; "},
        {CHECK_LITERAL("dev: a,\n# b,\n\n   # c,\n d\r\n"), "1 dev -> @:a @:d; "},
        {CHECK_LITERAL("dev: :include:/etc/dev"), "1 dev -> i:/etc/dev; "},
        {CHECK_LITERAL("dev: \":Include:/etc/my list\", b"), "1 dev -> i:/etc/my list @:b; "},
        {CHECK_LITERAL("dev: \"|/bin/x a, b (c)\""), "1 dev -> |:/bin/x a, b (c); "},
        {CHECK_LITERAL("dev: |\"/bin/x \\\"a\\\"\",/var/m(1)"),
         "1 dev -> |:/bin/x \"a\" /:/var/m(1); "},
        {CHECK_LITERAL("\"my: list\" : a"), "1 my: list -> @:a; "},
        {CHECK_LITERAL("dev@lists.example.org: a"), "1 dev@lists.example.org -> @:a; "},
        {CHECK_LITERAL("dev: \"Ann (A), B\" <ann@x> (home, (old)), \\root, (nobody)"),
         "1 dev -> @:ann@x @:root; "},
        {CHECK_LITERAL("dev:"), "1 dev ->; "},
        {CHECK_LITERAL("dev: ,, a ,"), "1 dev -> @:a; "},
        {CHECK_LITERAL("+nis\n: a\n\"\": b\nx: y"),
         "1 is no alias (expected NAME: TARGET); 2 is no alias (expected NAME: TARGET); "
         "3 is no alias (expected NAME: TARGET); 4 x -> @:y; "},
        {CHECK_LITERAL("dev: \"a, b\nx: y"), "1 dev -> @:a, b; 2 x -> @:y; "},
        {CHECK_LITERAL("dev: (a, \\"), "1 dev ->; "},
        {CHECK_LITERAL(""), ""},
    };
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        struct strbuf seen = STRBUF_INIT;
        const struct alias_visitor visitor = {&seen, note_alias, note_fault};
        check_row(rows[i].text.p);
        alias_text_each("f", rows[i].text, &visitor);
        check_text("aliases", rows[i].expected, strbuf_span(&seen));
        strbuf_free(&seen);
    }
    check_end();
}

static void test_files(void **state)
{
    char folder[] = "/tmp/mlmilter-test-XXXXXX";
    struct strbuf seen = STRBUF_INIT;
    const struct alias_visitor visitor = {&seen, note_alias, note_fault};
    (void)state;
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    assert_int_equal(mkfifo("fifo", 0600), 0);
    FILE *file = fopen("aliases", "w");
    assert_non_null(file);
    fputs("dev: a, b\n", file);
    assert_int_equal(fclose(file), 0);
    alias_file_each("aliases", &visitor);
    alias_file_each("fifo", &visitor); /* without a writer */
    alias_file_each("none", &visitor);
    assert_string_equal(strbuf_str(&seen), "1 dev -> @:a @:b; 0 is not a regular file; "
                                           "0 No such file or directory; ");
    strbuf_free(&seen);
    unlink("aliases");
    unlink("fifo");
    assert_int_equal(chdir("/"), 0);
    rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

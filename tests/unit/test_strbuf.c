/* Unit tests of text/strbuf. */
#include "check.h"

#include "text/strbuf.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <sysexits.h>
#include <unistd.h>

static void test_additions(void **state)
{
    struct strbuf b = STRBUF_INIT;
    (void)state;
    assert_null(b.data);
    assert_string_equal(strbuf_str(&b), "");
    assert_int_equal(strbuf_span(&b).n, 0);
    strbuf_add(&b, NULL, 0);
    strbuf_add_str(&b, "ab");
    strbuf_add_char(&b, '\0');
    strbuf_add_span(&b, CHECK_SPAN("c\0d"));
    strbuf_addf(&b, "%s-%03d", "x", 7);
    assert_true(span_eq(strbuf_span(&b), CHECK_SPAN("ab\0c\0dx-007")));
    assert_int_equal(b.data[b.len], 0);
    strbuf_truncate(&b, 99);
    assert_int_equal(b.len, 11);
    strbuf_truncate(&b, 1);
    assert_string_equal(strbuf_str(&b), "a");
    strbuf_reset(&b);
    assert_string_equal(strbuf_str(&b), "");
    strbuf_add_str(&b, "again");
    assert_string_equal(strbuf_str(&b), "again");
    strbuf_free(&b);
    assert_null(b.data);
}

/* Every length around the places where the buffer grows. */
static void test_growth(void **state)
{
    (void)state;
    for (int length = 0; length < 300; length++) {
        struct strbuf one, two;
        strbuf_init(&one);
        strbuf_init(&two);
        for (int i = 0; i < length; i++)
            strbuf_add_char(&one, (char)('a' + i % 26));
        strbuf_addf(&two, "%s", strbuf_str(&one));
        strbuf_addf(&two, "%s", "");
        assert_int_equal(one.len, length);
        assert_true(span_eq(strbuf_span(&one), strbuf_span(&two)));
        assert_int_equal(strlen(strbuf_str(&two)), length);
        strbuf_addf(&two, "%*s|", length, "");
        assert_int_equal(two.len, 2 * length + 1);
        strbuf_free(&one);
        strbuf_free(&two);
    }
}

/* Nothing can be done without memory: exit status 71. */
static void test_exhausted(void **state)
{
    struct strbuf b = STRBUF_INIT;
    int status;
    (void)state;
    pid_t pid = fork();
    if (pid == 0) {
        strbuf_add(&b, "x", SIZE_MAX - 2);
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), EX_OSERR);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_additions),
        cmocka_unit_test(test_growth),
        cmocka_unit_test(test_exhausted),

    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

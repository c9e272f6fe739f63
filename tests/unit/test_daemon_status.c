/* ctl/daemon_status: what is read of a status file (mlmilter(8): FILES), and where that is. */
#include "check.h"

#include "ctl/daemon_status.h"
#include "system/paths.h"

#include <stdlib.h>

static void test_path(void **state)
{
    static const struct {
        const char *pid_file, *status;
    } rows[] = {
        {"/run/mlmilter/mlmilter.pid", "/run/mlmilter/mlmilter.status"},
        {"/run/a.b/second.pid", "/run/a.b/mlmilter.status"},
        {"run/mlmilter", "run/mlmilter.status"},
        {".pid", "mlmilter.status"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char *path = path_of_status(rows[i].pid_file);
        assert_string_equal(path, rows[i].status);
        free(path);
    }
}

/* "KEY=VALUE;" for each line. */
static void check_lines(const char *text, const char *wanted)
{
    struct span rest = span_cstr(text);
    struct span key, value;
    struct strbuf got = STRBUF_INIT;
    while (daemon_status_next(&rest, &key, &value))
        strbuf_addf(&got, "%.*s=%.*s;", (int)key.n, key.p, (int)value.n, value.p);
    assert_string_equal(strbuf_str(&got), wanted);
    strbuf_free(&got);
}

static void test_lines(void **state)
{
    (void)state;
    check_lines("", "");
    check_lines("pid: 1\nload: in force\n", "pid=1;load=in force;");
    check_lines("error: /etc/x:1: key: \"v\" is wrong\n", "error=/etc/x:1: key: \"v\" is wrong;");
    check_lines("\n\nno colon\nlast: x", "last=x;");
    check_lines("empty:\nblank: \n:\n: x\n", "empty=;blank=;=;=x;");
}

static void test_value(void **state)
{
    struct daemon_status status = {.found = DAEMON_RUNS};
    (void)state;
    assert_null(daemon_status_value(&status, "pid").p);
    strbuf_add_str(&status.text, "pid: 7\nerror: a\nerror: b\n");
    assert_true(span_eq(daemon_status_value(&status, "pid"), span_cstr("7")));
    assert_true(span_eq(daemon_status_value(&status, "error"), span_cstr("a")));
    assert_null(daemon_status_value(&status, "pi").p);
    daemon_status_free(&status);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_path),
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_value),
    };
    return cmocka_run_group_tests_name("daemon_status", tests, NULL, NULL);
}

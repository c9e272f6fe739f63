/* system/paths: where the status file of a daemon is (mlmilter(8): FILES). */
#include "check.h"

#include "system/paths.h"

#include <stdlib.h>

static void test_path_of_status(void **state)
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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_path_of_status)};
    return cmocka_run_group_tests_name("paths", tests, NULL, NULL);
}

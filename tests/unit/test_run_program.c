/* run_program: what came, how it ended, and that nothing keeps the doctor waiting */
#include "ctl/doctor/run_program.h"

#include "check.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define LONG  600000 /* milliseconds; no test waits for it */
#define SHORT 50

static void test_programs(void **state)
{
    static const struct {
        const char *argv[4];
        enum program_stream stream;
        struct program_limits limits;
        const char *fault, *said; /* said: NULL: as it comes */
        int status;
    } rows[] = {
        {{"true"}, PROGRAM_OUT, {LONG, 100}, NULL, "", 0},
        {{"false"}, PROGRAM_OUT, {LONG, 100}, NULL, "", 1},
        {{"echo", "a b", "$HOME;x"}, PROGRAM_OUT, {LONG, 100}, NULL, "a b $HOME;x\n", 0},
        {{"sh", "-c", "echo out; echo err >&2; exit 3"},
         PROGRAM_OUT,
         {LONG, 100},
         NULL,
         "out\n",
         3},
        {{"sh", "-c", "echo out; echo err >&2"}, PROGRAM_ERR, {LONG, 100}, NULL, "err\n", 0},
        {{"cat"}, PROGRAM_OUT, {LONG, 100}, NULL, "", 0},
        {{"sh", "-c", "kill -9 $$"}, PROGRAM_OUT, {LONG, 100}, NULL, "", -1},
        {{"sh", "-c", "exec >&-; sleep 600"}, PROGRAM_OUT, {SHORT, 100}, "does not end", "", -1},
        {{"sleep", "600"}, PROGRAM_OUT, {SHORT, 100}, "does not end", "", -1},
        {{"sh", "-c", "sleep 600 & exit 0"}, PROGRAM_OUT, {SHORT, 100}, "does not end", "", -1},
        {{"sh", "-c", "while :; do echo y; done"},
         PROGRAM_OUT,
         {LONG, 20000},
         "says too much",
         NULL,
         -1},
        {{"mlmilter-no-such-program"}, PROGRAM_OUT, {LONG, 100}, "is not there", "", -1},
    };
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        struct program program;
        check_row(rows[i].argv[rows[i].argv[2] != NULL ? 2 : 0]);
        program_run(rows[i].argv, rows[i].stream, &rows[i].limits, &program);
        check_str("fault", rows[i].fault, program.fault);
        check_int("status", rows[i].status, program.status);
        if (rows[i].said != NULL)
            check_text("said", rows[i].said, strbuf_span(&program.said));
        check_bool("absent", i == CHECK_COUNT(rows) - 1, program.is_absent);
        program_free(&program);
    }
    check_end();
}

/* What is left of a program that was given up is ended. */
static void test_killed(void **state)
{
    static const char *const argv[] = {"sh", "-c", "echo $$; sleep 600 & wait", NULL};
    static const struct program_limits limits = {SHORT * 20, 100};
    struct program program;
    (void)state;
    program_run(argv, PROGRAM_OUT, &limits, &program);
    int group = atoi(strbuf_str(&program.said));
    check_bool("said its number", true, group > 1);
    for (int tries = 0; tries < 1000 && group > 1 && kill(-group, 0) == 0; tries++) {
        while (waitpid(-group, NULL, WNOHANG) > 0)
            continue;
        usleep(10000);
    }
    check_bool("gone", true, group <= 1 || kill(-group, 0) != 0);
    program_free(&program);
    check_end();
}

static void test_environment(void **state)
{
    static const char *const argv[] = {"env", NULL};
    struct program program;
    (void)state;
    setenv("LD_PRELOAD_NOT", "x", 1);
    setenv("IFS", "x", 1);
    setenv("MAIL_CONFIG", "/some where", 1);
    program_run(argv, PROGRAM_OUT, &program_limits, &program);
    check_text("with MAIL_CONFIG",
               "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin\nLC_ALL=C\n"
               "MAIL_CONFIG=/some where\n",
               strbuf_span(&program.said));
    program_free(&program);
    unsetenv("MAIL_CONFIG");
    program_run(argv, PROGRAM_OUT, &program_limits, &program);
    check_text("without",
               "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin\nLC_ALL=C\n",
               strbuf_span(&program.said));
    program_free(&program);
    check_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_programs),
        cmocka_unit_test(test_killed),
        cmocka_unit_test(test_environment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

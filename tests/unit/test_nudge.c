/* A nudge is a few connections to our own socket, closed at once, and not too often (nudge.h). */
#include "check.h"

#include "daemon/nudge.h"
#include "system/monotonic.h"

#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static int64_t clock_ms = 1000;

int64_t monotonic_now(void)
{
    return clock_ms;
}

static bool has_come(int listening, int milliseconds)
{
    struct pollfd come = {.fd = listening, .events = POLLIN};

    return poll(&come, 1, milliseconds) == 1;
}

/* So many connections come, and end. */
static void take_connections(int listening, int count)
{
    while (count-- > 0) {
        char octet;
        int fd;

        assert_true(has_come(listening, 20000));
        fd = accept(listening, NULL, NULL);
        assert_true(fd >= 0);
        assert_true(read(fd, &octet, 1) <= 0);
        close(fd);
    }
    assert_false(has_come(listening, 0));
}

static void check_nudges(int listening)
{
    assert_int_equal(listen(listening, 100), 0);
    nudge_use(listening);
    clock_ms += 1000;
    nudge(NULL);
    take_connections(listening, 4);
    nudge(NULL);
    clock_ms += 99;
    nudge(NULL);
    take_connections(listening, 0);
    clock_ms += 1;
    nudge(NULL);
    take_connections(listening, 4);
    close(listening);
    clock_ms += 1000;
    nudge(NULL); /* nobody is there */
}

static void test_unix(void **state)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    char folder[] = "/tmp/mlmilter-nudge-XXXXXX";
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);

    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(name.sun_path, sizeof name.sun_path, "%s/socket", folder);
    assert_int_equal(bind(fd, (struct sockaddr *)&name, sizeof name), 0);
    check_nudges(fd);
    assert_int_equal(unlink(name.sun_path), 0);
    assert_int_equal(rmdir(folder), 0);
}

static void test_inet(void **state)
{
    struct sockaddr_in name = {.sin_family = AF_INET};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    int port = 20000 + (int)(getpid() % 10000);

    (void)state;
    name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    do
        name.sin_port = htons((uint16_t)++port);
    while (bind(fd, (struct sockaddr *)&name, sizeof name) != 0 && port < 32767);
    check_nudges(fd);
}

/* Before libmilter listens, or where its socket is not found, nothing happens. */
static void test_unknown(void **state)
{
    (void)state;
    nudge_use(-1);
    clock_ms += 1000;
    nudge(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unix),
        cmocka_unit_test(test_inet),
        cmocka_unit_test(test_unknown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

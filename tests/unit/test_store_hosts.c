/* store/store_postgresql_hosts: each of several hosts is tried for its part of the time. */
#include "check.h"

#include "store/postgresql/store_postgresql_hosts.h"
#include "text/strbuf.h"

#include <stdlib.h>

/* "host/hostaddr/port" of each, with a blank between. */
static void add_hosts(const struct postgresql_hosts *hosts, struct strbuf *out)
{
    for (int i = 0; i < hosts->count; i++)
        strbuf_addf(out, "%s%s/%s/%s", i == 0 ? "" : " ", hosts->hosts[i].host,
                    hosts->hosts[i].hostaddr, hosts->hosts[i].port);
}

static void test_split(void **state)
{
    static const struct {
        const char *conninfo, *environment, *hosts;
    } rows[] = {
        {"", NULL, "//"},
        {"host=a port=1", NULL, "//"},
        {"host=a,b", NULL, "a// b//"},
        {"host=a,/b port=1,2", NULL, "a//1 /b//2"},
        {"host=a,b port=1", NULL, "a// b//"},
        {"host=a,b hostaddr=127.0.0.1,::1", NULL, "a/127.0.0.1/ b/::1/"},
        {"hostaddr=127.0.0.1,127.0.0.2 port=1,2", NULL, "/127.0.0.1/1 /127.0.0.2/2"},
        {"postgresql://a:1,b:2/x", NULL, "a//1 b//2"},
        {"no connection string", NULL, NULL},
        /* the environment, which both the string and its service come before */
        {"dbname=x", "a,b", "a// b//"},
        {"host=c,d", "a,b", "c// d//"},
        {"service=x", "a,b", "//"},
        {"service=x host=c,d", "a,b", "//"},
        /* libpq has its say */
        {"host=a,b port=1,2,3", NULL, "//"},
        {"host=a,b,c hostaddr=127.0.0.1,::1", NULL, "//"},
        {"host=a,,b", NULL, "//"},
        {"host=a,", NULL, "//"},
        {"host=a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a", NULL, "//"},
    };
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        struct strbuf found = STRBUF_INIT;
        struct postgresql_hosts hosts;
        int result;

        check_row(rows[i].conninfo);
        unsetenv("PGHOST");
        if (rows[i].environment != NULL)
            setenv("PGHOST", rows[i].environment, 1);
        result = postgresql_hosts_split(&hosts, rows[i].conninfo);
        check_int("result", rows[i].hosts != NULL ? 0 : -1, result);
        add_hosts(&hosts, &found);
        check_str("hosts", rows[i].hosts != NULL ? rows[i].hosts : "", strbuf_str(&found));
        postgresql_hosts_free(&hosts);
        strbuf_free(&found);
    }
    unsetenv("PGHOST");
    check_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_split),
    };
    static const char *const variables[] = {"PGHOST", "PGHOSTADDR", "PGPORT", "PGSERVICE"};
    for (size_t i = 0; i < CHECK_COUNT(variables); i++)
        unsetenv(variables[i]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}

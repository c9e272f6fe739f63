/* store_postgresql_hosts - see store_postgresql_hosts.h */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "store/postgresql/store_postgresql_hosts.h"

#include <libpq-fe.h>
#include <stdlib.h>
#include <string.h>

/* NULL: it is not set. */
static const char *find(const PQconninfoOption *options, const char *keyword)
{
    for (const PQconninfoOption *o = options; o->keyword; o++)
        if (strcmp(o->keyword, keyword) == 0 && o->val)
            return o->val;
    return NULL;
}

/* An option of the string; else of the environment; else "". What a service has comes before the
 * environment, and only libpq knows it. */
static const char *value_of(const PQconninfoOption *options, const PQconninfoOption *defaults,
                            const char *keyword)
{
    const char *value = find(options, "service") ? "" : find(options, keyword);

    if (!value)
        value = find(defaults, keyword);
    return value ? value : "";
}

/* item *( "," item )
 *
 * Copies the list to *to, moves that behind it, and points to its items. How many; 0: an item is
 * empty where there are others, or there are too many. */
static int split(const char *list, char **to, const char *items[POSTGRESQL_HOSTS])
{
    char *text = strcpy(*to, list);
    int count = 0;

    *to += strlen(list) + 1;
    for (char *end = text; end; text = end + 1) {
        if (count == POSTGRESQL_HOSTS)
            return 0;
        items[count++] = text;
        end = strchr(text, ',');
        if (end)
            *end = '\0';
        if (*text == '\0' && (end || count > 1))
            return 0;
        if (!end)
            break;
    }
    return count;
}

/* Several that go together? */
static int set_hosts(struct postgresql_hosts *hosts, const char *host, const char *hostaddr,
                     const char *port)
{
    const char *names[POSTGRESQL_HOSTS], *addresses[POSTGRESQL_HOSTS], *ports[POSTGRESQL_HOSTS];
    char *to = hosts->octets;
    int n = split(host, &to, names);
    int m = split(hostaddr, &to, addresses);
    int p = split(port, &to, ports);
    int count = n > m ? n : m;

    if (count < 2 || !(n == count || *host == '\0') || !(m == count || *hostaddr == '\0') ||
        !(p == count || p == 1))
        return 1;
    for (int i = 0; i < count; i++)
        hosts->hosts[i] = (struct postgresql_host){
            *host ? names[i] : "", *hostaddr ? addresses[i] : "", p == 1 ? "" : ports[i]};
    return count;
}

int postgresql_hosts_split(struct postgresql_hosts *hosts, const char *conninfo)
{
    PQconninfoOption *options = PQconninfoParse(conninfo, NULL);
    PQconninfoOption *defaults = PQconndefaults();

    memset(hosts, 0, sizeof *hosts);
    hosts->hosts[0] = (struct postgresql_host){"", "", ""};
    if (options && defaults) {
        const char *host = value_of(options, defaults, "host");
        const char *hostaddr = value_of(options, defaults, "hostaddr");
        const char *port = value_of(options, defaults, "port");

        hosts->octets = malloc(strlen(host) + strlen(hostaddr) + strlen(port) + 3);
        if (hosts->octets)
            hosts->count = set_hosts(hosts, host, hostaddr, port);
    }
    PQconninfoFree(options);
    PQconninfoFree(defaults);
    return hosts->octets ? 0 : -1;
}

void postgresql_hosts_free(struct postgresql_hosts *hosts)
{
    free(hosts->octets);
}

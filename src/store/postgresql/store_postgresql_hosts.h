/*
 * store_postgresql_hosts - the hosts of a connection string, one by one
 *
 * For the files of the PostgreSQL driver only.
 */
#ifndef MLMILTER_STORE_POSTGRESQL_STORE_POSTGRESQL_HOSTS_H
#define MLMILTER_STORE_POSTGRESQL_STORE_POSTGRESQL_HOSTS_H

#define POSTGRESQL_HOSTS 16

/* "": as the connection string says. */
struct postgresql_host {
    const char *host;
    const char *hostaddr;
    const char *port;
};

struct postgresql_hosts {
    int count; /* at least 1 */
    struct postgresql_host hosts[POSTGRESQL_HOSTS];
    char *octets; /* the texts are here */
};

/* What the string says, or the environment (PGHOST). Lists that libpq will not take, or that have
 * more hosts than this, or empty ones, are one host "", so that libpq has its say; so is a service
 * that the string names. 0; -1: memory is out, or the string is wrong. */
int postgresql_hosts_split(struct postgresql_hosts *hosts, const char *conninfo);
void postgresql_hosts_free(struct postgresql_hosts *hosts);

#endif

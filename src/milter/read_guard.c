/* read_guard - see read_guard.h */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "milter/read_guard.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PREFIX 5 /* octets of a packet's length and command */

static _Thread_local struct {
    int fd;
    size_t have;  /* octets of the prefix so far, read in pieces */
    size_t due;   /* octets that are still to come of a packet that is looked at; 0: none is */
    size_t ends;  /* of texts, that is NULs, so far */
    ino_t socket; /* where a packet's rest is as long as a prefix */
    unsigned char prefix[PREFIX];
} packet;

/* Those that libmilter reads behind the end of: macros ("D") and the client's name ("C"). */
static bool is_looked_at(unsigned char command)
{
    return command == 'D' || command == 'C';
}

static bool is_broken(void)
{
    return packet.prefix[4] == 'D' ? packet.ends % 2 != 0 : packet.ends == 0;
}

/* "Another client comes over this connection" (SMFIC_QUIT_NC): a packet without data. Other reads
 * of five octets begin otherwise, the header of a TLS record for one. */
static bool is_another_client(uint32_t length)
{
    return length == 1 && packet.prefix[4] == 'K';
}

/* 0: nobody knows. */
static ino_t socket_of(int fd)
{
    struct stat status;

    return fstat(fd, &status) == 0 ? status.st_ino : 0;
}

/* So much of a packet is still to come. A connection may end there, and another one have its
 * descriptor and begin with a prefix: where that has the same length, the socket tells. */
static void await(int fd, size_t due)
{
    packet.due = due;
    if (due == PREFIX)
        packet.socket = socket_of(fd);
}

static bool is_rest(int fd, size_t wanted)
{
    return packet.due > 0 && fd == packet.fd && wanted == packet.due &&
           (wanted != PREFIX || (packet.socket != 0 && socket_of(fd) == packet.socket));
}

/* Remembers the length of a packet to be looked at when all five octets are there. false: libmilter
 * must not see this one. */
static bool take_prefix(int fd, const unsigned char *octets, size_t wanted, size_t n)
{
    uint32_t length;

    if (wanted == PREFIX)
        packet.have = 0;
    else if (fd != packet.fd || packet.have + wanted != PREFIX)
        return true;
    packet.fd = fd;
    memcpy(packet.prefix + packet.have, octets, n);
    packet.have += n;
    if (packet.have < PREFIX)
        return true;
    packet.have = 0;
    memcpy(&length, packet.prefix, sizeof length);
    length = ntohl(length);
    await(fd, is_looked_at(packet.prefix[4]) && length > 1 ? length - 1 : 0);
    packet.ends = 0;
    return !is_another_client(length);
}

static ssize_t refuse(void)
{
    errno = EPROTO;
    return -1;
}

ssize_t read(int fd, void *buffer, size_t wanted)
{
    ssize_t n = syscall(SYS_read, fd, buffer, wanted);
    const unsigned char *octets = buffer;

    if (n <= 0)
        return n;
    if (!is_rest(fd, wanted)) {
        packet.due = 0;
        return wanted > PREFIX || take_prefix(fd, octets, wanted, (size_t)n) ? n : refuse();
    }
    for (ssize_t i = 0; i < n; i++)
        packet.ends += octets[i] == 0;
    await(fd, packet.due - (size_t)n);
    return packet.due == 0 && is_broken() ? refuse() : n;
}

void read_guard_link(void)
{
}

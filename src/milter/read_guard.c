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
#include <sys/syscall.h>
#include <unistd.h>

#define PREFIX 5 /* octets of a packet's length and command */

static _Thread_local struct {
    int fd;
    size_t have; /* octets of the prefix so far, read in pieces */
    size_t due;  /* octets of a list of macros that are still to come; 0: not in one */
    size_t odd;  /* NULs so far, modulo 2 */
    unsigned char prefix[PREFIX];
} packet;

/* Remembers the length of a list of macros ("D") when all five octets are there. */
static void take_prefix(int fd, const unsigned char *octets, size_t wanted, size_t n)
{
    uint32_t length;

    if (wanted == PREFIX)
        packet.have = 0;
    else if (fd != packet.fd || packet.have + wanted != PREFIX)
        return;
    packet.fd = fd;
    memcpy(packet.prefix + packet.have, octets, n);
    packet.have += n;
    if (packet.have < PREFIX)
        return;
    packet.have = 0;
    memcpy(&length, packet.prefix, sizeof length);
    length = ntohl(length);
    packet.due = packet.prefix[4] == 'D' && length > 1 ? length - 1 : 0;
    packet.odd = 0;
}

ssize_t read(int fd, void *buffer, size_t wanted)
{
    ssize_t n = syscall(SYS_read, fd, buffer, wanted);
    const unsigned char *octets = buffer;

    if (n <= 0)
        return n;
    if (packet.due == 0 || fd != packet.fd || wanted != packet.due) {
        packet.due = 0;
        if (wanted <= PREFIX)
            take_prefix(fd, octets, wanted, (size_t)n);
        return n;
    }
    for (ssize_t i = 0; i < n; i++)
        packet.odd ^= octets[i] == 0;
    packet.due -= (size_t)n;
    if (packet.due == 0 && packet.odd) {
        errno = EPROTO;
        return -1;
    }
    return n;
}

void read_guard_link(void)
{
}

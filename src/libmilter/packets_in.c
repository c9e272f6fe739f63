/* packets_in - see packets_in.h */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif
#undef _FORTIFY_SOURCE /* it has <unistd.h> define a read(), of which clang complains */

#include "libmilter/packets_in.h"

#include "libmilter/gaps.h"
#include "libmilter/read_ahead.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What this thread reads: the prefix of a packet, or the data behind it. It comes in pieces, one
 * behind the other. */
static _Thread_local struct {
    int fd;
    const unsigned char *place; /* NULL: nothing of a packet */
    size_t size, have;
    bool is_data;
    const char *fault; /* the reason why a read was refused, or NULL */
    size_t missing;    /* bytes of this packet that have not come */
    /* The packet whose prefix was read last, if its data are to be looked at; 0: they are not. */
    size_t data_size;
    unsigned char command;
} part;

void packets_in_forget(void)
{
    memset(&part, 0, sizeof part);
    read_ahead_forget();
}

const char *packets_in_fault(void)
{
    if (part.fault == NULL && (part.missing > 0 || (part.place != NULL && part.have > 0)))
        return "a packet was wrong, or did not end in time";
    return part.fault;
}

/* Those that libmilter reads behind the end of: macros ("D") and the client's name ("C"). */
static bool is_looked_at(unsigned char command)
{
    return command == 'D' || command == 'C';
}

/* Does libmilter take this for "another client comes over this connection" (SMFIC_QUIT_NC)? It
 * takes a length over INT32_MAX for 0, and looks at no data. Other reads of five octets begin with
 * another one, the header of a TLS record with 20 to 23. */
static bool is_other_client(const unsigned char *prefix)
{
    return prefix[PACKET_PREFIX - 1] == 'K' && (prefix[0] == 0 || prefix[0] > 127);
}

/* false: libmilter must not see it. */
static bool take_prefix(const unsigned char *octets)
{
    uint32_t length;
    memcpy(&length, octets, sizeof length);
    length = ntohl(length);
    part.command = octets[PACKET_PREFIX - 1];
    part.missing = length > 1 ? length - 1 : 0;
    part.data_size = is_looked_at(part.command) && length > 1 ? length - 1 : 0;
    if (part.command == 'O') /* the negotiation, with which every connection begins */
        gap_called(GAP_PACKETS_IN);
    return !is_other_client(octets);
}

/* Are all texts there, each with the NUL behind it? */
static bool take_data(const unsigned char *octets, size_t n)
{
    size_t ends = 0;
    part.data_size = 0;
    for (size_t i = 0; i < n; i++)
        ends += octets[i] == 0;
    return part.command == 'D' ? ends % 2 == 0 : ends > 0;
}

static void begin_part(int fd, const unsigned char *octets, size_t wanted)
{
    part.is_data = fd == part.fd && part.data_size > 0 && wanted == part.data_size;
    part.place = part.is_data || wanted == PACKET_PREFIX ? octets : NULL;
    part.fd = fd;
    part.size = wanted;
    part.have = 0;
}

/* n octets of those wanted have come. false: libmilter must not see them. */
static bool take(int fd, const unsigned char *octets, size_t wanted, size_t n)
{
    bool goes_on = part.place != NULL && fd == part.fd && octets == part.place + part.have &&
                   wanted == part.size - part.have;
    if (!goes_on)
        begin_part(fd, octets, wanted);
    part.have += n;
    if (part.missing > 0)
        part.missing -= n < part.missing ? n : part.missing;
    if (part.place == NULL || part.have < part.size)
        return true;
    octets = part.place;
    part.place = NULL;
    return part.is_data ? take_data(octets, part.size) : take_prefix(octets);
}

FOR_LIBMILTER ssize_t read(int fd, void *buffer, size_t wanted)
{
    ssize_t n = read_ahead(fd, buffer, wanted);
    if (n <= 0 && fd == part.fd)
        part.place = NULL, part.missing = 0; /* the MTA has closed the connection */
    if (n <= 0 || take(fd, buffer, wanted, (size_t)n))
        return n;
    part.fault = "a packet that libmilter would take wrongly";
    errno = EPROTO;
    return -1;
}

FOR_LIBMILTER ssize_t __read_chk(int fd, void *buffer, size_t wanted, size_t room)
{
    if (wanted > room)
        abort(); /* as the C library does: the caller's memory would be overwritten */
    return read(fd, buffer, wanted);
}

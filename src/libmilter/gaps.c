/* gaps - the table of what libmilter lacks: see gaps.h */
#include "libmilter/gaps.h"

#include <stdatomic.h>
#include <stdio.h>

const struct gap_facts gap_facts[GAPS] = {
    [GAP_STOP_SIGNALS] = {"sigwait", "8.17.1",
                          "its signal thread takes SIGHUP for \"stop\", and may get any signal of "
                          "the process",
                          "A filter cannot have SIGHUP",
                          "a reload could end the daemon: it does not start"},
    [GAP_CONNECTIONS] = {"accept", "8.17.1",
                         "without a free descriptor it asks for connections without a pause; it "
                         "does not set TCP_NODELAY, and an edited message takes 44 ms",
                         "accept() spins; Edits wait for Nagle's algorithm",
                         "without a free descriptor a whole processor would be busy, and edits "
                         "over TCP take 44 ms"},
    [GAP_PACKETS_IN] = {"read", "8.17.1",
                        "it reads past the end of a macro list with an odd number of texts and "
                        "of a client without a name, and keeps the client when another one comes",
                        "An odd macro list is read behind its end; A client without a name is read "
                        "behind its end; Another client keeps the trust of the one before",
                        "anyone who can connect could end the daemon: no MTA is served"},
    [GAP_PACKETS_OUT] = {"writev", "8.17.1",
                         "each edit is a write of its own; nobody is told when an answer has left",
                         "Edits are written one by one",
                         "edits leave one by one, and a stop may cut an answer off"},
    [GAP_READ_AHEAD] = {"poll", "8.17.1",
                        "five system calls for each of 58 packets; Sendmail waits for our "
                        "acknowledgements, 93 ms a message over TCP",
                        "Five system calls for each packet; Packets wait for an acknowledgement",
                        "a message takes three times the processor time, and Sendmail's over TCP "
                        "90 ms"},
};

static atomic_bool met[GAPS], told[GAPS];

void gap_called(enum gap gap)
{
    if (!gap_is_met(gap))
        atomic_store_explicit(&met[gap], true, memory_order_relaxed);
}

bool gap_is_met(enum gap gap)
{
    return atomic_load_explicit(&met[gap], memory_order_relaxed);
}

bool gap_complaint(enum gap gap, char *line, size_t size)
{
    if (gap_is_met(gap) || atomic_exchange(&told[gap], true))
        return false;
    snprintf(line, size,
             "error: libmilter does not call this program's %s(), so %s (see doc/libmilter.md)",
             gap_facts[gap].function, gap_facts[gap].lost);
    return true;
}

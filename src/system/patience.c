/* The table of times: see patience.h. With -DPATIENCE_DIVISOR it is that of the tests. */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "system/patience.h"

#ifndef PATIENCE_DIVISOR
#define PATIENCE_DIVISOR 1
#endif

/* Never 0, which means for ever to some. */
#define MS(milliseconds) (((milliseconds) + PATIENCE_DIVISOR - 1) / PATIENCE_DIVISOR)

const struct patience patience = {
    /* A thread of libmilter's pool waits within a packet, and connections that become readable at
     * once share the threads that are idle then: three that send half a packet stop others for so
     * long, twelve for six times that (measured with 8.17.1; with libmilter's own limit of two
     * hours, for ever). Silence between packets does not count: libmilter then waits elsewhere. A
     * thread also waits so long for an MTA that takes no edits. */
    .packet = MS(2000),
    .accept = MS(100),
    .accept_say = MS(60000),
    .start = 10000,

    .finish_messages = MS(5000),
    .finish_edits = MS(5000),
    .finish_answers = MS(2000),
    .finish_store = MS(4000), /* longer than for one that does not answer */

    /* At the end of a message, for which MTAs have more patience (Sendmail: 10 s, Postfix: 300 s);
     * and it keeps a thread of libmilter's waiting, which other connections may have come to share.
     */
    .store = MS(3000),
    .store_long = 1000,
    .store_close = 1000,
    .store_busy = MS(2500), /* less, so that the reason is told */
    .store_pause = MS(20),

    .postgresql_connect = 2000,
    .postgresql_silence = 10000,
    .postgresql_idle = 10000,
    .postgresql_statement = 2500,
    .postgresql_lock = 2000,
    .postgresql_together = 250,
    .postgresql_alone = 500,
    .postgresql_lists = 2000,

    .metrics_every = MS(5000),
    .metrics_latest = MS(60000), /* the file's time says that somebody cares for it */
    .status_every = MS(60000),
    .manager = MS(2000),
    .log_room = MS(100),
    .log_end = MS(2000),

    .probe = 3000,
    .reload = 60000,
    .reload_look = 20,
};

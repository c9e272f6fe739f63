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
     * long, twelve for six times that (measured with 8.17.1). */
    .packet = 2000,
    .accept = MS(100),
    .accept_say = MS(60000),
    .start = 10000,

    .finish_messages = MS(5000),
    .finish_edits = 5000,
    .finish_answers = 100,

    /* At the end of a message, for which MTAs have more patience (Sendmail: 10 s, Postfix: 300 s);
     * and it keeps a thread of libmilter's waiting, which other connections may have come to share.
     */
    .store = MS(3000),
    .store_close = 1000,
    .store_busy = MS(2500), /* less, so that the reason is told */
    .store_pause = MS(20),

    .files_every = MS(15000),
    .watch_quiet = MS(150),
    .watch_most = MS(700),
    .full = MS(1000),

    .probe = 3000,
    .reload = 60000,
    .reload_look = 20,
};

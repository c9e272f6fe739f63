/* timeouts - see timeouts.h; with -DTIMEOUT_DIVISOR the table of the tests */
#include "system/timeouts.h"

#ifndef TIMEOUT_DIVISOR
#define TIMEOUT_DIVISOR 1
#endif

/* Never 0, which means no limit to some functions. */
#define MS(milliseconds) (((milliseconds) + TIMEOUT_DIVISOR - 1) / TIMEOUT_DIVISOR)

const struct timeouts timeouts = {
    /* Within a packet a thread of libmilter's pool waits, and other connections that became
     * readable with this one wait, too. Three that send half a packet stop others for this time,
     * twelve for six times this (measured with 8.17.1). */
    .packet = 2000,
    .accept = MS(100),
    .accept_log = MS(60000),
    .start = 10000,

    .finish_messages = MS(5000),
    .finish_edits = 5000,
    .finish_answers = 100,

    /* MTAs wait longer for the end of a message (Sendmail: 10 s, Postfix: 300 s). A thread of
     * libmilter waits so long, and other connections may share it. */
    .store = MS(3000),
    .store_lock = MS(1000), /* twice this and more in one batch: posts of other lists wait */
    /* Less, so that callers get the reason. */
    .store_busy = MS(2500),
    .store_answer = 2700,
    .store_statement = 2500,
    .store_connect = 2000,
    .store_close = 1000,
    .store_pause = MS(20),
    .store_remembered = MS(900000),

    .files_every = MS(15000),
    .news = MS(1000),
    .watch_quiet = MS(150),
    .watch_most = MS(700),
    .watch_held = MS(60000),
    .full = MS(1000),

    .reload = 60000,
    .reload_look = 20,
};

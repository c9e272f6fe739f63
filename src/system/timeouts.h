/*
 * timeouts - all time-outs and intervals, in milliseconds
 *
 * The daemon of the tests (tests/mlmilter) is linked with a table in which each is a tenth, except
 * those that are WHOLE.
 */
#ifndef MLMILTER_SYSTEM_TIMEOUTS_H
#define MLMILTER_SYSTEM_TIMEOUTS_H

/* clang-format off */
#define TIMEOUTS(PART, WHOLE)                                                                      \
    /* MTAs. Within a packet a thread of libmilter's pool waits, and other connections that became */ \
    /* readable with this one wait, too. Three that send half a packet stop others for this time, */ \
    /* twelve for six times this (measured with 8.17.1). */                                        \
    WHOLE(packet, 2000)     /* of silence within a packet, or of an MTA that takes nothing */      \
    PART(accept, 100)       /* between two attempts without a free descriptor */                   \
    PART(accept_log, 60000) /* between two log lines about missing descriptors */                  \
    WHOLE(start, 10000)     /* for libmilter's threads; only a busy machine needs it */            \
    /* A stop waits for open messages, then for their edits to leave, then for other answers. */   \
    PART(finish_messages, 5000)                                                                    \
    WHOLE(finish_edits, 5000)                                                                      \
    WHOLE(finish_answers, 100)                                                                     \
    /* The store. MTAs wait longer for the end of a message (Sendmail: 10 s, Postfix: 300 s). A */ \
    /* thread of libmilter waits so long, and other connections may share it. The waits for a */   \
    /* database are shorter, so that callers get the reason. */                                    \
    PART(store, 3000)             /* of a question for its answer */                               \
    PART(store_lock, 1000)        /* PostgreSQL: for locked counters, twice and more in a batch */ \
    PART(store_busy, 2500)        /* SQLite: for locks of other processes */                       \
    WHOLE(store_answer, 2700)     /* PostgreSQL: for the answers to an exchange */                 \
    WHOLE(store_statement, 2500)  /* PostgreSQL: the server's, for a statement */                  \
    WHOLE(store_connect, 2000)    /* PostgreSQL: for all hosts */                                  \
    WHOLE(store_close, 1000)      /* for closing the database at the end */                        \
    PART(store_pause, 20)         /* between the parts of a prune */                               \
    PART(store_remembered, 900000) /* of an answer that needs no database */                       \
    /* Files of the daemon. */                                                                     \
    PART(files_every, 15000) /* between two files of metrics and status */                         \
    PART(news, 1000)         /* between two writes of the status for news */                       \
    PART(watch_quiet, 150)   /* without a change of a watched folder, until a reload */            \
    PART(watch_most, 700)    /* since the first such change */                                     \
    PART(watch_held, 60000)  /* since then, while messages hold two old settings */                \
    PART(full, 1000)         /* between two checks whether messages hold fewer old settings */     \
    /* mlmilterctl. */                                                                             \
    WHOLE(reload, 60000)  /* for a requested reload */                                             \
    WHOLE(reload_look, 20) /* between two checks whether the reload ended */
/* clang-format on */

#define TIMEOUTS_MEMBER(name, milliseconds) unsigned name;

extern const struct timeouts {
    TIMEOUTS(TIMEOUTS_MEMBER, TIMEOUTS_MEMBER)
} timeouts;

#endif

/*
 * timeouts - all time-outs and intervals, in milliseconds
 *
 * The daemon of the tests (tests/mlmilter) is linked with a table in which each is a
 * tenth, except those marked "undivided".
 */
#ifndef MLMILTER_SYSTEM_TIMEOUTS_H
#define MLMILTER_SYSTEM_TIMEOUTS_H

struct timeouts {
    /* MTAs */
    unsigned packet; /* of silence within a packet, or of an MTA that takes nothing; undivided */
    unsigned accept; /* between two attempts without a free descriptor */
    unsigned accept_log; /* between two log lines about missing descriptors */
    unsigned start;      /* for libmilter's signal thread; undivided: busy machines only */

    /* A stop waits for open messages, then for their edits to leave, then for other answers. The
     * last two are undivided. */
    unsigned finish_messages;
    unsigned finish_edits;
    unsigned finish_answers;

    /* The store */
    unsigned store;           /* of a question for its answer */
    unsigned store_lock;      /* PostgreSQL: for locked counters of a batch; less than half of it */
    unsigned store_busy;      /* SQLite: for locks of other processes */
    unsigned store_answer;    /* PostgreSQL: for the answers to an exchange; undivided */
    unsigned store_statement; /* PostgreSQL: the server's, for a statement; undivided */
    unsigned store_connect;   /* PostgreSQL: for all hosts of a URL; undivided */
    unsigned store_close;     /* for closing the database at the end; undivided */
    unsigned store_pause;     /* between the parts of a prune */
    unsigned store_remembered; /* of an answer that needs no database */

    /* Files of the daemon */
    unsigned files_every; /* between two files of metrics and status */
    unsigned news;        /* between two writes of the status for news of the store */
    unsigned watch_quiet; /* without a change of a watched folder, until a reload */
    unsigned watch_most;  /* since the first such change */
    unsigned watch_held;  /* since then, while messages hold two old settings */
    unsigned full;        /* between two checks whether messages hold fewer old settings */

    /* mlmilterctl; undivided */
    unsigned reload;      /* for a requested reload */
    unsigned reload_look; /* between two checks whether the reload ended */
};

extern const struct timeouts timeouts;

#endif

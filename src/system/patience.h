/*
 * patience - all time-outs and intervals, in milliseconds
 *
 * The daemon of the tests (tests/mlmilter) is linked with a table in which each is a
 * tenth, except those marked "undivided".
 */
#ifndef MLMILTER_SYSTEM_PATIENCE_H
#define MLMILTER_SYSTEM_PATIENCE_H

struct patience {
    /* MTAs */
    unsigned packet;     /* from the first byte of a packet to its last; libmilter rounds up to
                            seconds */
    unsigned accept;     /* between two attempts without a free descriptor */
    unsigned accept_say; /* between two log lines about missing descriptors */
    unsigned start;      /* for libmilter's signal thread; undivided: busy machines only */

    /* A stop waits for open messages, then for edits, then for answers. An open message waits for
     * the store at most finish_store. */
    unsigned finish_messages;
    unsigned finish_edits;
    unsigned finish_answers;
    unsigned finish_store;

    /* The store */
    unsigned store;       /* for a store that answers no caller (store/queue.h) */
    unsigned store_long;  /* failures that took longer are repeated for as long; undivided */
    unsigned store_close; /* for closing the connections at the end; undivided */
    unsigned store_busy;  /* SQLite: for locks of other processes */
    unsigned store_pause; /* between the parts of a prune */

    /* PostgreSQL; undivided, as tests use a real server. The times of a statement are less than
     * `store`, so that callers get the server's own error. */
    unsigned postgresql_connect; /* whole seconds */
    unsigned postgresql_silence; /* of the network, until the kernel closes the connection */
    unsigned postgresql_idle;    /* of a transaction, until the server ends it */
    unsigned postgresql_statement;
    unsigned postgresql_lock;     /* for a lock within a statement */
    unsigned postgresql_together; /* for locked counters of all lists of a batch */
    unsigned postgresql_alone;    /* then for the counter of each list */
    unsigned postgresql_lists;    /* for all lists of a batch, one by one */

    /* Files and logs of the daemon */
    unsigned metrics_every;  /* between two metrics files that differ */
    unsigned metrics_latest; /* between two equal metrics files */
    unsigned status_every;   /* between two status files */
    unsigned manager;        /* for a service manager that does not read */
    unsigned log_room;       /* for room in standard error, for the first line without room */
    unsigned log_end;        /* for a stalled syslog, at the end */

    /* mlmilterctl; undivided in tests, too */
    unsigned probe;       /* for the answer to a negotiation */
    unsigned reload;      /* for a requested reload */
    unsigned reload_look; /* between two checks whether the reload ended */
};

extern const struct patience patience;

#endif

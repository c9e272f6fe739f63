/*
 * patience - how long the programs wait for whom, and how often they look
 *
 * All times that somebody could sit through stand in one table, so that the daemon of
 * the tests can be linked with another one (tests/mlmilter) in which each is a tenth,
 * but for those that say "undivided"; nothing else of it differs. Constants, in
 * milliseconds.
 */
#ifndef MLMILTER_SYSTEM_PATIENCE_H
#define MLMILTER_SYSTEM_PATIENCE_H

struct patience {
    /* MTAs */
    unsigned packet;     /* between the first octet of a packet and its last; libmilter rounds
                            up to seconds */
    unsigned accept;     /* between two attempts where no descriptor is left */
    unsigned accept_say; /* between two lines of the log about that */
    unsigned start;      /* for libmilter's signal thread; undivided: seen on busy machines only */

    /* A stop waits for messages that are under way, then for edits that are being sent, then for
     * answers. Of the first, a message waits for the store no longer than finish_store. */
    unsigned finish_messages;
    unsigned finish_edits;
    unsigned finish_answers;
    unsigned finish_store;

    /* The store */
    unsigned store;       /* one that answers nobody (store/queue.h) */
    unsigned store_long;  /* a failure that took so long is remembered for as long; undivided */
    unsigned store_close; /* for the connections at the end, which need not; undivided */
    unsigned store_busy;  /* SQLite: other programs that write */
    unsigned store_pause; /* between the parts of a long work: others get at the database */

    /* PostgreSQL; undivided: a real server needs real time, in tests, too. The times of a statement
     * are less than `store`: to answer one that waits longer than its caller would be answering
     * nobody, and the server's own error says more. */
    unsigned postgresql_connect; /* whole seconds */
    unsigned postgresql_silence; /* of the network, until the kernel gives up */
    unsigned postgresql_idle;    /* the server, for a transaction that does not go on */
    unsigned postgresql_statement;
    unsigned postgresql_lock;     /* a lock that the statement waits for */
    unsigned postgresql_together; /* lists, together, for counters that are locked */
    unsigned postgresql_alone;    /* then each of them */
    unsigned postgresql_lists;    /* all of them, so that the last one's caller has an answer */

    /* What the daemon writes */
    unsigned metrics_every;  /* between two texts, where something has changed */
    unsigned metrics_latest; /* the same where nothing has */
    unsigned status_every;   /* between two texts of the status file */
    unsigned manager;        /* for a service manager that does not read */
    unsigned log_room;       /* for room in standard error: the first line that finds none */
    unsigned log_end;        /* at the end, for a syslog that stands still */

    /* mlmilterctl; undivided: the tool has the real times in tests, too */
    unsigned probe;       /* what listens on the socket, for the answer to a negotiation */
    unsigned reload;      /* the daemon, for a reload that was asked for */
    unsigned reload_look; /* between two looks whether it is done */
};

extern const struct patience patience;

#endif

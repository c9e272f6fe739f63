/*
 * dialogue - what Postfix says to a milter, packet for packet
 *
 * Made once for each connection, from what the milter asked for in its negotiation,
 * so that sending costs next to nothing.  The order of packets, the macros before
 * each command and the places where Postfix waits are those that Postfix 3.7 was
 * seen to send.  No threads.
 */
#ifndef MLMILTER_TESTS_BENCH_DIALOGUE_H
#define MLMILTER_TESTS_BENCH_DIALOGUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DIALOGUE_BURSTS  100 /* more than a post needs here, with a reply to each field */
#define DIALOGUE_NUMBERS 100
#define DIALOGUE_STAGES  7

/* A run sends one message again and again. All texts outlive the dialogues. */
struct dialogue_mail {
    const char *client;    /* an IPv4 address */
    const char *sender;    /* without brackets */
    const char *recipient; /* likewise */
    const char *list_id;   /* the value of a List-Id field, or NULL */
};

/* The answer of the milter to the negotiation. */
struct dialogue_terms {
    uint32_t steps;
    char macros[DIALOGUE_STAGES][256]; /* the names asked for, by stage; "" for Postfix' own */
};

/* Octets that are written at once, up to a place where Postfix waits, or lets go of the socket. */
struct dialogue_burst {
    size_t end;    /* in `octets` */
    char stage;    /* the command that ends it */
    bool answered; /* a reply is due */
};

struct dialogue {
    char *octets;
    size_t n, room;
    size_t begin; /* of what a connection's first message has: Postfix aborts the one before it */
    struct dialogue_burst bursts[DIALOGUE_BURSTS];
    unsigned burst_count;
    size_t numbers[DIALOGUE_NUMBERS]; /* where the message's number stands */
    unsigned number_count;
};

/* The packet that opens a connection. */
extern const char dialogue_offer[17];

/* data and n: the milter's answer, behind its 'O'. False: it is not what was offered. */
bool dialogue_read_terms(struct dialogue_terms *terms, const char *data, size_t n);

/* *d is made of zeros. The connect and the HELO; then the message from MAIL to its end. What the
 * first one leaves unanswered at its end has to be written in front of the second. End the program
 * when memory is out. */
void dialogue_of_session(struct dialogue *d, const struct dialogue_terms *t,
                         const struct dialogue_mail *mail);
void dialogue_of_message(struct dialogue *d, const struct dialogue_terms *t,
                         const struct dialogue_mail *mail);
void dialogue_free(struct dialogue *d);

/* The queue id and Message-ID of the next message. */
void dialogue_set_number(struct dialogue *d, uint64_t number);

#endif

/*
 * transaction - the SMTP transaction that the options of filter and explain describe
 */
#ifndef MLMILTER_CTL_TRANSACTION_H
#define MLMILTER_CTL_TRANSACTION_H

#include "config/lists/trust.h"
#include "ctl/command.h"

#include <stdbool.h>
#include <stddef.h>

struct transaction {
    struct client client; /* local unless --client is given (RULINGS 23) */
    const char *sender;   /* "": the null sender */
    /* Owned, in the order given; the texts are argv's. Each has its --mta-recipient, or NULL. */
    const char **recipients;
    const char **mta_recipients;
    size_t recipient_count;
    const char *forced_list; /* --list, or NULL */
    const char *file;        /* the message; NULL: standard input */
    bool json;               /* explain --json */
    bool diff;               /* filter --diff */
};

#define TRANSACTION_USAGE                                                                          \
    "[--client ADDR] [--sender ADDR] [--recipient ADDR [--mta-recipient ADDR]]...\n"               \
    "          [--daemon NAME] [--authenticated] [--list ID] [FILE]"

/* Reads the options of the command; own: "json" or "diff", whichever it has. Returns EX_OK, or
 * EX_USAGE after a message. */
int transaction_parse(struct transaction *t, struct invocation *invocation, const char *own,
                      int argc, char **argv);
void transaction_free(struct transaction *t);

#endif

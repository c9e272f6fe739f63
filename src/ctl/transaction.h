/*
 * transaction - the SMTP transaction that filter and explain are told to imagine
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
    /* Owned; the texts are argv's. In the order given; with --mta-recipient, or NULL, for each. */
    const char **recipients;
    const char **mta_recipients;
    size_t recipient_count;
    const char *forced_list; /* --list, or NULL */
    bool json;               /* explain --json */
};

#define TRANSACTION_USAGE                                                                          \
    "[--client ADDR] [--sender ADDR] [--recipient ADDR [--mta-recipient ADDR]]...\n"               \
    "          [--daemon NAME] [--authenticated] [--list ID]"

/* Reads the options of the command; takes_json for explain. 0; EX_USAGE or EX_OSERR after a
 * message. */
int transaction_parse(struct transaction *t, struct invocation *invocation, bool takes_json,
                      int argc, char **argv);
void transaction_free(struct transaction *t);

#endif

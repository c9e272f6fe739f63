/*
 * gate - a stop waits for edits and answers that are being sent
 *
 * An MTA whose default action is to accept makes the edits that it has got when
 * the filter dies (measured with Postfix and Sendmail), and passes a message whose
 * answer it did not get.  So edits, and answers, are sent between gate_enter and
 * gate_leave, and the program ends only after it has shut the gate and all have
 * left.
 */
#ifndef MLMILTER_DAEMON_GATE_H
#define MLMILTER_DAEMON_GATE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

struct gate {
    pthread_mutex_t mutex;
    pthread_cond_t empty;
    size_t inside;
    bool shut;
};

/* Initialises an open gate. */
void gate_init(struct gate *gate);

/* Enters the gate, in any thread. Returns false if it is shut; then do not call gate_leave. */
bool gate_enter(struct gate *gate);
void gate_leave(struct gate *gate);

/* Shuts the gate and waits until all threads have left, at most this many milliseconds. True if
 * they have. */
bool gate_shut(struct gate *gate, unsigned milliseconds);

#endif

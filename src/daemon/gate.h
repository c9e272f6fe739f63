/*
 * gate - a stop must not cut in half what is being sent
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

void gate_init(struct gate *gate);

/* Any thread. false: the gate is shut; then gate_leave must not be called. */
bool gate_enter(struct gate *gate);
void gate_leave(struct gate *gate);

/* Shuts the gate and waits until all have left, at most this many milliseconds. Says whether they
 * have. */
bool gate_shut(struct gate *gate, unsigned milliseconds);

#endif

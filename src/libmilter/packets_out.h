/*
 * packets_out - the edits of a message leave in one write, and it is known when its answer has left
 *
 * libmilter writes each edit by itself, and each write wakes the MTA: ten edits
 * cost twenty system calls and ten changes of context, half of what a stamped
 * post costs.  Together they leave in one write, and a daemon that dies in the
 * middle of them has sent none.
 *
 * libmilter sends what a callback returns after it has returned, and tells nobody.
 * A program that ends in between leaves the message to the MTA's default action.
 * So the callback says that an answer follows; the next packet that is written
 * whole in the same thread is it.
 *
 * Both by writev(), which is how libmilter writes.
 */
#ifndef MLMILTER_LIBMILTER_PACKETS_OUT_H
#define MLMILTER_LIBMILTER_PACKETS_OUT_H

#include "text/strbuf.h"

#include <stdbool.h>
#include <sys/types.h>
#include <sys/uio.h>

struct packets_out {
    struct strbuf *packets; /* borrowed */
    int fd;                 /* where to; -1: nothing was kept yet */
    bool begun;             /* there were too many to be kept: some have left */
};

/* From here on what libmilter writes in this thread is kept, in packets, which is emptied. Ended by
 * packets_out_send or packets_out_drop, in the same callback: libmilter calls the next one from
 * another thread. */
void packets_out_keep(struct packets_out *out, struct strbuf *packets);

/* Sends what was kept. Waits patience.packet for an MTA that takes nothing. Returns 0, or -1 if not
 * everything could be sent. */
int packets_out_send(struct packets_out *out);

/* Will what libmilter writes to fd in this thread be kept, so that it needs no room in the kernel?
 * Not where there were too many edits and some have left: then libmilter asks before each of the
 * others whether the MTA takes it. */
bool packets_out_keeps(int fd);

/* What was kept is not sent: an edit is missing, and half of them could be made by an MTA whose
 * filter then dies. */
void packets_out_drop(struct packets_out *out);

/* In a callback: an answer follows in this thread. left(self) is called when it has left, or cannot
 * leave, and at the latest when the next one is due. */
void packets_out_answer_due(void (*left)(void *self), void *self);

/* In xxfi_close: no answer of this thread leaves any more. libmilter does not even try to write
 * where the MTA takes nothing. */
void packets_out_no_answer(void);

/* Takes the place of the C library's. */
ssize_t writev(int fd, const struct iovec *parts, int count);

#endif

/*
 * edit_batch - the edits of a message leave in one write
 *
 * libmilter writes each edit by itself, and each write wakes the MTA: ten edits
 * cost twenty system calls and ten changes of context, half of what a stamped
 * post costs.  Together they leave in one write, and a daemon that dies in the
 * middle of them has sent none.
 *
 * libmilter has no call for that, so edit_batch.c defines writev(), which is how
 * libmilter writes: between begin and send, what the calling thread would write
 * is kept.  Where libmilter's writes do not come by (another way of linking,
 * another libmilter), nothing is kept and everything works as it did.
 */
#ifndef MLMILTER_MILTER_EDIT_BATCH_H
#define MLMILTER_MILTER_EDIT_BATCH_H

#include "text/strbuf.h"

struct edit_batch {
    struct strbuf *packets; /* borrowed */
    int fd;                 /* where to; -1: nothing was kept yet */
};

/* From here on the edits of this thread are kept, in packets, which is emptied. Ended by
 * edit_batch_send or edit_batch_drop, in the same callback: libmilter calls the next one from
 * another thread. */
void edit_batch_begin(struct edit_batch *batch, struct strbuf *packets);

/* Sends what was kept and ends the batch. 0, or -1: not everything could be sent, or memory ran out
 * before. Waits a minute for an MTA that takes nothing. */
int edit_batch_send(struct edit_batch *batch);

/* Ends the batch. What was kept is not sent: an edit is missing, and half of them could be made by
 * an MTA whose filter then dies. */
void edit_batch_drop(struct edit_batch *batch);

#endif

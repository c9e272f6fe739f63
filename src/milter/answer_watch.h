/*
 * answer_watch - when the answer to a message has left
 *
 * libmilter sends what a callback returns after it has returned, and tells nobody.
 * A program that ends in between leaves the message to the MTA's default action.
 * So the callback says that an answer follows; the next packet that is written
 * whole in the same thread is it (edit_batch.c, whose writev() libmilter calls).
 * Where libmilter's writes do not come by, an answer counts as under way until the
 * next one of the same thread.
 */
#ifndef MLMILTER_MILTER_ANSWER_WATCH_H
#define MLMILTER_MILTER_ANSWER_WATCH_H

#include "milter/host.h"

#include <sys/types.h>
#include <sys/uio.h>

/* In a callback: host->begin_answer, and end_answer when the answer has left, or cannot leave.
 * host is borrowed for as long. */
void answer_watch_begin(const struct milter_host *host);

/* No answer of this thread's leaves any more: the connection ends. libmilter does not even try to
 * write where the MTA takes nothing. */
void answer_watch_end(void);

/* writev(2) for these parts has returned `written`; errno is not changed. */
void answer_watch_wrote(ssize_t written, const struct iovec *parts, int count);

#endif

/*
 * nudge - a connection that waits for a thread of libmilter's gets one
 *
 * libmilter (8.17.1) wakes an idle thread of its pool for a connection that can be
 * read, and starts a new one only if none is idle.  A thread that was just woken
 * still counts as idle: of connections that become readable at once, several may
 * share one thread, and when that thread is kept waiting in one of our functions,
 * the others are, too, until any thread has done its work (measured: with a store
 * that does not answer, 2 to 8 of 40 connections that came at once got no answer
 * for ten seconds, even to the first packet).
 *
 * Whoever keeps a thread waiting therefore nudges libmilter: connections to our
 * own socket, closed at once, have it start threads, which then see what else is
 * to be done.  Where that fails, everything works as it did.
 */
#ifndef MLMILTER_DAEMON_NUDGE_H
#define MLMILTER_DAEMON_NUDGE_H

/* Main thread, before libmilter runs: the socket on which it listens. */
void nudge_use(int listening);

/* Any thread, as often as one likes: at most ten times a second something is done. Does not
 * wait. */
void nudge(void *unused);

#endif

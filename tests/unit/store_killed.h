/*
 * store_killed - a case of the contract of stores: the daemon is killed
 */
#ifndef MLMILTER_TESTS_STORE_KILLED_H
#define MLMILTER_TESTS_STORE_KILLED_H

/* *state is a struct backend. */
void store_killed(void **state);

#endif

/*
 * driver - the drivers of "memory:" and "failing:", for tests and for nothing else
 *
 * Both forget; the second one fails as it is asked to.
 *
 *   "failing:" [ option *( "," option ) ]
 *   option = "after=" N      ; from the Nth transaction that assigns on
 *          / "slow=" MS      ; waits before it fails
 */
#ifndef MLMILTER_STORE_TESTING_DRIVER_H
#define MLMILTER_STORE_TESTING_DRIVER_H

#include "store/driver.h"

extern const struct store_driver store_memory;
extern const struct store_driver store_failing;

#endif

/*
 * driver - the drivers of "memory:" and "failing:", for tests and for nothing else
 *
 * The first one forgets; the second one fails, at once or after some milliseconds:
 *
 *   "failing:" [ "slow=" MS ]
 */
#ifndef MLMILTER_STORE_TESTING_DRIVER_H
#define MLMILTER_STORE_TESTING_DRIVER_H

#include "store/driver.h"

extern const struct store_driver store_memory;
extern const struct store_driver store_failing;

#endif

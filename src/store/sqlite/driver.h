/*
 * driver - the driver of "sqlite:": the store in a file of one host
 */
#ifndef MLMILTER_STORE_SQLITE_DRIVER_H
#define MLMILTER_STORE_SQLITE_DRIVER_H

#include "store/driver.h"

extern const struct store_driver store_sqlite;

#endif

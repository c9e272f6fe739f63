/*
 * driver - the driver of "postgresql:": one database for several hosts
 */
#ifndef MLMILTER_STORE_POSTGRESQL_DRIVER_H
#define MLMILTER_STORE_POSTGRESQL_DRIVER_H

#include "store/driver.h"

extern const struct store_driver store_postgresql;

#endif
